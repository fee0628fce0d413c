package rank

import "strings"

// Signal is one of the numbers in [0,1] that a score is made of. doc.go has the formulas.
type Signal int

// The signals, in the order in which they are added up. The first one is the constant 1.
const (
	Bias Signal = iota
	Tags
	RecencyHour
	Committed
	Uncommitted
	Churn
	Never
	FreshCommitted
	Size
	Test
	Upkeep
	Comod
	SessionBack
	SessionLast
	AlikeRank
	CallsRank
	Directory
	FolderSmall
	FolderRecent
	Pair
	TermsRank
	TermsFolder
	Text
	TextShare
	TextPlace
	TextCover
	TextBody
	TextDocs
	TextUses
	AskedKind
	Topic
	Pattern
	PatternPlace
	Named
	Mentioned
	ListedFresh
	Unseen
	OfBranch
	signals // their number
)

// signalNames are the names of the signals, in their order.
var signalNames = strings.Fields(`bias tags recency_hour committed uncommitted churn never fresh_committed size test upkeep
	comod session_back session_last alike_rank calls_rank directory folder_small folder_recent pair terms_rank
	terms_folder text text_share text_place text_cover text_body text_docs text_uses asked_kind topic pattern
	pattern_place named mentioned listed_fresh unseen branch`)

// String returns the name under which the signal appears in a Reason.
func (s Signal) String() string { return signalNames[s] }

// Values has one number per signal: the values of a file, or the weights of a task.
type Values [signals]float64
