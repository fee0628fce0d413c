package eval

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// The commits that are asked about: those of the last quarter of history with 2 to 30 files.
const (
	leastFiles = 2
	mostFiles  = 30
	lastPart   = 4 // one over it is the share of history that is asked about
)

// Commits replays the history alone and asks about each commit before it is learned: with each of its known files left out
// in turn, and complete. Sessions are not learned, for an agent edits the files just before it commits them.
func Commits(ctx context.Context, s Source, o Options, each func(*Decision) error) error {
	return eachCommit(ctx, s, o, func(w *world, a askedCommit) error {
		err := w.leaveOut(ctx, s.Name, a, each)
		if err == nil && o.Begun {
			err = w.begin(ctx, s.Name, a, each)
		}
		return err
	})
}

// askedCommit is a commit before it is learned.
type askedCommit struct {
	place   int // among the events of the history
	event   event.Event
	archive prefetch.Archive // as of before; its edits are those of the commit
}

// eachCommit replays the history alone and calls ask before a commit that is asked about is learned.
func eachCommit(ctx context.Context, s Source, o Options, ask func(*world, askedCommit) error) error {
	w, err := newWorld(ctx, s, o)
	if err != nil {
		return err
	}
	defer w.close()
	from := lastQuarter(s.Commits)
	if o.Newest > 0 {
		from = max(from, len(s.Commits)-o.Newest)
	}
	least := leastFiles
	if o.Begun {
		least = 1
	}
	var moved []event.Event // renames of the commit that comes next: it is asked about before they are known
	for i, e := range s.Commits {
		if o.Progress != nil && i%64 == 0 {
			o.Progress(i, len(s.Commits))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= from && e.Kind == event.KindCommit && len(e.Paths) >= least && len(e.Paths) <= mostFiles {
			a, err := w.about(ctx, i, e, moved)
			if err == nil {
				err = ask(w, a)
			}
			if err != nil {
				return fmt.Errorf("evaluate %s: %w", s.Name, err)
			}
		}
		if moved = append(moved, e); e.Kind == event.KindRename {
			continue
		}
		if err := w.learn(ctx, moved...); err != nil {
			return fmt.Errorf("evaluate %s: %w", s.Name, err)
		}
		moved = moved[:0]
	}
	if o.Progress != nil {
		o.Progress(len(s.Commits), len(s.Commits))
	}
	return nil
}

// about gathers what a question about a commit asks beside the ranking.
func (w *world) about(ctx context.Context, place int, e event.Event, renames []event.Event) (askedCommit, error) {
	changes := map[event.Path][]event.ChangeSet{} // the questions about a commit ask for the same
	a := askedCommit{place, e, prefetch.Archive{Together: w.archive.together,
		Changes: func(ctx context.Context, f event.Path, most int) (out []event.ChangeSet, err error) {
			out, known := changes[f]
			if !known {
				out, err = w.archive.changes(ctx, f, most)
				changes[f] = out
			}
			return out, err
		}}}
	if w.reader == nil {
		return a, nil
	}
	if err := w.flush(ctx); err != nil {
		return a, err
	}
	if err := w.read(); err != nil {
		return a, err
	}
	edits, err := w.edits(e, renames)
	users := map[string][]index.User{}
	a.archive.Users = func(name string, most int) []index.User {
		out, known := users[name]
		if !known {
			out = w.said.Users(name, most)
			users[name] = out
		}
		return out
	}
	a.archive.Edits = func(context.Context, []event.Path) map[event.Path][]index.Edit { return edits }
	return a, err
}

// lastQuarter is the place of the first commit of the last quarter.
func lastQuarter(es []event.Event) int {
	n := 0
	for _, e := range es {
		if e.Kind == event.KindCommit {
			n++
		}
	}
	skip := n - n/lastPart
	for i, e := range es {
		if e.Kind == event.KindCommit {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	return len(es)
}

// leaveOut asks about one commit: complete, and without each of its files that were known.
func (w *world) leaveOut(ctx context.Context, name string, a askedCommit, each func(*Decision) error) error {
	files := a.event.Paths
	if err := w.askChange(ctx, name, a, files, nil, each); err != nil || len(files) < leastFiles {
		return err
	}
	for i, f := range files {
		if !w.tree.Has(f) {
			continue
		}
		if err := w.askChange(ctx, name, a, slices.Concat(files[:i], files[i+1:]), files[i:i+1], each); err != nil {
			return err
		}
	}
	return nil
}

// begin asks about a commit of three files and more as it may have begun: some of its files, in an order drawn by the hash of the commit
// and their names, without at least two of them.
func (w *world) begin(ctx context.Context, name string, a askedCommit, each func(*Decision) error) error {
	n := len(a.event.Paths)
	if n < 3 {
		return nil
	}
	drawn := func(p event.Path) uint64 {
		h := fnv.New64a()
		_, _ = io.WriteString(h, string(p)+a.event.ID)
		return h.Sum64()
	}
	files := slices.SortedFunc(slices.Values(a.event.Paths), func(p, q event.Path) int { return cmp.Compare(drawn(p), drawn(q)) })
	begun := 1 + a.place%(n-2)
	return w.askChange(ctx, name, a, files[:begun], files[begun:], each)
}

// askChange asks about some files of a commit, left being the others.
func (w *world) askChange(ctx context.Context, name string, a askedCommit, files, left []event.Path, each func(*Decision) error) error {
	d := &Decision{Repo: name, Session: a.event.ID, Seq: a.place, Tree: w.tree, Stratum: func(event.Path) Stratum { return Unseen },
		Query: event.Query{Task: event.TaskChange, Files: files, At: a.event.Time}, Used: map[event.Path]bool{}, Begun: len(left) > 1}
	for _, f := range left {
		d.Used[f] = true
	}
	if len(left) == 1 {
		d.Left = left[0]
	}
	ranking, took, err := w.ask(ctx, d.Query)
	if err != nil {
		return err
	}
	d.Ranked, d.Took = ranking.Files, took
	if d.Evidence, err = prefetch.Weigh(ctx, d.Ranked, files, a.archive); err != nil {
		return err
	}
	return each(d)
}
