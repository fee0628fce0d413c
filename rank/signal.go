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
	Successor
	Terms
	Alike
	Named
	NamedBefore
	NamedComod
	NamedSession
	NamedAlike
	NamedPair
	NamedFolder
	SeedComod
	SeedSession
	SeedAlike
	InCommand
	CommandRecent
	Mentioned
	SeenBefore
	ListedAlone
	ListedRecent
	ListedAgo
	ListedFew
	ListedPlace
	ListedNext
	ListedLast
	ListedTurn
	ListedOften
	ListedOpened
	ContentRecent
	ContentAgo
	ContentAlone
	ContentPlace
	ContentTurn
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
	TermsRank
	ComodRank
	SessionRank
	AlikeRank
	Unseen
	Opened
	TurnOpened
	Asked
	JustListed
	InHand
	Kin
	Calls
	Size
	KindShare
	LateTest
	EarlyDocument
	FreshCommitted
	ComodLast
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
	PatternShare
	PatternPlace
	signals // their number
)

var signalNames = [signals]string{
	Bias: "bias", RecencyHour: "recency_hour", RecencyDay: "recency_day", RecencyRank: "recency_rank", Frequency: "frequency",
	Tags: "tags", Comod: "comod", ComodMean: "comod_mean", Support: "support", Session: "session", Successor: "successor",
	Terms: "terms", Alike: "alike", Named: "named",
	NamedBefore: "named_before", NamedComod: "named_comod", NamedSession: "named_session", NamedAlike: "named_alike",
	NamedPair: "named_pair", NamedFolder: "named_folder", SeedComod: "seed_comod", SeedSession: "seed_session",
	SeedAlike: "seed_alike", InCommand: "in_command", CommandRecent: "command_recent", Mentioned: "mentioned",
	SeenBefore: "seen_before", ListedAlone: "listed_alone", ListedRecent: "listed_recent", ListedAgo: "listed_ago", ListedFew: "listed_few", ListedPlace: "listed_place",
	ListedNext: "listed_next", ListedLast: "listed_last", ListedTurn: "listed_turn", ListedOften: "listed_often",
	ListedOpened: "listed_opened", ContentRecent: "content_recent", ContentAgo: "content_ago", ContentAlone: "content_alone", ContentPlace: "content_place", ContentTurn: "content_turn",
	Directory: "directory", FolderShare: "folder_share", FolderRecent: "folder_recent", FolderSmall: "folder_small",
	Depth: "depth", Document: "document", Test: "test", Pair: "pair", Committed: "committed", Uncommitted: "uncommitted",
	Churn: "churn", Never: "never", TermsRank: "terms_rank", ComodRank: "comod_rank",
	SessionRank: "session_rank", AlikeRank: "alike_rank", Unseen: "unseen", Opened: "opened", TurnOpened: "turn_opened",
	Asked: "asked", JustListed: "just_listed", InHand: "in_hand",
	Kin:            "kin",
	Calls:          "calls",
	Size:           "size",
	KindShare:      "kind_share",
	LateTest:       "late_test",
	EarlyDocument:  "early_document",
	FreshCommitted: "fresh_committed",
	ComodLast:      "comod_last",
	SessionLast:    "session_last",
	ComodBack:      "comod_back",
	SessionBack:    "session_back",
	Sessions:       "sessions",
	ListedLeft:     "listed_left",
	ListedSkipped:  "listed_skipped",
	ListedTurns:    "listed_turns",
	ListedFresh:    "listed_fresh",
	Text:           "text", TextShare: "text_share", TextPlace: "text_place", TextSure: "text_sure", Pattern: "pattern", PatternShare: "pattern_share", PatternPlace: "pattern_place",
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
