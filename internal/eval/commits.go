package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// The commits that are asked about are those of the last quarter of history. One of their files is left out of those
// with 2 to 30 files.
const (
	leastFiles = 2
	mostFiles  = 30
	lastPart   = 4 // one over it is the share of history that is asked about
)

// Commit is a commit before it is learned.
type Commit struct {
	Place int // among the events of the history
	Event event.Event

	World *World
}

// Loses reports whether the commit is one of those that are asked about without one of their files.
func (c *Commit) Loses() bool {
	n := len(c.Event.Paths())
	return n >= leastFiles && n <= mostFiles
}

// Question is what is asked about the commit while it is being made, without one of its files; "": with all. What it
// deletes is changed, too.
func (c *Commit) Question(without event.Path) event.Query {
	files := slices.DeleteFunc(slices.Concat(c.Event.Paths(), c.Event.Gone()), func(p event.Path) bool { return p == without })
	return event.Query{Task: event.TaskChange, Files: files, At: c.Event.Time, Limit: Listed}
}

// EachCommit replays the history alone and calls ask before a commit that is asked about is learned. Sessions are not
// learned, for an agent edits the files just before it commits them. The Commit is valid during the call.
func EachCommit(ctx context.Context, s Source, o Options, ask func(*Commit) error) error {
	w, err := NewWorld(ctx, s, o)
	if err != nil {
		return err
	}
	defer w.Close()
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
		if i >= from && e.Kind() == event.KindCommit {
			if err := ask(&Commit{Place: i, Event: e, World: w}); err != nil {
				return fmt.Errorf("evaluate %s: %w", s.Name, err)
			}
		}
		if moved = append(moved, e); e.Kind() == event.KindRename {
			continue
		}
		if err := w.Learn(ctx, moved...); err != nil {
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
		if e.Kind() == event.KindCommit {
			n++
		}
	}
	skip := n - n/lastPart
	for i, e := range es {
		if e.Kind() == event.KindCommit {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	return len(es)
}
