package rank

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

var signalNames = [signals]string{
	Bias: "bias", Tags: "tags", RecencyHour: "recency_hour", Committed: "committed",
	Uncommitted: "uncommitted",
	Churn:       "churn", Never: "never", FreshCommitted: "fresh_committed", Size: "size", Test: "test",
	Upkeep: "upkeep", Comod: "comod",
	SessionBack: "session_back", SessionLast: "session_last", AlikeRank: "alike_rank",
	CallsRank: "calls_rank", Directory: "directory", FolderSmall: "folder_small",
	FolderRecent: "folder_recent", Pair: "pair",
	TermsRank: "terms_rank", TermsFolder: "terms_folder", Text: "text", TextShare: "text_share",
	TextPlace: "text_place", TextCover: "text_cover", TextBody: "text_body", TextDocs: "text_docs",
	TextUses: "text_uses", AskedKind: "asked_kind",
	Topic: "topic", Pattern: "pattern", PatternPlace: "pattern_place", Named: "named",
	Mentioned: "mentioned", ListedFresh: "listed_fresh", Unseen: "unseen",
	OfBranch: "branch",
}

// String returns the name under which the signal appears in a Reason.
func (s Signal) String() string { return signalNames[s] }

// signalOf returns the signal with a name.
func signalOf(name string) (Signal, bool) {
	for s, n := range signalNames {
		if n == name {
			return Signal(s), true
		}
	}
	return 0, false
}

// Values has one number per signal: the values of a file, or the weights of a task.
type Values [signals]float64
