package rank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// Limits for one question. None of them depends on the number of known files.
const (
	contextFiles = 5   // files of the session whose partners are read
	maxPartners  = 32  // partners that are read for each file and kind
	namedFiles   = 4   // files named by the prompt whose partners are read
	maxTerms     = 8   // words of a question that are looked up in the store
	maxPerTerm   = 16  // files that become candidates by one word
	maxTermFiles = 64  // files that are read for one word, to learn about their folders
	maxPerTag    = 16  // files that are read for one tag
	maxRecent    = 64  // recently touched files that are read
	maxMentions  = 96  // files mentioned in the session
	maxSaid      = 40  // files found by one query of the contents
	maxByFolder  = 32  // candidates that are found by their folder
	maxScored    = 192 // candidates whose stored scores are read
	maxWhys      = 3   // reasons in a suggestion, unless all are asked for
)

// Options are the options of a Ranker. The zero value works.
type Options struct {
	// Together counts the commits that changed both files, and those that changed a. It is called
	// only for files that are returned. If nil, reasons have no counts.
	Together func(ctx context.Context, a, b event.Path) (event.Together, error)
	// Contents returns the words and identifiers of the files. If it is nil or returns nil, signals
	// about contents are 0.
	Contents func() *index.Contents
	// Read returns the present content of a file, or nil if it cannot be read. If Read is nil, the
	// ranker cannot tell which words are next to each other in a file.
	Read func(event.Path) []byte
	// Words returns the terms of a text as they are in events (event.HashedWord). If nil, terms are
	// used as they are.
	Words func([]string) []string
	// Models replaces the shipped models of the tasks that it has.
	Models map[event.Task]Model
	// Texts replaces the shipped weights for texts, unless it is nil.
	Texts *Texts
}

// Ranker answers queries from the hot store and the sessions. It is safe for concurrent use.
// Between questions it keeps nothing but caches.
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

// New returns a Ranker. tree returns the files that may be suggested.
func New(store *hot.Store, sessions *session.Sessions, tree func() *index.Tree, o Options) *Ranker {
	models, texts := prior()
	models = maps.Clone(models)
	maps.Copy(models, o.Models)
	if o.Contents == nil {
		o.Contents = func() *index.Contents { return nil }
	}
	if o.Words == nil {
		o.Words = func(terms []string) []string { return terms }
	}
	if o.Texts != nil {
		texts = *o.Texts
	}
	return &Ranker{store: store, sessions: sessions, tree: tree, o: o, models: models, texts: texts}
}

// ErrNoTime is the error for a query whose At is zero, because a ranking depends on the time.
var ErrNoTime = errors.New("rank: the query carries no time: set Query.At")

// ErrTask is the error for a task that is neither prompt, open nor change.
var ErrTask = errors.New("no such task")

// Ranking has all candidates of a query in order. Their reasons have no texts yet, because making
// these may take counting commits.
type Ranking struct {
	Files  []Scored
	ranker *Ranker
}

// Scored is one file of a Ranking.
type Scored struct {
	File   event.Path
	Score  float64 // 1/(1+e^-Logit): only orders files; package prefetch turns it into a probability
	Logit  float64
	Unseen bool // nothing in the session has named it
	c      *candidate
	from   *gathered
}

// InWords reports whether a prompt, a command or a pattern of the session has named the file.
func (s Scored) InWords() bool { return s.c.inWords(s.from.context) }

// Opened returns min(1, ln(1+files open in the session)/4). The more files are open, the less
// probable is each other file.
func (s Scored) Opened() float64 { return opened(len(s.from.context.did.Opened)) }

// Terms returns the probability, in [0,1], that one of the question's words leads to the file. The
// signal terms_rank ranks by it.
func (s Scored) Terms() float64 { return s.c.terms.value() }

// Values returns the signals of the file, from which its score was computed.
func (s Scored) Values() Values { return s.c.values }

// Score ranks files without putting reasons into words: at most maxScored files, best first, equal
// ones by path. Current files, files outside of the tree and files open in the session are left
// out. The query's Limit is ignored. Questions about changes are answered by package history
// instead. The same state and query give the same answer.
func (r *Ranker) Score(ctx context.Context, q event.Query) (*Ranking, error) {
	g, err := r.gather(ctx, q, "")
	if err != nil {
		return nil, err
	}
	k := &Ranking{ranker: r, Files: make([]Scored, 0, len(g.pool.list))}
	for _, c := range g.pool.list {
		s := Scored{File: c.path, Logit: g.model.weightsFor(c.values[Unseen] > 0).Logit(c.values),
			Unseen: c.values[Unseen] > 0, c: c, from: g}
		s.Score = Uncalibrated.Probability(s.Logit)
		if !q.Unseen || s.Unseen {
			k.Files = append(k.Files, s)
		}
	}
	slices.SortFunc(k.Files, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Logit, a.Logit), cmp.Compare(a.File, b.File))
	})
	return k, nil
}

// Suggestion returns the i-th file as people and agents get it, with all reasons or only the
// strongest.
func (k *Ranking) Suggestion(ctx context.Context, i int, all bool) event.Suggestion {
	return k.ranker.suggestion(ctx, k.Files[i].from, k.Files[i].c, all)
}

// Why returns the whole arithmetic of one file, with the digits that Score computes. It also works
// for a file that Score leaves out.
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

// suggestion returns a candidate with its reasons in words.
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
