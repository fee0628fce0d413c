package recorded

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

// Begun is a question about a commit of which one source and the message are known. It is valid
// only during the call.
type Begun struct {
	Repo   string
	ID     string // id of the commit that is asked about
	Text   string // the message of the commit
	Given  event.Path
	Others []event.Path // the other files of the commit that existed before
	At     time.Time
	Past   *eval.Past // what was known before the commit

	ask func(event.Query) ([]rank.Scored, error)
}

// BegunFile is a file that may belong to such a commit.
type BegunFile struct {
	File   event.Path
	Text   float64 // logit in the ranking of the message, NaN if the ranking lacks the file
	Beside float64 // log odds for the given file, NaN if no commit connects the two
	Used   bool    // the file is one of Others
}

// Files returns all files that the message or the given file suggest.
func (b *Begun) Files(ctx context.Context) ([]BegunFile, error) {
	var out []BegunFile
	at := map[event.Path]int{}
	get := func(p event.Path) *BegunFile {
		i, known := at[p]
		if !known {
			i = len(out)
			at[p] = i
			out = append(out, BegunFile{p, math.NaN(), math.NaN(), slices.Contains(b.Others, p)})
		}
		return &out[i]
	}
	ranked, err := b.ask(event.Query{Prompt: b.Text, At: b.At})
	if err != nil {
		return nil, err
	}
	for _, r := range ranked {
		get(r.File).Text = r.Logit
	}
	q := event.Query{Task: event.TaskChange, Files: []event.Path{b.Given}, Limit: mostRanked, At: b.At}
	ans, _ := b.Past.Complete(ctx, q, 1)
	for _, s := range ans.All() {
		get(s.File).Beside = s.Logit
	}
	return slices.DeleteFunc(out, func(f BegunFile) bool { return f.File == b.Given }), nil
}

// Limits for the commits that are asked about.
const (
	leastBegun = 2  // least number of files that existed before the commit
	mostBegun  = 15 // largest number of files in the commit
)

// BegunCommits replays a history and asks: given one source and the message of a commit, which
// other files does it change? It asks before the commit is learned, about at most n commits, evenly
// spaced over the last quarter of the history.
func BegunCommits(ctx context.Context, s eval.Source, o Options, n int, each func(*Begun) error) error {
	past := eval.NewPast()
	o.Learned = past.Learn
	w, err := NewWorld(ctx, s, o)
	if err != nil {
		return err
	}
	defer w.Close()
	past.Link(w.Links)
	var fit []int
	for i, e := range s.Commits {
		if e.Kind() == event.KindCommit && float64(i) >= LastQuarter*float64(len(s.Commits)) &&
			len(e.Paths()) >= leastBegun &&
			len(e.Paths()) <= mostBegun && len(strings.Fields(e.Text())) >= leastWords && !dull.MatchString(e.Text()) {
			fit = append(fit, i)
		}
	}
	ask := map[int]bool{}
	for k := range min(n, len(fit)) {
		ask[fit[k*len(fit)/min(n, len(fit))]] = true
	}
	for i, e := range s.Commits {
		if ask[i] {
			b := begin(s, e, w.Tree)
			if b.Text, err = message(ctx, s, e); err != nil {
				return err
			}
			b.Past = past
			b.ask = func(q event.Query) ([]rank.Scored, error) {
				ranking, err := w.Ask(ctx, q)
				if err != nil {
					return nil, err
				}
				return ranking.Files, nil
			}
			if b.Given != "" && len(b.Others) > 0 {
				if err := each(b); err != nil {
					return fmt.Errorf("evaluate %s: %w", s.Name, err)
				}
			}
		}
		if err := w.Learn(ctx, e); err != nil {
			return fmt.Errorf("evaluate %s: %w", s.Name, err)
		}
	}
	return nil
}

// begin chooses the given source by the hash of the commit.
func begin(s eval.Source, e event.Event, tree *index.Tree) *Begun {
	b := &Begun{Repo: s.Name, ID: e.ID, At: e.Time}
	known := slices.DeleteFunc(slices.Clone(e.Paths()), func(p event.Path) bool { return !tree.Has(p) })
	sources := slices.DeleteFunc(slices.Clone(known),
		func(p event.Path) bool { return index.KindOf(p) != index.KindSource })
	if len(sources) == 0 {
		return b
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(e.ID))
	b.Given = sources[int(h.Sum32()%uint32(len(sources)))]
	b.Others = slices.DeleteFunc(known, func(p event.Path) bool { return p == b.Given })
	return b
}
