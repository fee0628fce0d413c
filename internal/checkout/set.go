package checkout

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/schedule"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/watcher"
)

// Options are the options of NewSet. All are required.
type Options struct {
	Home     *watcher.Repo // the checkout in which the daemon was started
	Env      []string
	Settings *config.Settings
	Now      func() time.Time
	Info     *slog.Logger
	Alert    *slog.Logger // aoa status shows its warnings
	DB       *cold.DB
	Hot      *hot.Store
	Sessions *session.Sessions
	Prefetch *prefetch.Prefetcher // all checkouts share its state; it has no ranker
	Seal     *cold.Seal
	Replaced func() bool // whether another folder took the place of the store: nothing may then be written into it by name
	Events   Log
}

// Log is the event log.
type Log interface {
	// Add queues events and does not wait.
	Add(events ...event.Event)
	// Append logs events and returns how many were new.
	Append(ctx context.Context, events []event.Event) (fresh int, err error)
	// AppendHistory logs commits together with the cursor of the history, and returns when they are
	// applied.
	AppendHistory(ctx context.Context, events []event.Event, cursor map[string]string) error
	// Save writes the states that are computed from the log.
	Save(ctx context.Context) error
}

// Set has the checkouts from which clients have called, and the one in which the daemon was
// started. All share the stores. It is safe for concurrent use.
type Set struct {
	Options
	HeadMoved schedule.Signal // HEAD may have moved

	arrivals chan *Checkout // new checkouts, for Run
	folders  chan string    // folders with recorded sessions to import, for RunTranscripts; capacity 1
	imports  imports
	sketches *sketches
	opening  singleflight.Group

	mu     sync.Mutex // guards the fields below
	known  map[event.Root]*Checkout
	places map[string]*Checkout // by folder of a caller: its checkout; a cache

	sessions map[string]event.Root // by session: the root of the checkout in which it was last active

	// submodules has, by folder, its repository, nil for a clone that is not a submodule. It is a
	// cache.
	submodules map[string]*watcher.Repo
}

// NewSet returns a Set with one checkout.
func NewSet(o Options, home *Checkout) *Set {
	idle := api.Progress{State: "idle"}
	t := &Set{Options: o, HeadMoved: schedule.NewSignal(), arrivals: make(chan *Checkout, maxWorktrees),
		folders: make(chan string, 1), imports: imports{state: api.ImportAnswer{History: idle, Transcripts: idle}},
		sketches: newSketches(), known: map[event.Root]*Checkout{}, places: map[string]*Checkout{},
		submodules: map[string]*watcher.Repo{}}
	t.enter(home)
	return t
}

// open returns the checkout of a repository. It adds a new one to the set.
func (t *Set) open(ctx context.Context, r *watcher.Repo) *Checkout {
	if w := t.find(r.Root); w != nil {
		return w
	}
	// The first calls from a new checkout arrive together, so only one of them lists its files.
	made, _, _ := t.opening.Do(string(r.Root), func() (any, error) {
		if w := t.find(r.Root); w != nil {
			return w, nil
		}
		w := New(r)
		w.refresh(context.WithoutCancel(ctx), t.Info)
		t.enter(w)
		return w, nil
	})
	return made.(*Checkout)
}

// find returns the checkout with a root, nil if it is not known.
func (t *Set) find(root event.Root) *Checkout {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[root]
}

// enter adds a checkout that has its list of files.
func (t *Set) enter(w *Checkout) {
	// The tree may not know of a new file yet.
	w.edits = watcher.NewEdits(w.Repo, func(p event.Path) bool { return w.Tree().Has(p) || !w.Repo.Ignored(p) }, t.Now)
	w.sketches = t.sketches
	w.db, w.now, w.Ranker = t.DB, t.Now, w.newRanker(t)
	w.Prefetch = t.Prefetch.For(w.Ranker)
	w.Reader.Keep(t.contentsFile(w.Repo.Root), t.Alert)
	t.newWatcher(w, t.Settings.Last(), time.Time{})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[w.Repo.Root] = w
	select {
	case t.arrivals <- w:
	default: // more worktrees than people have: they get answers, but their saves and contents are not seen
		w.watcher.Store(nil)
		w.Reader.Skip()
	}
}

// All returns the known checkouts.
func (t *Set) All() []*Checkout {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.known))
}

// Refresh reads the lists of files again: of all checkouts, or only of those whose list is brief.
func (t *Set) Refresh(ctx context.Context, onlyBrief bool) {
	for _, w := range t.All() {
		if !onlyBrief || w.brief.Load() {
			w.refresh(ctx, t.Info)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.places) // worktrees may have been added or removed
	clear(t.submodules)
}

// At returns the checkout that contains dir. It is the one in which the daemon was started if dir
// is "" or elsewhere. Each folder is looked up on disk once, because a nested worktree
// (.worktrees/x) is inside of another one.
func (t *Set) At(ctx context.Context, dir string) *Checkout {
	t.mu.Lock()
	home := t.known[t.Home.Root]
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
	for at := dir; ; { // a submodule or a clone is inside of a checkout
		r, err := watcher.OpenRepo(ctx, at, t.Env)
		if err != nil {
			break
		}
		if r.CommonDir == t.Home.CommonDir {
			w = t.open(ctx, r)
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

// Caller returns the checkout from which a request came.
func (t *Set) Caller(ctx context.Context) *Checkout { return t.At(ctx, api.CallerDir(ctx)) }

// Asking returns the checkout from which a question came, after updating its files and history to
// its HEAD.
func (t *Set) Asking(ctx context.Context) *Checkout {
	w := t.Caller(ctx)
	w.follow(ctx, t.Info)
	return w
}

// Limits of what is remembered about callers.
const (
	maxPlaces    = 1024 // folders
	maxWorktrees = 64   // checkouts whose saves are watched
)

// HookRepo returns what decoding a hook needs to know about this checkout.
func (t *Set) HookRepo(w *Checkout) hooks.Repo {
	return hooks.Repo{Root: w.Repo.Root, Roots: *w.siblings.Load(), Tree: w.Tree(), Now: t.Now,
		Ignored: func(p event.Path) bool { return w.Repo.Ignored(p) && t.ignoredInSubmodule(w, p) },
		Written: func(files []event.Path) []event.Path { return w.Repo.Written(context.Background(), files) },
		Tags:    hooks.TagRules(t.Settings.Get().Tags)}
}

// ignoredInSubmodule reports whether an ignored path must stay out of the log. Files in a
// submodule, which the checkout ignores as a whole, are logged unless the submodule's own rules
// ignore them.
func (t *Set) ignoredInSubmodule(w *Checkout, p event.Path) bool {
	folder := w.Repo.Nested(p)
	if folder == "" {
		return true
	}
	root := w.Repo.Root.Abs(event.Path(folder))
	t.mu.Lock()
	sub, known := t.submodules[root]
	t.mu.Unlock()
	if !known {
		r, err := watcher.OpenRepo(context.Background(), root, t.Env)
		if err == nil && strings.HasPrefix(r.CommonDir, t.Home.CommonDir+string(filepath.Separator)) {
			sub = r
		}
		t.mu.Lock()
		t.submodules[root] = sub
		t.mu.Unlock()
	}
	return sub == nil || sub.Ignored(p[len(folder)+1:])
}

// Run reads and watches the files of each checkout, also of those that are added later. It returns
// nil when ctx ends, and watcher.ErrRepoGone when the first checkout is gone.
func (t *Set) Run(ctx context.Context) error {
	t.sweepContents()
	g, ctx := errgroup.WithContext(ctx)
	defer func() {
		for _, w := range t.All() {
			w.edits.Close()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case w := <-t.arrivals:
			g.Go(func() error { return t.follow(ctx, w) })
		}
	}
}

// follow reads and watches the files of a checkout until ctx ends or the checkout is gone.
func (t *Set) follow(ctx context.Context, w *Checkout) error {
	var reading sync.WaitGroup
	defer reading.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	reading.Go(func() { _ = w.Reader.Run(ctx, w.Tree) }) // it ends with ctx
	err := t.watch(ctx, w)
	switch {
	case errors.Is(err, watcher.ErrRepoGone) && w.Repo.Root == t.Home.Root:
		return err
	case errors.Is(err, watcher.ErrRepoGone):
		end()
		reading.Wait() // When the reading ends, it writes the files that drop deletes.
		t.drop(w)
		return nil
	case err != nil && ctx.Err() == nil:
		w.watcher.Store(nil)
		t.Alert.Warn("saves are not seen any more: aoa daemon stop, then aoa daemon start", "root", string(w.Repo.Root),
			"err", err)
	}
	<-ctx.Done()
	return nil
}

// watch watches a checkout until ctx ends. It starts over when the settings for watching have
// changed.
func (t *Set) watch(ctx context.Context, w *Checkout) error {
	var since time.Time // a new checkout has no earlier saves
	for cfg := t.Settings.Last(); ctx.Err() == nil; {
		watching := t.newWatcher(w, cfg, since)
		round, end := context.WithCancel(ctx)
		next := cfg
		var waiting sync.WaitGroup
		waiting.Go(func() {
			defer end()
			for next.Watch == cfg.Watch && next.Quiet == cfg.Quiet {
				select {
				case <-round.Done():
					return
				case <-next.Next:
					next = t.Settings.Last()
				}
			}
		})
		var err error
		if watching == nil {
			<-round.Done()
		} else {
			err = watching.Run(round, func(events []event.Event) { t.saved(w, events) }, t.HeadMoved.Give)
		}
		end()
		waiting.Wait()
		if err != nil {
			return err
		}
		cfg, since = next, next.At
	}
	return nil
}

// newWatcher gives a checkout the watcher that the settings ask for, nil for none. It reports saves
// after since; zero means since it began.
func (t *Set) newWatcher(w *Checkout, cfg *config.Reading, since time.Time) (watching *watcher.Watcher) {
	if cfg.Watch != "off" {
		watching = watcher.NewWatcher(w.Repo, watcher.WatchOptions{Quiet: cfg.Quiet, Since: since,
			Now: t.Now, Log: t.Alert, Poll: cfg.Watch == "poll", Files: func() []event.Path { return w.Tree().All() }})
	}
	w.watcher.Store(watching)
	return watching
}

// drop closes a checkout that was removed while the repository still exists.
func (t *Set) drop(w *Checkout) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, w.Repo.Root)
	w.edits.Close()
	clear(t.places)
	if err := t.contentsFile(w.Repo.Root).Remove(); err != nil {
		t.Info.Warn("the contents of its files are still in the store", "root", string(w.Repo.Root), "err", err)
	}
	t.Info.Info("worktree removed", "root", string(w.Repo.Root))
}

// saved handles the events of a watcher: files are added to and removed from the tree at once, and
// the events are logged.
func (t *Set) saved(w *Checkout, events []event.Event) {
	tree := w.Tree()
	for _, e := range events {
		switch e.Kind() {
		case event.KindSave:
			tree.Add(e.Paths()...)
		case event.KindDelete:
			tree.Remove(e.Paths()...)
		case event.KindRename:
			tree.Remove(e.From()...)
			tree.Add(e.Paths()...)
		}
		w.Reader.Update(e)
		if len(e.Paths()) == event.MaxPaths {
			t.HeadMoved.Give() // the event does not name the other files, so the list is read again
		}
	}
	if !t.Settings.Paused() {
		t.Events.Add(events...)
	}
}
