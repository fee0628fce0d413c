package rank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// The bounds of one question. None depends on the number of known files.
const (
	contextFiles = 5   // files of the session that partners are read for
	maxPartners  = 32  // partners read per file and kind
	namedFiles   = 4   // files named by the prompt that partners are read for
	seedFiles    = 3   // files whose names and contents fit the prompt best, the same
	maxTerms     = 8   // words of a question that are looked up in the store
	maxPerTerm   = 16  // files per word that are candidates
	maxTermFiles = 64  // files read per word, to learn about their folders
	maxPerTag    = 16  // files read per tag
	maxRecent    = 64  // recently touched files read
	maxMentions  = 96  // files mentioned in the session
	maxSaid      = 40  // files found by what they say, per question asked of the contents
	maxByFolder  = 32  // candidates found by their folder
	maxScored    = 192 // candidates whose stored scores are read
	maxWhys      = 3   // reasons per suggestion, unless explained
)

// Options of a Ranker. The zero value works.
type Options struct {
	// Together counts the commits that touched both files, and those that touched a. It is asked
	// only for what is returned. nil: reasons go without counts.
	Together func(ctx context.Context, a, b event.Path) (event.Together, error)
	// Contents are the words and identifiers of the files; nil, or none: those signals are 0.
	Contents func() *index.Contents
	// Read returns the present content of a file, or nil if it cannot be read. If Read is nil, the
	// ranker cannot tell which words are next to each other in a file.
	Read func(event.Path) []byte
	// Words are the terms of a text as events have them (event.HashedWord); nil: as they are.
	Words func([]string) []string
	// Models replace the shipped prior of a task.
	Models map[event.Task]Model
	// Texts replace the shipped weights of texts; nil: the shipped ones.
	Texts *Texts
}

// Ranker answers queries from the hot store and the sessions. It is safe for concurrent use and
// keeps no state of its own.
type Ranker struct {
	store    *hot.Store
	sessions *session.Sessions
	tree     func() *index.Tree
	o        Options
	models   map[event.Task]Model
	texts    Texts
	labels   labels
	known    fitCache
}

// New makes a Ranker. tree returns the files that may be suggested.
func New(store *hot.Store, sessions *session.Sessions, tree func() *index.Tree, o Options) *Ranker {
	models := Prior()
	for task, m := range o.Models {
		models[task] = m
	}
	if o.Contents == nil {
		o.Contents = func() *index.Contents { return nil }
	}
	if o.Words == nil {
		o.Words = func(terms []string) []string { return terms }
	}
	texts := priorTexts()
	if o.Texts != nil {
		texts = *o.Texts
	}
	return &Ranker{store: store, sessions: sessions, tree: tree, o: o, models: models, texts: texts}
}

// ErrNoTime is returned for a query whose At is zero, because a ranking depends on the time.
var ErrNoTime = errors.New("rank: the query carries no time: set Query.At")

// Ranking is all candidates of a query in order, not yet put into words: words may ask the archive.
type Ranking struct {
	Files  []Scored
	ranker *Ranker
	from   []*gathered
}

// Done gives the memory of the candidates back for the next question. Nothing of the Ranking may be
// used any more. Who does not call it leaves it to the collector.
func (k *Ranking) Done() {
	for _, g := range k.from {
		g.pool.done()
	}
	k.from, k.Files = nil, nil
}

// Scored is one file of a Ranking.
type Scored struct {
	File   event.Path
	Score  float64 // 1/(1+e^-Logit): orders files; package prefetch makes it a probability
	Logit  float64
	Unseen bool // nothing in the session had named it
	c      *candidate
	from   *gathered
}

// InWords reports whether a prompt, a command or a pattern of the session has named the file.
func (s Scored) InWords() bool { return s.c.inWords(s.from.context) }

// Opened is min(1, ln(1+files open in the session)/4): with more open files each other one is less
// likely.
func (s Scored) Opened() float64 { return opened(len(s.from.context.open)) }

// Terms is the chance, in [0,1], that one of the question's words leads to the file: the noisy-or
// that terms_rank ranks by.
func (s Scored) Terms() float64 { return s.c.terms.value() }

// Values are the file's signals, as they entered its score.
func (s Scored) Values() Values { return s.c.values }

// Score ranks without words: at most maxScored files, best first, ties by path. Current files, what
// is not in the tree and files that are open in the session are left out. Limit does not count.
// Questions about changes are answered by package history. Equal state and query give equal
// answers.
func (r *Ranker) Score(ctx context.Context, q event.Query) (*Ranking, error) {
	g, err := r.gather(ctx, q, "")
	if err != nil {
		return nil, err
	}
	k := &Ranking{ranker: r, from: []*gathered{g}, Files: make([]Scored, 0, len(g.pool.list))}
	for _, c := range g.pool.list {
		s := Scored{File: c.path, Logit: g.model.weightsFor(c.values[Unseen] > 0).Logit(c.values),
			Unseen: c.values[Unseen] > 0, c: c,
			from: g}
		s.Score = Uncalibrated.Probability(s.Logit)
		if !q.Unseen || s.Unseen {
			k.Files = append(k.Files, s)
		}
	}
	k.sort()
	return k, nil
}

func (k *Ranking) sort() {
	slices.SortFunc(k.Files, func(a, b Scored) int {
		switch {
		case a.Score != b.Score:
			return cmp.Compare(b.Score, a.Score)
		case a.Logit != b.Logit:
			return cmp.Compare(b.Logit, a.Logit)
		}
		return cmp.Compare(a.File, b.File)
	})
}

// Suggestion puts the i-th file into the form that people and agents get, with all reasons or the
// strongest.
func (k *Ranking) Suggestion(ctx context.Context, i int, all bool) event.Suggestion {
	return k.ranker.suggestion(ctx, k.Files[i].from, k.Files[i].c, all)
}

// Why returns the whole arithmetic of one file, with the digits that Score gives it, also for a
// file that Score leaves out.
func (r *Ranker) Why(ctx context.Context, q event.Query, f event.Path) (event.Suggestion, error) {
	if f == "" {
		return event.Suggestion{}, fmt.Errorf("explain a score: %w", event.ErrPath)
	}
	g, err := r.gather(ctx, q, f)
	if err != nil {
		return event.Suggestion{}, err
	}
	return r.suggestion(ctx, g, g.pool.get(f), true), nil
}

// suggestion puts a candidate into words.
func (r *Ranker) suggestion(ctx context.Context, g *gathered, c *candidate, all bool) event.Suggestion {
	weights := g.model.weightsFor(c.values[Unseen] > 0)
	s := event.Suggestion{File: c.path, Logit: weights.Logit(c.values), Scale: Uncalibrated, Unseen: c.values[Unseen] > 0,
		Reasons: reasons(weights, c.values)}
	s.Score = Uncalibrated.Probability(s.Logit)
	if !all {
		s.Reasons = strongest(s.Reasons, maxWhys)
	}
	r.explain(ctx, s.Reasons, c, g.context, !all)
	return s
}

// Has reports whether a file may be suggested.
func (r *Ranker) Has(f event.Path) bool { return r.tree().Has(f) }
