package checkout

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// sketches are what the newest commits changed, of all checkouts: read from git in the background, and kept in a sealed
// file of the store. nil knows nothing.
type sketches struct {
	history.Sketches
	due     chan struct{} // holds a value when commits may have come; capacity 1
	changes atomic.Int64
}

func newSketches() *sketches { return &sketches{due: make(chan struct{}, 1)} }

// version grows when there is more to be known.
func (s *sketches) version() int64 {
	if s == nil {
		return 0
	}
	return s.changes.Load()
}

func (s *sketches) known() *history.Sketches {
	if s == nil {
		return nil
	}
	return &s.Sketches
}

// sketchBatch is how many commits one process of git reads: some 0.2 s, after which as much time is left to others.
const sketchBatch = 100

// RunSketches reads what commits changed whenever there may be new ones, the newest first.
func (t *Set) RunSketches(ctx context.Context) error {
	t.readSketches()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.sketches.due:
		}
		if err := t.sketch(ctx); err != nil && ctx.Err() == nil {
			t.Info.Warn("what commits changed is not known", "err", err)
		}
	}
}

// sketch reads what the newest commits of all checkouts changed, and writes what is new.
func (t *Set) sketch(ctx context.Context) error {
	begin, read := t.Now(), 0
	var all []string
	for _, w := range t.All() {
		commits, err := w.History(ctx)
		if err != nil {
			return err
		}
		newest := commits.Newest(history.MaxSketched)
		all = append(all, newest...)
		var missing []string
		for _, id := range newest {
			if !t.sketches.Has(id) {
				missing = append(missing, id)
			}
		}
		if len(missing) > 0 {
			t.sketches.Keep(all) // makes room
		}
		for len(missing) > 0 {
			n := min(len(missing), sketchBatch)
			batch := t.Now()
			if err := w.Repo.Sketches(ctx, missing[:n], func(id string, files []index.FileSketch) error {
				t.sketches.Add(id, files)
				return nil
			}); err != nil {
				return err
			}
			if missing, read = missing[n:], read+n; len(missing) > 0 && !schedule.Pause(ctx, t.Now().Sub(batch)) {
				return nil
			}
		}
	}
	if read == 0 {
		return nil
	}
	t.sketches.changes.Add(1)
	for _, w := range t.All() { // now, rather than at the next question; and what the log does not have is dropped
		if _, err := w.History(ctx); err != nil {
			return err
		}
	}
	t.Info.Info("what commits changed is known", "commits", read, "took", t.Now().Sub(begin).Round(time.Millisecond))
	return t.writeSketches()
}

// sketchesFile is in the store.
func (t *Set) sketchesFile() cold.SealedFile {
	return cold.SealedFile{Name: filepath.Join(t.Settings.Store, "sketches"), Seal: t.Seal}
}

// readSketches takes in what was written. What cannot be read is read from git again.
func (t *Set) readSketches() {
	data, err := t.sketchesFile().Read()
	if err == nil {
		err = t.sketches.UnmarshalBinary(data)
	}
	switch {
	case err == nil:
		t.sketches.changes.Add(1)
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, cold.ErrLostKey):
		t.Info.Warn("what commits changed is read again", "err", err)
	}
}

func (t *Set) writeSketches() error {
	if t.Store.Replaced() {
		return nil
	}
	return t.sketchesFile().Write(func(to io.Writer) error {
		data, err := t.sketches.MarshalBinary()
		if err == nil {
			_, err = to.Write(data)
		}
		return err
	})
}

// forgetSketches drops what commits changed in a file, or in the files of a folder.
func (t *Set) forgetSketches(p event.Path) error {
	t.sketches.Forget(p)
	t.sketches.changes.Add(1)
	return t.writeSketches()
}
