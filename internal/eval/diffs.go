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

// Diffs holds the differences of the newest commits of a history, for a replay that learns one
// commit after the other. The zero value has none.
type Diffs struct {
	Known history.Sketches // of the learned commits, as many as a daemon remembers

	commits map[string][]index.FileSketch // by the ID of the commit's event
	learned []string
}

// ReadDiffs reads the differences of the commits among the newest events, which takes about 2 ms
// each. The result is empty if the source has no clone; a partial clone has few of them.
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
		err = nil // a partial clone: the daemon keeps what it has read, too
	}
	return d, err
}

// readers is how many git processes read at the same time.
const readers = 4

// Of returns the differences of a commit, by the names that its files have after it.
func (d *Diffs) Of(e event.Event) map[event.Path]index.Sketch {
	out := map[event.Path]index.Sketch{}
	for _, f := range d.commits[e.ID] {
		out[f.File] = f.Sketch
	}
	return out
}

// Learn adds the differences of a commit to Known. Call it before the commit is added to the
// history. The oldest differences are dropped when there are too many.
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
