package watcher

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxPolled bounds the folders that are read every beat: about 5 ms for 128 folders of 20 files.
const maxPolled = 128

// sparse reports whether some folders are not watched.
func (w *Watcher) sparse() bool {
	return w.polling || w.partial.Load() || w.activeOnly && w.watched.Load() < w.known.Load()
}

// pollActive reads the unwatched folders with the most recent work. What it finds may be git's.
func (w *Watcher) pollActive(at time.Time) {
	if w.activeOnly && !w.full {
		return // active folders are watched
	}
	type candidate struct {
		path string
		d    *dir
	}
	var some []candidate
	w.tree.each("", func(path string, d *dir) {
		if !d.watched && !d.opaque && (path == "" || at.Sub(d.active) < activeFor) {
			some = append(some, candidate{path, d})
		}
	})
	slices.SortFunc(some, func(a, b candidate) int {
		return cmp.Or(b.d.active.Compare(a.d.active), cmp.Compare(a.path, b.path))
	})
	for _, c := range some[:min(len(some), maxPolled)] {
		w.scan(c.path, c.d, scanMode{at: at, maybeGit: true})
	}
}

// reconcile finds changes in folders that are not watched: files that differ from the index and from what is known.
// Then it watches more folders if it can.
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
		if d == nil && w.tree.foreign(p.Dir()) {
			continue
		}
		if d != nil {
			d.active = at // the folder of uncommitted work is among those that are watched next
		}
		w.in.touch(p, true, at)
	}
	w.full = false
	w.maxWatches = w.watchLimit()
	w.watchGitFolders()
	w.watchActive(at)
	if !w.full && !w.polling {
		w.partial.Store(false)
		w.shortage.Store(nil)
		w.warned = false
	}
	w.known.Store(int64(len(w.folders())))
}

// watchActive watches the folders with recent work, as far as there are watches. Where a watch costs file descriptors
// it ends those of folders without recent work.
func (w *Watcher) watchActive(at time.Time) {
	if w.polling {
		return
	}
	for _, path := range w.folders() {
		d := w.tree.find(path)
		if d == nil {
			continue
		}
		switch idle := at.Sub(d.active) > activeFor; {
		case idle && w.activeOnly && path != "":
			w.unwatch(path, d)
		case !d.watched:
			if w.watch(path, d); d.watched {
				w.scan(path, d, scanMode{at: at, maybeGit: true})
			}
		}
	}
}

// isRules reports whether a file of that name holds ignore rules.
func isRules(base string) bool {
	return base == ".gitignore" || base == ".gitattributes" || base == ".aoaignore"
}

func (w *Watcher) rulesIn(paths []event.Path) bool {
	return slices.ContainsFunc(paths, func(p event.Path) bool { return isRules(p.Base()) })
}

// reloadRules reads the ignore rules again.
func (w *Watcher) reloadRules() {
	w.repo.loadRules()
	w.in.mu.Lock()
	clear(w.in.muted)
	w.in.mu.Unlock()
}

// reload applies changed ignore rules: folders that are ignored now are forgotten, those that are no longer ignored are
// entered.
func (w *Watcher) reload(ctx context.Context) {
	w.reloadRules()
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
