package watcher

import (
	"context"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// askAtEnd limits the time for asking git after Run was asked to end.
const askAtEnd = 2 * time.Second

// loop calls step whenever something was reported or became due, and calls beat at regular
// intervals. A step that has begun when ctx ends is completed, because it has already taken the
// changes that it asks git about.
func (w *Watcher) loop(ctx context.Context) error {
	asking, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(askAtEnd, stop) })()
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	timer := time.NewTimer(beatEvery)
	defer timer.Stop()
	for ctx.Err() == nil {
		if at, ok := w.due(); ok {
			timer.Reset(max(at.Sub(w.o.Now()), 0))
		} else {
			timer.Stop()
		}
		var err error
		select {
		case <-ctx.Done():
			continue
		case <-w.in.wake:
		case <-timer.C:
		case <-beat.C:
			err = w.beat(asking)
		}
		if err == nil {
			err = w.step(asking)
		}
		if err != nil {
			return err
		}
	}
	w.finish(asking)
	return nil
}

// due returns when step has to be called next.
func (w *Watcher) due() (at time.Time, ok bool) {
	w.in.mu.Lock()
	defer w.in.mu.Unlock()
	soonest := func(t time.Time, is bool) {
		if is && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	in := w.in
	soonest(in.saves.due())
	soonest(in.headAt.Add(w.o.Quiet), !in.headAt.IsZero() && len(in.saves.pending) == 0)
	soonest(in.lostAt.Add(atMost), !in.lostAt.IsZero())
	if ok && at.Before(in.git.until) {
		at = in.git.until
	}
	soonest(w.mayReconcile(nudgeEvery), in.nudged)
	return at, ok
}

// step does everything that is due: first the folders, so that no file in a new folder is missed,
// then HEAD, then the files.
func (w *Watcher) step(ctx context.Context) error {
	if err := w.goneOr(nil); err != nil {
		return err
	}
	at := w.o.Now()
	rules := w.applyMoves(at)
	due := w.take(at, exists(filepath.Join(w.repo.GitDir, "index.lock")))
	if due.lost {
		w.o.Log.Info("file watch reports were lost: reading every folder")
		w.readAgain(at)
	}
	if due.status {
		w.reconcile(ctx)
	}
	head := due.head
	var batch []event.Event
	w.headMoved = false
	if head {
		batch = w.checkHead(ctx, at)
	}
	var listed []event.Path
	if rules || w.rulesIn(due.saves) || w.headMoved && w.polling() { // git may have brought rules and files
		listed = w.reload(ctx)
		head = true // the owner reads the list of files again
	}
	batch = append(batch, w.resolve(ctx, due.saves, due.by, at)...)
	if len(batch) > 0 {
		if err := w.goneOr(nil); err != nil {
			return err // the files were deleted together with the repository
		}
		w.emit(batch)
	}
	if len(listed) > 0 { // after resolve, because enter records files that it has not seen before
		if err := w.enter(ctx, listed, at.Add(-atMost)); err != nil {
			w.o.Log.Debug("reading folders after a change of ignore rules", "error", err)
		}
	}
	if head {
		w.head()
	}
	return nil
}

// dueNow is what a step has to do.
type dueNow struct {
	lost   bool         // reports were lost: read every folder
	status bool         // a hook asks for a reconciliation
	head   bool         // read HEAD
	saves  []event.Path // files that may have been saved or deleted
	by     writer       // who may have written them
}

// take removes from the queue what is due. lock tells whether index.lock exists. While git is working,
// changes have to wait.
//
// HEAD is read together with files that git may have written, in whatever order they were reported,
// because only a move of HEAD distinguishes files that git brought from files that it put back.
func (w *Watcher) take(at time.Time, lock bool) (d dueNow) {
	in := w.in
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.nudged && !at.Before(w.mayReconcile(nudgeEvery)) {
		in.nudged, d.status = false, w.polling()
	}
	if in.git.look(lock, in.saves.last, at) {
		return d
	}
	if d.lost = !in.lostAt.IsZero() && !at.Before(in.lostAt.Add(atMost)); d.lost {
		in.lostAt = time.Time{}
	}
	d.by, d.saves = in.writer(at), in.saves.take(at)
	left := len(in.saves.pending) > 0
	in.found = in.found && left
	moved := !in.headAt.IsZero() && !at.Before(in.headAt.Add(w.o.Quiet)) && (len(d.saves) > 0 || !left)
	if moved {
		in.headAt = time.Time{}
	}
	d.head = moved || len(d.saves) > 0 && d.by != people
	return d
}

// finish emits the waiting changes when Run ends, and looks for those that were never reported if
// git is quick. It asks git about those that git may have written.
func (w *Watcher) finish(ctx context.Context) {
	at := w.o.Now()
	w.applyMoves(at)
	if w.polling() && w.took < askAtEnd {
		w.reconcile(ctx)
	}
	w.in.mu.Lock()
	by := w.in.writer(at)
	saves := w.in.saves.all()
	w.in.mu.Unlock()
	batch := w.resolve(ctx, saves, by, at)
	if len(batch) > 0 && w.goneOr(nil) == nil {
		w.emit(batch)
	}
}

// beat checks for changes that are never reported: HEAD, and files that are polled.
func (w *Watcher) beat(ctx context.Context) error {
	if err := w.goneOr(nil); err != nil {
		return err
	}
	at := w.o.Now()
	ref, oid, err := w.repo.Head(ctx)
	opened := false
	for path, d := range w.nested {
		if d.opaque && !isRepo(w.abs(path)) { // its .git was removed, so its files are this repository's
			d.opaque, opened = false, true
		}
		if !d.opaque {
			delete(w.nested, path)
		}
	}
	w.in.mu.Lock()
	w.in.rules = w.in.rules || opened
	if err == nil && ref+" "+oid != w.seen && w.in.headAt.IsZero() {
		w.in.headAt = at
	}
	w.in.mu.Unlock()
	if w.polling() && !at.Before(w.mayReconcile(reconcileEvery)) {
		w.reconcile(ctx)
	}
	return nil
}

// checkHead compares HEAD with its last known state. Switching to another branch is one event.
// During a rebase HEAD is detached and comes back, which does not count as a switch.
func (w *Watcher) checkHead(ctx context.Context, at time.Time) []event.Event {
	ref, oid, err := w.repo.Head(ctx)
	if err != nil {
		w.o.Log.Debug("read HEAD", "error", err)
		return nil
	}
	w.headMoved = !strings.HasSuffix(w.seen, " "+oid)
	w.seen = ref + " " + oid
	if ref == w.ref || rebasing(w.repo.GitDir) {
		return nil
	}
	w.ref = ref
	return []event.Event{branchEvent(ref, oid, at)}
}

// mayReconcile returns the earliest time of the next reconciliation: after the last one, and after
// a pause of several times its duration, so that a slow `git status` does not run all the time.
func (w *Watcher) mayReconcile(every time.Duration) time.Time {
	return w.reconciled.Add(max(every, (statusShare-1)*w.took))
}

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

// reload applies changed ignore rules: it forgets what is ignored now, and returns the files that are
// not ignored, among which may be new ones. If git cannot list them, it returns nil.
func (w *Watcher) reload(ctx context.Context) []event.Path {
	w.repo.loadRules()
	files, err := w.repo.Files(ctx)
	if err != nil {
		w.o.Log.Debug("listing files after a change of ignore rules", "error", err)
		w.in.mu.Lock()
		w.in.rules = true // the next step tries again
		w.in.mu.Unlock()
		return nil
	}
	listed := setOf(files)
	for _, path := range w.folders() {
		d := w.tree.find(path)
		if d == nil {
			continue
		}
		for name := range d.files {
			if p := event.Path(slashpath.Join(path, name)); !listed[p] && w.repo.Ignored(p) {
				delete(d.files, name)
			}
		}
		if path != "" && len(d.files) == 0 && w.repo.ignoredDir(path) {
			w.unwatch(path, d)
		}
	}
	w.tree.prune()
	return files
}
