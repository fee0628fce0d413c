package eval

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/watcher"
)

// Diffs are what the newest commits of a history changed, for a replay that learns one commit after
// the other. The zero value knows nothing.
type Diffs struct {
	Known history.Sketches // of the commits that were learned, as many as a daemon knows

	commits map[string][]index.FileSketch // by the id of a commit's event
	learned []string
}

// ReadDiffs reads what the newest events changed, those that are commits. It takes some 2 ms for
// each. Without a clone, and in one that lacks what many commits changed, nothing is known.
func ReadDiffs(ctx context.Context, s Source, newest int) (*Diffs, error) {
	d := &Diffs{}
	if s.Clone == nil {
		return d, nil
	}
	var ids []string
	for _, e := range s.Commits[max(0, len(s.Commits)-newest):] {
		if id, ok := strings.CutPrefix(e.ID, "commit:"); ok && e.Kind() == event.KindCommit {
			ids = append(ids, id)
		}
	}
	d.commits = map[string][]index.FileSketch{}
	var mu sync.Mutex // guards d.commits
	all, ctx := errgroup.WithContext(ctx)
	for part := range slices.Chunk(ids, max(1, (len(ids)+readers-1)/readers)) {
		all.Go(func() error {
			return watcher.ReadSketches(ctx, git.Find(s.Clone.Env), s.Clone.Dir, part,
				func(id string, files []index.FileSketch) error {
					mu.Lock()
					defer mu.Unlock()
					d.commits["commit:"+id] = files
					return nil
				})
		})
	}
	err := all.Wait()
	if git.ExitCode(err) > 0 {
		return &Diffs{}, nil // a partial clone: the daemon knows nothing, either
	}
	return d, err
}

// readers is how many processes of git read at once.
const readers = 4

// Of is what a commit changes, by the names that its files have after it.
func (d *Diffs) Of(e event.Event) map[event.Path]index.Sketch {
	out := map[event.Path]index.Sketch{}
	for _, f := range d.commits[e.ID] {
		out[f.File] = f.Sketch
	}
	return out
}

// Learn makes what a commit changed known, before the commit is added to the history. The oldest
// make room.
func (d *Diffs) Learn(e event.Event) {
	files, read := d.commits[e.ID]
	if !read {
		return
	}
	id := strings.TrimPrefix(e.ID, "commit:")
	if d.learned = append(d.learned, id); !d.Known.Add(id, files) {
		d.Known.Keep(d.learned[max(0, len(d.learned)-history.MaxSketched*3/4):])
		d.Known.Add(id, files)
	}
}
