package rank

import (
	"cmp"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// queryContext has what is the same for all candidates of a question: its files, words, session and
// time.
type queryContext struct {
	at time.Time
	// of the newest commit, at most at: a repository that rested has not forgotten its last work
	head              time.Time
	session           string                  // that asks, "" for a person
	files             []event.Path            // the current ones, newest last, at most contextFiles
	leads             [links][]event.Path     // files whose partners are candidates; of byCurrent: files
	byName            []event.Path            // files that the prompt names, at most namedFiles
	stems             map[string]event.Path   // stem of a pair → newest current file
	terms             []string                // looked up in the store
	words             []string                // of the prompt, the rarest in paths first; terms begins with the same
	idents            []string                // of the prompt
	stored            func([]string) []string // see Options.Words
	fitting           []TextFit               // files that the prompt may mean
	goesOn            session.Text            // what the agent said before a brief prompt
	topic             []TextFit               // that the newest earlier prompt of many words may mean
	patterned, latest []TextFit               // that the newest patterns and commands may mean; that the newest one may mean
	prompted          string                  // the text of the prompt, if the question has it
	spellings         map[string]string       // its words by stem, when a reason needs them
	tags              []string
	tree              *index.Tree
	contents          *index.Contents
	read              func(event.Path) []byte // the text of a file; nil: unknown
	recent            *hot.Ranked             // files opened last, by anyone
	// What the session did, empty without one.
	open        map[event.Path]session.Open
	named       map[event.Path]int64
	before      map[event.Path]int64
	commands    map[event.Path]int64
	said        map[event.Path]float64
	seen        map[event.Path]float64
	prompt      int64
	results     []session.Result
	patterns    []session.Pattern
	fresh       map[event.Path]float64 // ListedFresh of the files that lists name
	inFolder    map[string]folder
	folderTerms map[string]noisyOr // the chance that a word leads to a file of the folder
	lately      map[string]float64 // folder → recency of its newest open
	labels      *labels
	compared    []event.Path           // current files whose names are compared
	rare        map[string]float64     // idf of words of names
	asked       kind                   // kinds of files that the prompt asks for
	commits     *hot.Ranked            // files committed last
	commitAgo   map[event.Path]int     // file → commits since its own, of the newest files committed
	clocks      []int64                // of the last opens of the session's files
	editedStems map[string]bool        // stems of pairs of the files edited since the prompt
	branch      map[event.Path]float64 // the signal OfBranch of the files that the branch changed
	apart       map[event.Path]bool    // files that the branch changed, if the text is not about the branch
	ofBranch    bool                   // the question is about the branch: current files are answers, too
}

// remember takes over what the session did.
func (x *queryContext) remember(s *session.Session) {
	if s == nil {
		return
	}
	x.open, x.commands = s.Opened, s.Commands
	x.named, x.before = s.NamedNow()
	x.said, x.seen = s.Mentions(), s.Seen
	x.prompt = s.Prompts
	x.results, x.patterns = s.Results, s.Patterns
	for _, o := range s.Opened {
		x.clocks = append(x.clocks, o.Clock)
	}
	x.editedStems = make(map[string]bool, len(s.Edits))
	for f := range s.Edits {
		x.editedStems[x.labels.get(f).stem] = true
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

// pairedWith is a current file that is a pair with the candidate by name, "" if none does.
func (x *queryContext) pairedWith(c *candidate) event.Path {
	if g := x.stems[c.label.stem]; g != c.path {
		return g
	}
	return ""
}

func has[V any](m map[event.Path]V, f event.Path) bool {
	_, ok := m[f]
	return ok
}

// newest returns the last current file, or "".
func (x *queryContext) newest() event.Path {
	if len(x.files) == 0 {
		return ""
	}
	return x.files[len(x.files)-1]
}
