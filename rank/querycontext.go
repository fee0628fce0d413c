package rank

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// queryContext has everything that is the same for all candidates of a question: its files, words,
// session and time.
type queryContext struct {
	at time.Time
	// head is the time of the newest commit, but not later than at. Recency of commits is measured
	// from it, so that a pause in the work changes nothing.
	head    time.Time
	session string                  // the session that asks, "" for a person
	files   []event.Path            // the current files, newest last, at most contextFiles
	byName  []event.Path            // files that the prompt names, at most namedFiles
	stems   map[string][]event.Path // for each stem, files with which a candidate can be a pair by name
	edited  []event.Path            // files edited since the prompt
	terms   []string                // words that are looked up in the store
	words   []string                // words of the prompt, those rarest in paths first; terms begins with the same words
	idents  []string                // identifiers in the prompt
	stored  func([]string) []string // see Options.Words
	fitting []TextFit               // files that fit the prompt
	topic   []TextFit               // files that fit the newest earlier prompt of many words
	// Files that fit the newest patterns and commands; those that fit the newest one alone.
	patterned, latest []TextFit
	prompted          string            // the text of the prompt, if the question has one
	spellings         map[string]string // the words of the prompt by stem; computed when a reason needs them
	tags              []string
	tree              *index.Tree
	contents          *index.Contents
	read              func(event.Path) []byte // returns the text of a file; nil if texts cannot be read
	recent            *hot.Ranked             // files opened last, in any session
	did               *session.Session        // what the session did, empty without one
	goesOn            session.Text            // what the agent said before a brief prompt
	fresh             map[event.Path]float64  // the signal ListedFresh of files in result lists
	// What the session named: since the prompt, before it, and all of it with weights.
	named       map[event.Path]int64
	before      map[event.Path]int64
	said        map[event.Path]float64
	inFolder    map[string]folder
	folderTerms map[string]noisyOr // for each folder, the probability that a word leads to one of its files
	lately      map[string]float64 // for each folder, how recently one of its files was opened
	labels      *labels
	asked       kind                   // kinds of files that the prompt asks for
	commits     *hot.Ranked            // files committed last
	commitAgo   map[event.Path]int     // for files committed last: the number of commits since their own
	branch      map[event.Path]float64 // the signal OfBranch for files that the branch changed
	apart       map[event.Path]bool    // files that the branch changed, if the text is not about the branch
	ofBranch    bool                   // the question is about the branch, so current files are answers, too
}

// remember reads what the session did.
func (x *queryContext) remember(s *session.Session) {
	x.did = s
	x.named, x.before = s.NamedNow()
	x.said = s.Mentions()
	x.edited = slices.Sorted(maps.Keys(s.Edits))
}

// mentioned returns the files that the session named, the most mentioned first, at most
// maxMentions.
func (x *queryContext) mentioned() []event.Path {
	weight := maps.Clone(x.said)
	for _, named := range []map[event.Path]int64{x.named, x.before, x.did.Commands} {
		for f := range named {
			weight[f]++
		}
	}
	files := make([]event.Path, 0, len(weight))
	for f := range weight {
		if _, open := x.did.Opened[f]; !open {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
	})
	return files[:min(len(files), maxMentions)]
}

func has[V any](m map[event.Path]V, f event.Path) bool {
	_, ok := m[f]
	return ok
}

// newest returns the newest current file, or "".
func (x *queryContext) newest() event.Path {
	if len(x.files) == 0 {
		return ""
	}
	return x.files[len(x.files)-1]
}
