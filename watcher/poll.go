package watcher

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// sparse reports whether there are folders that are not watched.
func (w *Watcher) sparse() bool {
	return w.polling || w.partial.Load()
}

// reconcile finds changes in folders that are not watched: files that differ from the index and
// from their last known state. Then it watches more folders if it can.
func (w *Watcher) reconcile(ctx context.Context) {
	at := w.o.Now()
	differ, err := w.differing(ctx)
	w.reconciled = w.o.Now()
	w.took = w.reconciled.Sub(at)
	if err != nil {
		w.o.Log.Debug("reconciling with git status", "error", err)
	}
	for p := range differ {
		d := w.tree.find(p.Dir())
		if d != nil && d.watched {
			continue
		}
		if d != nil || !w.tree.foreign(p.Dir()) {
			w.in.touch(p, true, at)
		}
	}
	w.full = false
	w.maxWatches = w.watchLimit()
	w.watchGitFolders()
	w.watchMore(at)
	if !w.full && !w.polling {
		w.partial.Store(false)
		w.shortage.Store(nil)
		w.warned = false
	}
	w.known.Store(int64(len(w.folders())))
}

// watchMore watches folders that are not watched yet, as long as there are watches left.
func (w *Watcher) watchMore(at time.Time) {
	w.tree.each("", func(path string, d *dir) {
		if d.watched || w.full || w.polling {
			return
		}
		w.watch(path, d)
		if d.watched {
			w.scan(path, d, scanMode{at: at, found: true})
		}
	})
}

// isRules reports whether a file of that name holds ignore rules.
func isRules(base string) bool {
	return base == ".gitignore" || base == ".aoaignore"
}

func (w *Watcher) rulesIn(paths []event.Path) bool {
	return slices.ContainsFunc(paths, func(p event.Path) bool { return isRules(p.Base()) })
}

// reload applies changed ignore rules: it forgets folders that are ignored now, and adds those that
// are no longer ignored.
func (w *Watcher) reload(ctx context.Context) {
	w.repo.loadRules()
	files, err := w.repo.Files(ctx)
	if err != nil {
		w.o.Log.Debug("listing files after a change of ignore rules", "error", err)
		return
	}
	listed := setOf(files)
	for _, path := range w.folders() {
		d := w.tree.find(path)
		if d == nil {
			continue
		}
		for name := range d.files {
			if p := event.Path(join(path, name)); !listed[p] && w.repo.Ignored(p) {
				delete(d.files, name)
			}
		}
		if path != "" && len(d.files) == 0 && w.repo.ignoredDir(path) {
			w.unwatch(path, d)
		}
	}
	w.tree.pruneBelow()
	if err := w.enter(ctx, files, w.o.Now().Add(-w.o.AtMost)); err != nil {
		w.o.Log.Debug("reading folders after a change of ignore rules", "error", err)
	}
}
