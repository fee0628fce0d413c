package watcher

import (
	"context"
	"errors"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// scanMode tells how a folder is compared with its last known state.
type scanMode struct {
	at     time.Time
	record bool // record what is there and was not seen before, and report it only if it changed after since
	since  time.Time
	was    *rules // if not nil, only what these ignored is recorded; what they did not ignore is new
	found  bool   // no report tells who wrote the new files
	deep   bool   // include the known folders below
}

// begin reads the worktree: it watches git's folders first, then those that have files. Each folder
// is read after its watch is set, so that no change is missed.
func (w *Watcher) begin(ctx context.Context) error {
	ref, oid, err := w.repo.Head(ctx)
	if err != nil {
		return err
	}
	w.ref, w.seen = ref, ref+" "+oid
	for _, dir := range gitFolders(w.repo) {
		w.watchGit(dir)
	}
	return w.enter(ctx, w.o.Files(), w.start)
}

// enter adds files and their folders to the known ones and reads them. It reports what changed
// after since, and what is new and was not ignored by the rules of the last call, unless git changed
// it. A file that was moved in may be found before it is reported, and is as old as it was.
func (w *Watcher) enter(ctx context.Context, files []event.Path, since time.Time) error {
	for _, p := range files {
		d := w.tree.makeDir(p.Dir())
		if _, had := d.files[p.Base()]; !had {
			d.files[p.Base()] = stamp{size: unknownSize}
		}
	}
	w.tree.each("", w.watch)
	h := scanMode{at: w.o.Now(), record: true, since: since, was: w.rules, found: true}
	w.rules = w.repo.ruleset()
	for _, path := range w.folders() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d := w.tree.find(path); d != nil {
			w.scan(path, d, h)
		}
	}
	return nil
}

// folders returns all known folders, parents first.
func (w *Watcher) folders() []string {
	var out []string
	w.tree.each("", func(path string, _ *dir) { out = append(out, path) })
	return out
}

// watch watches a folder if there are enough watches for it.
func (w *Watcher) watch(path string, d *dir) {
	if d.watched || d.opaque || w.polling() {
		return
	}
	if w.maxWatches > 0 && w.watches+cost(d) > w.maxWatches {
		w.exhausted(errMaxWatches)
		return
	}
	err := w.src.add(w.abs(path))
	switch {
	case err == nil:
		d.watched = true
		w.watches += cost(d)
		w.watched.Add(1)
	case isFull(err):
		w.exhausted(err)
	case !errors.Is(err, fs.ErrNotExist):
		w.o.Log.Debug("watching a folder", "folder", path, "error", err)
	}
}

func (w *Watcher) unwatch(path string, d *dir) {
	if !d.watched {
		return
	}
	_ = w.src.remove(w.abs(path)) // fails if the system has already removed the watch
	d.watched = false
	w.watches = max(w.watches-cost(d), 0)
	w.watched.Add(-1)
}

// watchGit watches a folder of a git dir, even beyond maxWatches, because without it nothing that
// git does would be noticed.
func (w *Watcher) watchGit(dir string) {
	if w.polling() {
		return
	}
	switch err := w.src.add(dir); {
	case err == nil:
		w.watches++
	case isFull(err):
		w.exhausted(err)
	}
}

// exhausted polls all folders from now on, because there are no more watches.
func (w *Watcher) exhausted(err error) {
	hint := watchHint(err)
	w.poll(err.Error(), hint)
	w.tree.each("", func(_ string, d *dir) { d.watched = false })
	if w.src.close != nil {
		w.src.close()
	}
	w.o.Log.Warn("there are too few file watches: the worktree is polled instead", "error", err, "hint", hint)
}

func (w *Watcher) abs(path string) string { return w.repo.Root.Abs(event.Path(path)) }

// scan compares a folder with its last known state and touches the paths of files that differ.
func (w *Watcher) scan(path string, d *dir, h scanMode) {
	entries, err := os.ReadDir(w.abs(path))
	switch {
	case errors.Is(err, fs.ErrNotExist) && h.record: // its files are gone
	case errors.Is(err, fs.ErrNotExist):
		w.removeDir(path, h.found, h.at)
		return
	case err != nil:
		return
	}
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir() && name != ".git" && (d.subs[name] == nil || h.deep):
			w.addDir(slashpath.Join(path, name), h)
		case e.Type().IsRegular():
			there[name] = true
			w.scanFile(path, d, e, h)
		}
	}
	for name := range d.files {
		p := event.Path(slashpath.Join(path, name))
		switch {
		case there[name]:
		case h.record && w.unseen(d, p):
			delete(d.files, name)
		default:
			w.in.touch(p, h.found, h.at)
		}
	}
}

// unseen reports whether a file of the folder d was never looked at and no report of it waits. Only
// the state of such a file may be recorded without a comparison; else a save or a deletion is lost.
func (w *Watcher) unseen(d *dir, p event.Path) bool {
	old, had := d.files[p.Base()]
	return (!had || old.size == unknownSize) && !w.in.waits(p)
}

func (w *Watcher) scanFile(path string, d *dir, e fs.DirEntry, h scanMode) {
	old, had := d.files[e.Name()]
	fi, err := e.Info()
	if err != nil {
		return
	}
	now := stampOf(fi)
	p, err := event.NewPath(slashpath.Join(path, e.Name()))
	switch {
	case had && old.same(now) || err != nil:
	case h.record && fi.ModTime().Before(h.since) && w.unseen(d, p) && (h.was == nil || h.was.ignored(p)):
		// The second of tolerance is for file systems and clocks that lag behind. A change within
		// it is seen only if the system reports it.
		if fi.ModTime().Before(h.since.Add(-time.Second)) && (had || w.counts(p)) {
			d.files[e.Name()] = now
		}
	default:
		w.in.touch(p, h.found, h.at)
	}
}

// readAgain reads every folder after reports were lost. It watches all of them again, because a
// folder may have been moved or replaced.
func (w *Watcher) readAgain(at time.Time) {
	w.tree.each("", w.unwatch)
	for _, path := range w.folders() {
		if !isDir(w.abs(path)) {
			w.removeDir(path, true, at)
		}
	}
	w.watch("", w.tree)
	w.scan("", w.tree, scanMode{at: at, found: true, deep: true})
}

// addDir adds a new folder and the folders in it. It reads them after setting the watch, because
// files may have been created before that.
func (w *Watcher) addDir(path string, h scanMode) {
	if w.tree.foreign(path) {
		return
	}
	d := w.tree.find(path)
	if d == nil && w.repo.ignoredDir(path) && !isRepo(w.abs(path)) {
		return
	}
	if d == nil {
		d = w.tree.makeDir(path)
	}
	h.deep = true
	w.watch(path, d)
	if isRepo(w.abs(path)) { // if its .git was created before the watch, that is not reported
		w.forgetDir(path)
		return
	}
	w.scan(path, d, h)
}

// removeDir ends the watches of a folder that was removed or renamed, and of all folders below,
// because the system keeps watching inner folders under their old names. Files in it remain known
// until compareFile finds that they are gone.
func (w *Watcher) removeDir(path string, found bool, at time.Time) {
	up := w.tree.find(event.Path(path).Dir())
	if up == nil || up.subs[event.Path(path).Base()] == nil {
		return
	}
	d, nested := up.subs[event.Path(path).Base()], false
	d.each(path, func(path string, d *dir) {
		w.unwatch(path, d)
		nested = nested || d.opaque
		d.opaque = false
		for name := range d.files {
			w.in.touch(event.Path(slashpath.Join(path, name)), found, at)
		}
	})
	w.tree.prune()
	if nested {
		w.repo.loadRules() // they ignore other repositories
	}
}

// forgetDir forgets a folder that turns out to be another repository. `git init`, `clone` and
// `worktree add` create the folder before its .git.
func (w *Watcher) forgetDir(path string) {
	d := w.tree.find(path)
	if d == nil || path == "" {
		return
	}
	d.each(path, w.unwatch)
	clear(d.files)
	clear(d.subs)
	d.opaque = true
	w.nested[path] = d
}

// applyMoves handles created, renamed and removed paths in order. It reports whether ignore rules
// changed.
func (w *Watcher) applyMoves(at time.Time) (rules bool) {
	w.in.mu.Lock()
	moves := w.in.moves
	rules = w.in.rules
	w.in.moves, w.in.rules = nil, false
	w.in.mu.Unlock()
	if rules {
		w.repo.loadRules()
	}
	for _, m := range moves {
		switch {
		case m.git:
			for _, dir := range foldersBelow(m.path) {
				w.watchGit(dir)
			}
		case m.gone:
			if m.path != "" {
				w.removeDir(m.path, false, at)
			}
		case event.Path(m.path).Base() == ".git":
			w.forgetDir(event.Path(m.path).Dir())
		case isRules(event.Path(m.path).Base()):
			w.repo.loadRules()
			rules = true
		case isDir(w.abs(m.path)):
			w.addDir(m.path, scanMode{at: at, found: w.in.gitAt(m.at)}) // git may have ended long before this step
		}
	}
	return rules
}

// gitFolders lists the folders of git dirs that are watched, if they exist: the git dirs themselves,
// the refs below heads and origin, the reflog of HEAD, the ignore rules in info, and the git dirs of
// other worktrees. Objects and hooks are not watched.
func gitFolders(r *Repo) []string {
	trees := filepath.Join(r.CommonDir, "worktrees")
	out := append(slices.Compact([]string{r.GitDir, r.CommonDir}), filepath.Join(r.GitDir, "logs"),
		filepath.Join(r.CommonDir, "info"), trees)
	for _, name := range []string{"refs/heads", "refs/remotes/origin", "reftable"} {
		out = append(out, foldersBelow(filepath.Join(r.CommonDir, filepath.FromSlash(name)))...)
	}
	names, _ := os.ReadDir(trees)
	for _, n := range names {
		if dir := filepath.Join(trees, n.Name()); n.IsDir() && dir != r.GitDir {
			out = append(out, dir)
		}
	}
	return out
}

// foldersBelow lists a folder and all folders in it; the list is empty if it does not exist.
// Symlinks are not followed.
func foldersBelow(root string) []string {
	var out []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			out = append(out, path)
		}
		return nil // the folder was removed meanwhile
	})
	return out
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir()
}
