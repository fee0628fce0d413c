package rank

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
)

// queryContext is what holds for all candidates of a question: its files, words, session and time.
type queryContext struct {
	at                time.Time
	head              time.Time             // of the newest commit, at most at: a repository that rested has not forgotten its last work
	session           string                // that asks, "" for a person
	files             []event.Path          // in hand, newest last, at most contextFiles (task change: changeFiles)
	leads             [links][]event.Path   // files whose partners are candidates; of byHand: files
	byName            []event.Path          // files that the prompt names, at most namedFiles
	stems             map[string]event.Path // stem of a pair → newest file in hand
	terms             []string              // looked up in the store
	words             []string              // of the prompt, the rarest in paths first; terms begins with the same
	idents            []string              // of the prompt
	fitting           []TextFit             // files that the prompt may mean
	topic             []TextFit             // that the newest earlier prompt of many words may mean
	patterned, latest []TextFit             // that the newest patterns and commands may mean; that the newest one may mean
	prompted          string                // the text of the prompt, if the question has it
	spellings         map[string]string     // its words by stem, when a reason needs them
	tags              []string
	tree              *index.Tree
	contents          *index.Contents
	read              func(event.Path) []byte // the text of a file; nil: unknown
	recent            *hot.Ranked             // files opened last, by anyone
	// What the session did, empty without one.
	open        map[event.Path]int64
	named       map[event.Path]int64
	before      map[event.Path]int64
	commands    map[event.Path]int64
	said        map[event.Path]float64
	seen        map[event.Path]bool
	prompt      int64
	turn        int // files opened since the prompt
	results     []hot.Result
	patterns    []hot.Wording
	fresh       map[event.Path]float64 // ListedFresh of the files that lists name
	inFolder    map[string]folder
	folderTerms map[string]noisyOr // the chance that a word leads to a file of the folder
	lately      map[string]float64 // folder → recency of its newest open
	labels      *labels
	kins        []event.Path           // in hand, whose names are compared
	rare        map[string]float64     // idf of words of names
	inHand      float64                // the signal InHand
	asked       kind                   // kinds of files that the prompt asks for
	commits     *hot.Ranked            // files committed last
	commitAgo   map[event.Path]int     // file → commits since its own, of the newest files committed
	clocks      []int64                // of the last opens of the session's files
	editedStems map[string]bool        // stems of pairs of the files edited since the prompt
	branch      map[event.Path]float64 // the signal OfBranch of the files that the branch changed
	ofBranch    bool                   // the question is about the branch: files in hand are answers, too
}

// remember takes over what the session did.
func (x *queryContext) remember(s *hot.SessionView) {
	if s == nil {
		return
	}
	x.open, x.named, x.before, x.commands = s.Order, s.Named, s.NamedBefore, s.Commands
	x.said, x.seen = s.Mentions, s.SeenEver
	x.prompt = s.Prompt
	x.results, x.patterns = s.Results, s.Wordings
	x.turn = x.since(s)
	x.clocks = slices.Collect(maps.Values(s.Last))
	x.editedStems = make(map[string]bool, len(s.Edits))
	for f := range s.Edits {
		x.editedStems[x.labels.of(f).stem] = true
	}
}

// mentioned lists the files that the session named, the most mentioned first, at most maxMentions.
func (x *queryContext) mentioned() []event.Path {
	weight := make(map[event.Path]float64, len(x.said))
	for f, w := range x.said {
		weight[f] = w
	}
	for _, named := range []map[event.Path]int64{x.named, x.before, x.commands} {
		for f := range named {
			weight[f]++
		}
	}
	files := make([]event.Path, 0, len(weight))
	for f := range weight {
		if _, open := x.open[f]; !open {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b event.Path) int {
		if x, y := weight[a], weight[b]; x != y {
			return cmp.Compare(y, x)
		}
		return cmp.Compare(a, b)
	})
	return files[:min(len(files), maxMentions)]
}

// pairedWith is a file in hand that is a pair with the candidate by name, "" if none does.
func (x *queryContext) pairedWith(c *candidate) event.Path {
	if g := x.stems[c.label.stem]; g != c.path {
		return g
	}
	return ""
}

// since counts the files opened since the prompt.
func (x *queryContext) since(s *hot.SessionView) int {
	n, begin := 0, s.PromptClock()
	for _, clock := range s.Last {
		if clock > begin {
			n++
		}
	}
	return n
}

func has(m map[event.Path]int64, f event.Path) bool {
	_, ok := m[f]
	return ok
}

// newest is the last file in hand, "" if there is none.
func (x *queryContext) newest() event.Path {
	if len(x.files) == 0 {
		return ""
	}
	return x.files[len(x.files)-1]
}
