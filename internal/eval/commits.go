package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/prefetch"
)

// Questions are about the commits in the last quarter of the history. Only from commits with 2 to
// 30 files is a file left out.
const (
	leastFiles = 2
	mostFiles  = 30
	lastPart   = 4 // 1/lastPart of the history is asked about
)

// Commit is a commit that was not learned yet.
type Commit struct {
	Place int // index in the history
	Event event.Event

	Past *Past // what was known before the commit
}

// Loses reports whether questions with one file left out are asked about the commit.
func (c *Commit) Loses() bool {
	n := len(c.Event.Paths())
	return n >= leastFiles && n <= mostFiles
}

// Question returns the question about the commit without one of its files; without == "" leaves out
// none. Deleted files count as changed.
func (c *Commit) Question(without event.Path) event.Query {
	files := slices.DeleteFunc(slices.Concat(c.Event.Paths(), c.Event.Gone()),
		func(p event.Path) bool { return p == without })
	return event.Query{Task: event.TaskChange, Files: files, At: c.Event.Time, Limit: Listed}
}

// Options are the settings of a replay of commits. The zero value works.
type Options struct {
	Progress func(done, total int) // called from time to time with the number of learned events
	Learned  func(event.Event)     // called with every event when it is learned, in order
	Newest   int                   // ask only about this many of the newest events; 0: about all
	// read the differences of this many events before those, too; 0: of none
	Sketched int
	Unlisted bool // Changes finds only missing files: Place and Simple stay empty
	// the rules of the repository about files that may be missing; nil: no rules
	Rules func(context.Context, []prefetch.Lack) (change.Rules, error)
}

// EachCommit replays the history and calls ask for each commit that is asked about, before the
// commit is learned. The Commit is valid only during the call.
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
	var moved []event.Event // renames of the next commit, which is asked about before they are learned
	for i, e := range s.Commits {
		if o.Progress != nil && i%64 == 0 {
			o.Progress(i, len(s.Commits))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= from && e.Kind() == event.KindCommit {
			past.now, past.memo = past.diffs.Of(e), &history.Memo{}
			err := ask(&Commit{Place: i, Event: e, Past: past})
			if past.memo = nil; err != nil {
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

// lastQuarter returns the index of the event with which the newest fourth of all commits begins. If
// there are fewer than four commits, it returns len(es).
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
