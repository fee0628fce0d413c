package rank

// Signal is one of the numbers in [0,1] that a score is made of. The formulas stand in doc.go.
type Signal int

// The signals, in the order in which they are added up. The first one is the constant 1.
const (
	Bias Signal = iota
	RecencyHour
	RecencyDay
	RecencyRank
	Frequency
	Tags
	Comod
	ComodMean
	Support
	Session
	Terms
	Alike
	Named
	NamedBefore
	NamedSession
	NamedPair
	SeedSession
	SeedAlike
	InCommand
	Mentioned
	SeenBefore
	ListedRecent
	ListedAgo
	ListedFew
	ListedPlace
	ListedLast
	ListedTurn
	ListedOften
	ContentRecent
	ContentAlone
	Directory
	FolderShare
	FolderRecent
	FolderSmall
	Depth
	Document
	Test
	Pair
	Committed
	Uncommitted
	Churn
	Never
	TermsMean
	TermsRank
	ComodRank
	SessionRank
	Successor
	NamedComod
	NamedAlike
	SeedComod
	AlikeRank
	Unseen
	Opened
	InHand
	Kin
	Calls
	Size
	KindShare
	LateTest
	EarlyDocument
	FreshCommitted
	SessionLast
	ComodBack
	SessionBack
	Sessions
	ListedLeft
	ListedSkipped
	ListedTurns
	ListedFresh
	Text
	TextShare
	TextPlace
	TextSure
	Pattern
	PatternPlace
	signals // their number
)

var signalNames = [signals]string{
	Bias: "bias", RecencyHour: "recency_hour", RecencyDay: "recency_day", RecencyRank: "recency_rank", Frequency: "frequency",
	Tags: "tags", Comod: "comod", ComodMean: "comod_mean", Support: "support", Session: "session", Terms: "terms", Alike: "alike", Named: "named",
	NamedBefore: "named_before", NamedSession: "named_session", NamedPair: "named_pair", SeedSession: "seed_session",
	SeedAlike: "seed_alike", InCommand: "in_command", Mentioned: "mentioned",
	SeenBefore: "seen_before", ListedRecent: "listed_recent", ListedAgo: "listed_ago", ListedFew: "listed_few", ListedPlace: "listed_place",
	ListedLast: "listed_last", ListedTurn: "listed_turn", ListedOften: "listed_often",
	ContentRecent: "content_recent", ContentAlone: "content_alone", Directory: "directory", FolderShare: "folder_share", FolderRecent: "folder_recent", FolderSmall: "folder_small",
	Depth: "depth", Document: "document", Test: "test", Pair: "pair", Committed: "committed", Uncommitted: "uncommitted",
	Churn: "churn", Never: "never", Successor: "successor", NamedComod: "named_comod", NamedAlike: "named_alike", SeedComod: "seed_comod", TermsMean: "terms_mean", TermsRank: "terms_rank", ComodRank: "comod_rank",
	SessionRank: "session_rank", AlikeRank: "alike_rank", Unseen: "unseen", Opened: "opened", InHand: "in_hand",
	Kin:            "kin",
	Calls:          "calls",
	Size:           "size",
	KindShare:      "kind_share",
	LateTest:       "late_test",
	EarlyDocument:  "early_document",
	FreshCommitted: "fresh_committed",
	SessionLast:    "session_last",
	ComodBack:      "comod_back",
	SessionBack:    "session_back",
	Sessions:       "sessions",
	ListedLeft:     "listed_left",
	ListedSkipped:  "listed_skipped",
	ListedTurns:    "listed_turns",
	ListedFresh:    "listed_fresh",
	Text:           "text", TextShare: "text_share", TextPlace: "text_place", TextSure: "text_sure", Pattern: "pattern", PatternPlace: "pattern_place",
}

// String is the name under which the signal appears in a Reason.
func (s Signal) String() string { return signalNames[s] }

// signalOf finds a signal by its name.
func signalOf(name string) (Signal, bool) {
	for s, n := range signalNames {
		if n == name {
			return Signal(s), true
		}
	}
	return 0, false
}

// Values holds one number per signal: a file's values, or a task's weights.
type Values [signals]float64
