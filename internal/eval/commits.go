package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// The commits that are asked about are those of the last quarter of history. One of their files is
// left out of those with 2 to 30 files.
const (
	leastFiles = 2
	mostFiles  = 30
	lastPart   = 4 // one over it is the share of history that is asked about
)

// Commit is a commit before it is learned.
type Commit struct {
	Place int // among the events of the history
	Event event.Event

	Past *Past // before the commit
}

// Loses reports whether the commit is one of those that are asked about without one of their files.
func (c *Commit) Loses() bool {
	n := len(c.Event.Paths())
	return n >= leastFiles && n <= mostFiles
}

// Question is what is asked about the commit while it is being made, without one of its files; "":
// with all. What it deletes is changed, too.
func (c *Commit) Question(without event.Path) event.Query {
	files := slices.DeleteFunc(slices.Concat(c.Event.Paths(), c.Event.Gone()), func(p event.Path) bool { return p == without })
	return event.Query{Task: event.TaskChange, Files: files, At: c.Event.Time, Limit: Listed}
}

// Options of a replay of commits. The zero value works.
type Options struct {
	Progress func(done, total int) // called now and then with the events learned
	Learned  func(event.Event)     // sees every event when it becomes known, in order
	Newest   int                   // only this many events are asked about, the newest; 0: all
	// for this many events before these it is also known what they changed; 0: for none
	Sketched int
	Unlisted bool // Changes finds only what is missing: Place, Listed and Simple stay empty
	// what the repository says of the files that are named as missing; nil: nothing
	Rules func(context.Context, []prefetch.Lack) (change.Rules, error)
}

// EachCommit replays the history and calls ask before a commit that is asked about is learned. The
// Commit is valid during the call.
func EachCommit(ctx context.Context, s Source, o Options, ask func(*Commit) error) error {
	past := NewPast()
	from := lastQuarter(s.Commits)
	if o.Newest > 0 {
		from = max(from, len(s.Commits)-o.Newest)
	}
	if o.Sketched > 0 {
		var err error
		if past.diffs, err = ReadDiffs(ctx, s, len(s.Commits)-from+o.Sketched); err != nil {
			return fmt.Errorf("evaluate %s: %w", s.Name, err)
		}
		past.commits.Sketches = &past.diffs.Known
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
			past.now = past.diffs.Of(e)
			if err := ask(&Commit{Place: i, Event: e, Past: past}); err != nil {
				return fmt.Errorf("evaluate %s: %w", s.Name, err)
			}
		}
		if moved = append(moved, e); e.Kind() == event.KindRename {
			continue
		}
		for _, e := range moved {
			past.Learn(e)
			if o.Learned != nil {
				o.Learned(e)
			}
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
	var commits []int
	for i, e := range es {
		if e.Kind() == event.KindCommit {
			commits = append(commits, i)
		}
	}
	if n := len(commits); n >= lastPart {
		return commits[n-n/lastPart]
	}
	return len(es)
}
