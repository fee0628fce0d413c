package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
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
	return eachCommit(ctx, s, o, func(w *world, i int, e event.Event) error { return w.leaveOut(ctx, s.Name, i, e, each) })
}

// eachCommit replays the history alone and calls ask before a commit that is asked about is learned.
func eachCommit(ctx context.Context, s Source, o Options, ask func(w *world, i int, e event.Event) error) error {
	w, err := newWorld(ctx, s, o)
	if err != nil {
		return err
	}
	defer w.close()
	from := lastQuarter(s.Commits)
	if o.Newest > 0 {
		from = max(from, len(s.Commits)-o.Newest)
	}
	var moved []event.Event // renames of the commit that comes next: it is asked about before they are known
	for i, e := range s.Commits {
		if o.Progress != nil && i%64 == 0 {
			o.Progress(i, len(s.Commits))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= from && e.Kind == event.KindCommit && len(e.Paths) >= leastFiles && len(e.Paths) <= mostFiles {
			if err := ask(w, i, e); err != nil {
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
func (w *world) leaveOut(ctx context.Context, name string, seq int, e event.Event, each func(*Decision) error) error {
	ask := func(files []event.Path, left event.Path) error {
		d := &Decision{Repo: name, Session: e.ID, Seq: seq, Left: left, Tree: w.tree, Stratum: func(event.Path) Stratum { return Unseen },
			Query: event.Query{Task: event.TaskChange, Files: files, At: e.Time}, Used: map[event.Path]bool{}}
		if left != "" {
			d.Used[left] = true
		}
		ranking, took, err := w.ask(ctx, d.Query)
		if err != nil {
			return err
		}
		d.Ranked, d.Took = ranking.Files, took
		return each(d)
	}
	if err := ask(e.Paths, ""); err != nil {
		return err
	}
	for i, f := range e.Paths {
		if !w.tree.Has(f) {
			continue
		}
		rest := append(slices.Clone(e.Paths[:i]), e.Paths[i+1:]...)
		if err := ask(rest, f); err != nil {
			return err
		}
	}
	return nil
}
