package watcher

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// reconcile finds changes where nothing is watched: files that differ from the index and from their
// last known state.
func (w *Watcher) reconcile(ctx context.Context) {
	at := w.o.Now()
	differ, err := w.differing(ctx)
	w.reconciled = w.o.Now()
	w.took = w.reconciled.Sub(at)
	if err != nil {
		w.o.Log.Debug("reconciling with git status", "error", err)
	}
	for p := range differ {
		if !w.tree.foreign(p.Dir()) {
			w.in.touch(p, true, at)
		}
	}
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
