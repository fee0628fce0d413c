package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session/live"
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
	branch   atomic.Pointer[readBranch] // nil: to be read
	brief    atomic.Bool                // the list of files is that of the index: the disk was not read yet
}

// worktrees are the checkouts that somebody has called from, and the one that the daemon was started in.
type worktrees struct {
	base
	home      *watcher.Repo
	env       []string
	db        *cold.DB
	hot       *hot.Store
	live      *live.Sessions
	first     *prefetch.Prefetcher // of the home checkout; the others share its state
	seal      *cold.Seal
	gone      func() bool // the store has been replaced; set before run
	events    *eventLog
	headMoved chan struct{} // HEAD may have moved; capacity 1
	stop      context.CancelCauseFunc

	arrivals chan *worktree // new checkouts, for run
	opening  singleflight.Group

	mu     sync.Mutex // guards what follows
	known  map[event.Root]*worktree
	places map[string]*worktree // folder of a caller → its checkout; a cache

	submodules map[string]*watcher.Repo // folder → its repository, nil for a clone that is no submodule; a cache
}

// newWorktrees fills in what no other part gives.
func newWorktrees(t *worktrees) *worktrees {
	t.arrivals, t.known, t.places, t.submodules = make(chan *worktree, maxWorktrees), map[event.Root]*worktree{},
		map[string]*worktree{}, map[string]*watcher.Repo{}
	return t
}

// newRanker makes the ranker of a checkout.
func newRanker(w *worktree, store *hot.Store, sessions *live.Sessions, db *cold.DB) *rank.Ranker {
	return rank.New(store, sessions, w.tree.Load, rank.Options{Together: db.Together, Lately: db.TogetherSince,
		Contents: w.reader.Contents,
		Read:     w.reader.Text})
}

// of returns the checkout of that repository and makes it known when it is new.
func (t *worktrees) of(ctx context.Context, r *watcher.Repo) *worktree {
	if w := t.find(r.Root); w != nil {
		return w
	}
	// The first calls from a new checkout arrive together: one of them lists its files.
	made, _, _ := t.opening.Do(string(r.Root), func() (any, error) {
		if w := t.find(r.Root); w != nil {
			return w, nil
		}
		w := &worktree{repo: r, reader: index.NewReader(r.Root)}
		w.ranker = newRanker(w, t.hot, t.live, t.db)
		w.refresh(context.WithoutCancel(ctx), t.log)
		return t.enter(w), nil
	})
	return made.(*worktree)
}

// find returns the checkout with that root, nil if it is not known.
func (t *worktrees) find(root event.Root) *worktree {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[root]
}

// enter makes a checkout known that has its ranker and its list of files. Of two of the same the first stays.
func (t *worktrees) enter(w *worktree) *worktree {
	w.prefetch = t.first.For(w.ranker, w.archive(t.db))
	w.reader.Keep(t.contentsFile(w.repo.Root), t.alert)
	w.watch = watcher.NewWatcher(w.repo, t.watchOptions(w))
	t.mu.Lock()
	defer t.mu.Unlock()
	if other, known := t.known[w.repo.Root]; known {
		return other
	}
	t.known[w.repo.Root] = w
	select {
	case t.arrivals <- w:
	default: // more worktrees than anyone has: they answer, but saves and contents in them are not seen
		w.reader.Skip()
	}
	return w
}

// all are the checkouts that are known.
func (t *worktrees) all() []*worktree {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.known))
}

// refresh reads the lists of files again where that is needed: everywhere, or only where the list is brief.
func (t *worktrees) refresh(ctx context.Context, onlyBrief bool) {
	for _, w := range t.all() {
		if !onlyBrief || w.brief.Load() {
			w.refresh(ctx, t.log)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.places) // worktrees may have come and gone
	clear(t.submodules)
}

// at finds the checkout that holds dir; the one that the daemon was started in when dir is "" or elsewhere. A folder is
// looked up on disk once: a nested worktree (.worktrees/x) lies within another one.
func (t *worktrees) at(ctx context.Context, dir string) *worktree {
	t.mu.Lock()
	home := t.known[t.home.Root]
	w, known := t.places[dir]
	if !known {
		w, known = t.known[event.Root(dir)]
	}
	t.mu.Unlock()
	switch {
	case dir == "":
		return home
	case known:
		return w
	}
	w = home
	for at := dir; ; { // a submodule and a clone lie in a checkout
		r, err := watcher.OpenRepo(ctx, at, t.env)
		if err != nil {
			break
		}
		if r.CommonDir == t.home.CommonDir {
			w = t.of(ctx, r)
			break
		}
		up := filepath.Dir(string(r.Root))
		if up == string(r.Root) {
			break
		}
		at = up
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.places) >= maxPlaces {
		clear(t.places)
	}
	t.places[dir] = w
	return w
}

// caller is the checkout from which a request came.
func (t *worktrees) caller(ctx context.Context) *worktree { return t.at(ctx, api.CallerDir(ctx)) }

// Bounds of what is kept of callers.
const (
	maxPlaces    = 1024 // folders
	maxWorktrees = 64   // checkouts whose saves are seen
)

// savesAtMost is when a burst of saves is reported at the latest.
const savesAtMost = 2 * time.Second

// bigIndex is the size in bytes of an index beyond which a start does not wait for git to check every file and folder:
// some 20,000 files.
const bigIndex = 2 << 20

// newPrefetcher makes the Prefetcher whose state all checkouts share. first is the threshold that held when the log
// began.
func newPrefetcher(b base, store *hot.Store, sessions *live.Sessions, r *rank.Ranker, first float64,
	seed string) *prefetch.Prefetcher {
	return prefetch.New(store, sessions, r, prefetch.Options{
		Threshold: func() float64 { return b.settings.get().Threshold },
		List:      func() float64 { return b.settings.get().ListThreshold },
		First:     func() float64 { return first }, Seed: seed,
		Holdout: func() float64 { return b.settings.get().Holdout },
		Tokens:  func() int { return b.settings.get().SessionTokens },
		Kinds:   b.settings.on})
}

// readFirst reads the list of files for the first answers. In a large checkout it is what git tracks; the whole list
// follows when the history is first read.
func (w *worktree) readFirst(ctx context.Context, log *slog.Logger) {
	if idx, err := os.Stat(filepath.Join(w.repo.GitDir, "index")); err == nil && idx.Size() > bigIndex {
		if files, err := w.repo.Tracked(ctx); err == nil {
			w.brief.Store(true)
			w.list(files)
			return
		}
	}
	w.refresh(ctx, log)
}

// refresh reads the list of files again.
func (w *worktree) refresh(ctx context.Context, log *slog.Logger) {
	files, err := w.repo.Files(ctx)
	if err != nil {
		if ctx.Err() == nil {
			log.Warn("git does not list the files", "root", string(w.repo.Root), "err", err)
		}
		if w.tree.Load() != nil {
			return // the old list is better than none
		}
		files = w.walk()
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
	w.branch.Store(nil)
}

// walk finds the files on disk, for a repository that git cannot read: what was learned of them still holds.
func (w *worktree) walk() (files []event.Path) {
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
		case len(files) >= maxWalked:
			return fs.SkipAll
		}
		if e.Type().IsRegular() && !w.repo.Ignored(p) {
			files = append(files, p)
		}
		return nil
	})
	return files
}

// maxWalked bounds the files that walk finds.
const maxWalked = 100_000

// hookRepo is what decoding needs to know of this checkout.
func (t *worktrees) hookRepo(w *worktree) hooks.Repo {
	return hooks.Repo{Root: w.repo.Root, Roots: *w.siblings.Load(), Tree: w.tree.Load(), Now: t.now,
		Ignored: func(p event.Path) bool { return w.repo.Ignored(p) && t.ignoredInSubmodule(w, p) },
		Tags:    hooks.TagRules(t.settings.get().Tags)}
}

// ignoredInSubmodule reports whether an ignored path must not enter the log: files of a submodule, which the checkout
// ignores as a whole, do enter unless the submodule's own rules ignore them.
func (t *worktrees) ignoredInSubmodule(w *worktree, p event.Path) bool {
	folder := w.repo.Nested(p)
	if folder == "" {
		return true
	}
	root := w.repo.Root.Abs(event.Path(folder))
	t.mu.Lock()
	sub, known := t.submodules[root]
	t.mu.Unlock()
	if !known {
		r, err := watcher.OpenRepo(context.Background(), root, t.env)
		if err == nil && strings.HasPrefix(r.CommonDir, t.home.CommonDir+string(filepath.Separator)) {
			sub = r
		}
		t.mu.Lock()
		t.submodules[root] = sub
		t.mu.Unlock()
	}
	return sub == nil || sub.Ignored(p[len(folder)+1:])
}

func (t *worktrees) watchOptions(w *worktree) watcher.WatchOptions {
	cfg := t.settings.get()
	return watcher.WatchOptions{Quiet: cfg.Quiet, AtMost: savesAtMost, Now: t.now, Log: t.alert,
		Poll: cfg.Watch == "poll", Files: func() []event.Path { return w.tree.Load().All() }}
}

// run reads the files of each checkout as it becomes known, and watches them.
func (t *worktrees) run(ctx context.Context) error {
	t.sweepContents()
	g, ctx := errgroup.WithContext(ctx)
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case w := <-t.arrivals:
			g.Go(func() error {
				return w.reader.Run(ctx, w.tree.Load)
			})
			if t.settings.get().Watch == "off" {
				continue
			}
			g.Go(func() error {
				err := w.watch.Run(ctx, func(events []event.Event) { t.saved(w, events) }, func() { signal(t.headMoved) })
				switch {
				case errors.Is(err, watcher.ErrRepoGone) && w.repo.Root == t.home.Root:
					t.stop(errDeleted)
				case errors.Is(err, watcher.ErrRepoGone):
					t.drop(w)
				case err != nil && ctx.Err() == nil:
					t.alert.Warn("saves are not seen any more: aoa daemon stop, then aoa daemon start", "root", string(w.repo.Root),
						"err", err)
				}
				return nil
			})
		}
	}
}

// drop ends the life of a checkout that was removed; the repository is still there.
func (t *worktrees) drop(w *worktree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, w.repo.Root)
	clear(t.places)
	if err := t.contentsFile(w.repo.Root).Remove(); err != nil {
		t.log.Warn("the contents of its files are still in the store", "root", string(w.repo.Root), "err", err)
	}
	t.log.Info("worktree removed", "root", string(w.repo.Root))
}

// saved takes what a watcher saw: files enter and leave the tree at once, events go to the log.
func (t *worktrees) saved(w *worktree, events []event.Event) {
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
			signal(t.headMoved) // the event does not name the other files: the list is read again
		}
	}
	if !t.settings.paused() {
		t.events.Add(events...)
	}
}
