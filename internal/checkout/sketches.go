package checkout

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// sketches has the sketches of the newest commits, for all checkouts. They are read from git in the
// background, and kept in a sealed file of the store.
type sketches struct {
	history.Sketches
	due     schedule.Signal // there may be new commits
	changes atomic.Int64    // changes whenever more is known
	read    *schedule.Gate  // open once everything that can be read was read
	done    atomic.Int64    // number of commits that the present pass has read
	total   atomic.Int64    // number of commits that the present pass reads in all
}

// pending reports whether sketches of a history are still to be read. An answer about a change may
// then be different some seconds later.
func (s *sketches) pending(c *history.Commits) bool {
	return !s.read.IsOpen() && c.Len() > 0 && !c.Sketched()
}

// Sketching tells how many of the diffs of earlier commits have been read.
func (t *Set) Sketching() api.Progress {
	p := api.Progress{State: "running", Done: int(t.sketches.done.Load()), Total: int(t.sketches.total.Load())}
	switch {
	case t.sketches.read.IsOpen():
		p.State = "done"
	case p.Total == 0:
		p.State = "idle"
	}
	return p
}

// WaitForDiffs waits until the sketches of earlier commits have been read, as far as possible, or
// until the time is over.
func (w *Checkout) WaitForDiffs(ctx context.Context, most time.Duration) {
	if commits, err := w.History(ctx); err == nil && w.sketches.pending(commits) {
		w.sketches.read.Wait(ctx, most)
	}
}

func newSketches() *sketches {
	return &sketches{due: schedule.NewSignal(), read: schedule.NewGate()}
}

// sketchBatch is the number of commits that one git process reads. It takes some 0.2 s, after which
// there is a pause of the same length.
const sketchBatch = 100

// RunSketches reads the sketches of commits whenever there may be new ones, the newest first.
func (t *Set) RunSketches(ctx context.Context) error {
	t.readSketches()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.sketches.due:
		}
		err := t.sketch(ctx)
		if err != nil && ctx.Err() == nil {
			t.Info.Warn("the changes of earlier commits cannot be read: suggestions name no similar commits", "err", err)
		}
		if ctx.Err() == nil {
			t.sketches.read.Open() // No one should wait after an error.
		}
	}
}

// sketch reads the sketches of the newest commits in all checkouts, and writes new ones to disk. It
// asks for the list of commits before and after, because that also drops the sketches of commits
// that the log no longer has.
func (t *Set) sketch(ctx context.Context) error {
	begin := t.Now()
	missing, err := t.unsketched(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	t.sketches.done.Store(0)
	t.sketches.total.Store(int64(len(missing)))
	for batch := range slices.Chunk(missing, sketchBatch) {
		from, room := t.Now(), true
		err = t.Home.Sketches(ctx, batch, func(id string, files []index.FileSketch) error {
			room = t.sketches.Add(id, files)
			t.sketches.done.Add(1)
			return nil
		})
		// Without room for this one, there is no room for older ones either.
		if err != nil || !room || !schedule.Pause(ctx, t.Now().Sub(from)) {
			break
		}
	}
	t.sketches.changes.Add(1) // sketches that were read before an error count, too
	_, kept := t.unsketched(ctx)
	t.Info.Info("read the changes of earlier commits", "commits", len(missing), "took",
		t.Now().Sub(begin).Round(time.Millisecond))
	return errors.Join(err, kept, t.writeSketches())
}

// unsketched returns the newest commits of all checkouts that have no sketch, each once. Sketches
// of other commits are dropped.
func (t *Set) unsketched(ctx context.Context) (missing []string, err error) {
	newest := map[string]bool{}
	for _, w := range t.All() {
		commits, err := w.History(ctx)
		if err != nil {
			return nil, err
		}
		for _, id := range commits.Newest(history.MaxSketched) {
			if !newest[id] && !t.sketches.Has(id) {
				missing = append(missing, id)
			}
			newest[id] = true
		}
	}
	t.sketches.Keep(slices.Collect(maps.Keys(newest)))
	return missing, nil
}

// sketchesFile returns the file with the sketches in the store.
func (t *Set) sketchesFile() cold.SealedFile { return t.sealedFile("sketches") }

// readSketches reads stored sketches. Those that cannot be read are read from git again.
func (t *Set) readSketches() {
	data, err := t.sketchesFile().Read()
	if err == nil {
		err = t.sketches.UnmarshalBinary(data)
	}
	switch {
	case err == nil:
		t.sketches.changes.Add(1)
	case !errors.Is(err, fs.ErrNotExist):
		t.Info.Warn("the stored diffs of commits cannot be used and are read again", "err", err)
	}
}

func (t *Set) writeSketches() error {
	return t.sketchesFile().Write(func(to io.Writer) error {
		data, err := t.sketches.MarshalBinary()
		if err == nil {
			_, err = to.Write(data)
		}
		return err
	})
}

// forgetSketches deletes the sketches of a file, or of the files in a folder.
func (t *Set) forgetSketches(p event.Path) error {
	t.sketches.Forget(p)
	t.sketches.changes.Add(1)
	return t.writeSketches()
}
