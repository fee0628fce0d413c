package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// ErrRepoGone ends Run: the worktree or its git dir was deleted or moved away.
var ErrRepoGone = errors.New("the repository is gone")

// How often the watcher looks by itself.
const (
	beatEvery      = 2 * time.Second  // HEAD, the repository's existence, polled folders
	reconcileEvery = 30 * time.Second // `git status`, where not every folder is watched
	nudgeEvery     = time.Second      // the same when a hook reports work
	statusShare    = 10               // of so many parts of the time at most one is spent in `git status`
	activeFor      = 24 * time.Hour   // a folder without a change for longer is not worth a file descriptor
)

// WatchOptions are the settings of a Watcher. Only Now is required.
type WatchOptions struct {
	Quiet      time.Duration       // a file counts as saved after so long without a change; 0 is 100 ms
	AtMost     time.Duration       // … or after so long with changes; 0 is 2 s
	Bulk       int                 // more saves at once than this are one event; 0 is 200
	MaxWatches int                 // watches (file descriptors on macOS) to use at most; 0: what the system allows
	Poll       bool                // do not watch at all, as on a network mount
	Now        func() time.Time    // the clock
	Log        *slog.Logger        // nil: silence
	Tracked    func() []event.Path // the files to begin with; nil asks git
}

func (o WatchOptions) quiet() time.Duration  { return orElse(o.Quiet, 100*time.Millisecond) }
func (o WatchOptions) atMost() time.Duration { return orElse(o.AtMost, 2*time.Second) }
func (o WatchOptions) bulk() int             { return orElse(o.Bulk, 200) }

func orElse[T comparable](v, other T) T {
	var zero T
	if v == zero {
		return other
	}
	return v
}

// Watcher reports what changes in a worktree, whoever changed it, but for git.
//
// A file is saved when it came to rest (see burst), is a regular file that is not ignored, and has another size
// or time than when it was last looked at. So an editor's dance of backups and renames is one save, and a chmod
// is none. What changed while index.lock existed, or within 100 ms after, is git's (see gitWindow), unless
// `git status` says afterwards that it differs from the index: then somebody saved it meanwhile. The same
// question is asked of everything that was found by looking instead of being reported: after lost reports, in
// polled folders, at the start. What comes back by `git stash pop` differs from the index and so is a save.
//
// Folders are watched as the list of files names them and as they appear; an ignored one never. A folder that
// appears is read after its watch is set. Where the system has too few watches (at most half of the free ones are taken), on network mounts and on macOS
// (kqueue opens every file), part of the tree is not watched: there recent folders are read every 2 s and
// `git status` is asked every 30 s and on Nudge.
//
// It costs one watch per folder (about 1 KB in the kernel), about 100 bytes per file, about 1 µs per report,
// and at the start one listing of every folder that is not ignored: 2,000 folders in about 0.1 s. Idle, it
// looks at HEAD every 2 s.
//
// Everything but the inbox and the atomic fields belongs to the goroutine of Run.
type Watcher struct {
	repo *Repo
	o    WatchOptions
	log  *slog.Logger
	in   *reports
	open func() (notifier, error) // opens the system's watcher
	emit func([]event.Event)
	head func()

	src        notifier
	tree       *dir // the worktree's folders and files as last seen
	start      time.Time
	ref        string // the branch; "" when detached
	seen       string // ref and commit when HEAD was last looked at
	polling    bool   // nothing is watched
	activeOnly bool   // watch only folders with recent work (kqueue opens every file)
	full       bool   // the system has no more watches
	warned     bool
	watches    int
	budget     budget
	gitDirs    map[string]bool                                    // watched folders of the git dirs
	reconciled time.Time                                          // when the last reconciliation ended
	took       time.Duration                                      // of the last reconciliation
	differing  func(context.Context) (map[event.Path]bool, error) // see Repo.differing

	maxUserWatches, usedWatches func() int // what the system allows the user, and what the user's processes hold

	ready    chan struct{} // closed by Run when every folder is watched
	once     sync.Once
	partial  atomic.Bool
	watched  atomic.Int64
	known    atomic.Int64
	shortage atomic.Pointer[shortage]
}

// lack is why not every folder is watched, and the command that helps.
type shortage struct{ why, hint string }

// WatchStatus is what `status` shows of a Watcher.
type WatchStatus struct {
	Watched int    // folders under watch
	Polled  int    // folders that are not
	Folders int    // folders that hold files
	Partial bool   // some folders are polled, because there are too few watches
	Polling bool   // all are (a network mount)
	Why     string // why some are polled
	Hint    string // the command that helps, "" where none is known
}

// NewWatcher makes a watcher of the repository's worktree. It starts nothing.
func NewWatcher(r *Repo, o WatchOptions) *Watcher {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Watcher{repo: r, o: o, log: log, differing: r.differing, in: newReports(r, o.quiet(), o.atMost()), open: openNotifier, tree: &dir{},
		gitDirs: map[string]bool{}, maxUserWatches: maxUserWatches, usedWatches: usedWatches, activeOnly: kqueue, ready: make(chan struct{})}
}

// Run watches until ctx ends. It hands every batch of events to emit (save, delete, rename, branch; see
// settle.go) and calls head when HEAD or a counted ref may have moved. Both are called from Run's goroutine and
// should return soon. It returns nil when ctx ended, ErrRepoGone when the repository was deleted under it, and
// an error when the repository cannot be read. A Watcher runs once.
//
// What was at rest when ctx ended is still emitted.
func (w *Watcher) Run(ctx context.Context, emit func([]event.Event), head func()) error {
	if w.o.Now == nil {
		return errors.New("watch files: WatchOptions.Now is missing")
	}
	w.emit, w.head, w.start = emit, head, w.o.Now()
	w.openOrPoll()
	var draining sync.WaitGroup
	draining.Go(func() { w.drain(w.src) })
	defer draining.Wait()
	defer w.src.close()
	if err := w.begin(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return w.goneOr(fmt.Errorf("watch files of %s: %w", w.repo.Root, err))
	}
	w.once.Do(func() { close(w.ready) })
	return w.loop(ctx)
}

// Ready is closed once every folder is watched: a save after that is seen.
func (w *Watcher) Ready() <-chan struct{} { return w.ready }

// Partial reports whether there are too few watches, so that some folders are polled.
func (w *Watcher) Partial() bool { return w.partial.Load() }

// Status is safe to call at any time.
func (w *Watcher) Status() WatchStatus {
	s := WatchStatus{Watched: int(w.watched.Load()), Folders: int(w.known.Load()), Partial: w.Partial()}
	s.Polling = s.Watched == 0 && s.Folders > 0
	if s.Partial || s.Polling || w.activeOnly {
		s.Polled = max(s.Folders-s.Watched, 0)
	}
	if l := w.shortage.Load(); l != nil {
		s.Why, s.Hint = l.why, l.hint
	}
	return s
}

// Nudge reports that a hook may have changed files. Where not every folder is watched, the watcher asks `git status` soon
// instead of in half a minute; elsewhere it costs nothing.
func (w *Watcher) Nudge() {
	w.in.mu.Lock()
	w.in.nudged = true
	w.in.mu.Unlock()
	w.in.signal()
}

func (w *Watcher) openOrPoll() {
	w.polling = w.o.Poll
	if !w.polling && networkMount(string(w.repo.Root)) {
		w.polling = true
		w.shortage.Store(&shortage{why: "the worktree is on a network mount"})
		w.log.Info("the worktree is on a network mount: polling it", "root", string(w.repo.Root))
	}
	if w.polling {
		w.src = idleNotifier()
		return
	}
	src, err := w.open()
	w.measureBudget(0)
	if err != nil {
		w.polling = true
		w.src = idleNotifier()
		w.exhausted(err)
		return
	}
	w.src = src
	if w.o.MaxWatches == 0 {
		w.o.MaxWatches = raiseFileLimit()
	}
}

// loop thinks whenever something was reported, something became due, or a beat passed.
func (w *Watcher) loop(ctx context.Context) error {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	timer := time.NewTimer(beatEvery)
	defer timer.Stop()
	for {
		if at, ok := w.due(); ok {
			timer.Reset(max(at.Sub(w.o.Now()), 0))
		} else {
			timer.Stop()
		}
		var err error
		select {
		case <-ctx.Done():
			w.finish()
			return nil
		case <-w.in.wake:
		case <-timer.C:
		case <-beat.C:
			err = w.beat(ctx)
		}
		if err == nil {
			err = w.step(ctx)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

// goneOr is ErrRepoGone when the repository is not there any more, else err.
func (w *Watcher) goneOr(err error) error {
	for _, dir := range []string{string(w.repo.Root), w.repo.GitDir, filepath.Join(w.repo.GitDir, "HEAD")} {
		if _, e := os.Lstat(dir); errors.Is(e, fs.ErrNotExist) {
			return fmt.Errorf("watch files of %s: %w", w.repo.Root, ErrRepoGone)
		}
	}
	return err
}
