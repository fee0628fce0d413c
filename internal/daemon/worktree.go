package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/watcher"
)

// worktree is one checkout of the repository: its files, and a ranker that suggests no others. All checkouts
// share the stores.
type worktree struct {
	repo     *watcher.Repo
	tree     atomic.Pointer[index.Tree]
	siblings atomic.Pointer[[]event.Root] // the other checkouts
	ranker   *rank.Ranker
	prefetch *prefetch.Prefetcher
	watch    *watcher.Watcher
	reader   *index.Reader
	brief    atomic.Bool // the list of files is that of the index: nobody has looked at the disk yet
}

// worktree returns the checkout of that repo, making it known when it is new.
func (h *house) worktree(ctx context.Context, r *watcher.Repo) *worktree {
	h.mu.Lock()
	w, known := h.worktrees[r.Root]
	h.mu.Unlock()
	if known {
		return w
	}
	w = &worktree{repo: r, reader: index.NewReader(r.Root)}
	w.refresh(ctx, h)
	return h.enter(w)
}

// enter makes a checkout with its list of files known; of two of the same the first stays.
func (h *house) enter(w *worktree) *worktree {
	w.ranker = rank.New(h.hot, w.tree.Load, rank.Options{Together: h.db.Together,
		Contents: w.reader.Contents})
	if w.prefetch = h.prefetcher(w.ranker); h.settle != nil {
		w.prefetch = h.settle.For(w.ranker)
	}
	w.watch = watcher.NewWatcher(w.repo, h.watchOptions(w))
	h.mu.Lock()
	if other, known := h.worktrees[w.repo.Root]; known {
		w = other
	} else {
		h.worktrees[w.repo.Root] = w
		select {
		case h.arrivals <- w:
		default: // more worktrees than anyone has: they answer, but saves and contents in them are not seen
			w.reader.Skip()
		}
	}
	h.mu.Unlock()
	return w
}

// prefetcher makes the first worktree's; the others share its state.
func (h *house) prefetcher(r *rank.Ranker) *prefetch.Prefetcher {
	return prefetch.New(h.hot, r, prefetch.Options{Threshold: h.threshold, First: func() float64 { return h.firstThreshold }, Seed: repoID(h.o, *h.config()),
		Holdout: func() float64 { return h.config().Holdout },
		Tokens:  func() int { return h.config().SessionTokens },
		Kinds:   func(k prefetch.Kind) bool { on, known := h.config().Kinds[string(k)]; return on || !known }})
}

// at finds the checkout that holds dir; the one that the daemon was started in when dir is "" or elsewhere. A
// folder is looked up on disk once: a nested worktree (.worktrees/x) lies within another one.
func (h *house) at(ctx context.Context, dir string) *worktree {
	h.mu.Lock()
	home := h.worktrees[h.o.Repo.Root]
	w, known := h.places[dir]
	if !known {
		w, known = h.worktrees[event.Root(dir)]
	}
	h.mu.Unlock()
	switch {
	case dir == "":
		return home
	case known:
		return w
	}
	w = home
	if r, err := watcher.OpenRepo(ctx, dir, h.o.Env); err == nil && r.CommonDir == h.o.Repo.CommonDir {
		w = h.worktree(ctx, r)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.places) >= maxPlaces {
		clear(h.places)
	}
	h.places[dir] = w
	return w
}

// Bounds of what is kept of callers.
const (
	maxPlaces    = 1024 // folders
	maxWorktrees = 64   // checkouts whose saves are seen
)

// bigIndex is the size in bytes of an index beyond which a start does not wait for git to look at every file and folder:
// some 20,000 files.
const bigIndex = 2 << 20

// first reads the list of files for the first answers. In a large checkout it is what git tracks; the whole list follows
// with the first look at the history.
func (w *worktree) first(ctx context.Context, h *house) {
	if idx, err := os.Stat(filepath.Join(w.repo.GitDir, "index")); err == nil && idx.Size() > bigIndex {
		if files, err := w.repo.Tracked(ctx); err == nil {
			w.brief.Store(true)
			w.list(files)
			return
		}
	}
	w.refresh(ctx, h)
}

// refresh reads the list of files anew.
func (w *worktree) refresh(ctx context.Context, h *house) {
	files, err := w.repo.Files(ctx)
	if err != nil {
		if ctx.Err() == nil {
			h.o.Log.Warn("git does not list the files", "root", string(w.repo.Root), "err", err)
		}
		if w.tree.Load() != nil {
			return // the old list is better than none
		}
		files = w.look()
	}
	w.brief.Store(false)
	w.list(files)
}

// list makes the files those that may be suggested.
func (w *worktree) list(files []event.Path) {
	tree := index.NewTree(files)
	tree.Word("") // makes the index of words now, beside the snapshot, rather than in the first question
	w.tree.Store(tree)
	w.reader.Refresh()
	roots := w.repo.Worktrees()
	w.siblings.Store(&roots)
}

// look finds the files on disk, for a repository that git cannot read: what was learned of them still holds.
func (w *worktree) look() (files []event.Path) {
	_ = filepath.WalkDir(string(w.repo.Root), func(name string, e fs.DirEntry, err error) error {
		p, ok := w.repo.Root.Path(name)
		switch {
		case name == string(w.repo.Root):
			return nil
		case err != nil || !ok || e.IsDir() && w.repo.Ignored(p):
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case len(files) >= maxLooked:
			return fs.SkipAll
		}
		if e.Type().IsRegular() && !w.repo.Ignored(p) {
			files = append(files, p)
		}
		return nil
	})
	return files
}

// maxLooked bounds the files that look finds.
const maxLooked = 100_000

// hookRepo is what decoding needs to know of this checkout.
func (h *house) hookRepo(w *worktree) hooks.Repo {
	return hooks.Repo{Root: w.repo.Root, Roots: *w.siblings.Load(), Tree: w.tree.Load(), Now: h.o.Now,
		Ignored: w.repo.Ignored, Tags: hooks.TagRules(h.config().Tags)}
}

func (h *house) watchOptions(w *worktree) watcher.WatchOptions {
	cfg := h.config()
	return watcher.WatchOptions{Quiet: cfg.Quiet, AtMost: cfg.AtMost, Now: h.o.Now, Log: h.loud,
		Poll: cfg.Watch == "poll", Tracked: func() []event.Path { return w.tree.Load().All() }}
}

// watchers runs a watcher for each checkout as it becomes known.
func (h *house) watchers(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case w := <-h.arrivals:
			g.Go(func() error {
				return w.reader.Run(ctx, w.tree.Load)
			})
			if h.config().Watch == "off" {
				continue
			}
			g.Go(func() error {
				err := w.watch.Run(ctx, func(events []event.Event) { h.saved(w, events) }, func() { signal(h.look) })
				switch {
				case errors.Is(err, watcher.ErrRepoGone) && w.repo.Root == h.o.Repo.Root:
					h.stop(errDeleted)
				case errors.Is(err, watcher.ErrRepoGone):
					h.leave(w)
				case err != nil && ctx.Err() == nil:
					h.loud.Warn("saves are not seen any more: aoa stop, then aoa start", "root", string(w.repo.Root), "err", err)
				}
				return nil
			})
		}
	}
}

// leave forgets a checkout that was removed; the repository is still there.
func (h *house) leave(w *worktree) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.worktrees, w.repo.Root)
	clear(h.places)
	h.o.Log.Info("worktree removed", "root", string(w.repo.Root))
}

// saved takes what a watcher saw: files enter and leave the tree at once, events go to the journal.
func (h *house) saved(w *worktree, events []event.Event) {
	tree := w.tree.Load()
	for _, e := range events {
		switch e.Kind {
		case event.KindSave:
			tree.Add(e.Paths...)
		case event.KindDelete:
			tree.Remove(e.Paths...)
		case event.KindRename:
			tree.Remove(e.From...)
			tree.Add(e.Paths...)
		}
		w.reader.Update(e)
		if len(e.Paths) == event.MaxPaths {
			signal(h.look) // the event does not name the other files: the list is read anew
		}
	}
	if !h.paused() {
		h.journal.Add(events...)
	}
}
