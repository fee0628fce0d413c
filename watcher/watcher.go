package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// ErrRepoGone is the error of Run when the worktree or its git dir was deleted or moved away.
var ErrRepoGone = errors.New("the repository is gone")

// Intervals at which the watcher checks for changes that are never reported.
const (
	beatEvery      = 2 * time.Second  // HEAD, and whether the repository exists
	reconcileEvery = 10 * time.Second // `git status`, if not every folder is watched
	nudgeEvery     = time.Second      // `git status` after a hook that may have changed files
	statusShare    = 10               // `git status` takes at most 1/statusShare of the time
)

// clockTick is how far the time of a saved file may lag behind the clock, because kernels count
// file times in ticks.
const clockTick = 10 * time.Millisecond

// bulkSize is the largest number of files saved at once that get an event each. More get one event
// together.
const bulkSize = 200

// WatchOptions are the settings of a Watcher. All but Poll and Since are required.
type WatchOptions struct {
	Quiet time.Duration       // a file counts as saved after this long without a change, or after atMost with changes
	Poll  bool                // watch nothing, as on a network mount; poll instead
	Since time.Time           // saves after this time are reported; zero: saves after Run began
	Now   func() time.Time    // the clock
	Log   *slog.Logger        // receives warnings
	Files func() []event.Path // returns the files that exist when Run begins
}

// Watcher reports the changes of a worktree that git did not make.
//
// A file is saved when its changes have paused (see debouncer), it is a regular file that is not
// ignored, and its content differs from that of the last save. So the backups and renames that an
// editor makes during a save are one save. A chmod is not a save, and neither is what a commit hook
// removes and writes back.
//
// While index.lock exists, and for 100 ms after that, changes wait (see gitWork). A file that
// changed before or during this time counts as saved if `git status` says that it differs from the
// index and git does not have its content; for 2 s more, if git does not have its content. The same
// rule decides about changes that the watcher finds itself: after lost reports, in polled folders,
// and at the start. What `git stash pop` brings back is not a save.
//
// Folders that have files are watched, ignored ones are not. A new folder is read after its watch
// is set. Nothing is watched if the system has too few watches (the watcher takes at most half of
// those that a user may have; on macOS each file in a folder takes an open file), on network
// mounts, and on Windows, where watching a folder prevents renaming the one above it. There `git
// status` runs every 10 s and after Nudge, but for at most a tenth of the time.
//
// A watch takes about 1 KB in the kernel, a file about 100 bytes, a report about 1 µs. The start
// reads every folder once: 2,000 folders in about 0.1 s. An idle Watcher reads HEAD every 2 s.
//
// Only the goroutine of Run uses the fields, except for in and the atomic ones.
type Watcher struct {
	repo *Repo
	o    WatchOptions
	in   *reports
	emit func([]event.Event)
	head func()

	src        notifier
	tree       *dir            // the worktree's folders and files as last seen
	nested     map[string]*dir // by path: folders that were found to be other repositories
	rules      *rules          // the ignore rules by which the tree was last listed
	start      time.Time
	ref        string  // the checked-out branch; "" if HEAD is detached
	seen       string  // ref and commit when HEAD was last read
	headMoved  bool    // HEAD is another commit than at the previous step
	renamed    renames // those since HEAD moved
	held       contents
	watches    int
	maxWatches int // see watchLimit; 0 means as many as the system allows

	reconciled time.Time     // when the last reconciliation ended
	took       time.Duration // how long the last reconciliation took

	// Tests replace these before Run.
	open       func() (notifier, error)                           // opens the system's watcher
	differing  func(context.Context) (map[event.Path]bool, error) // see Repo.differing
	watchLimit func() int                                         // see the function
	bulk       int

	ready   chan struct{} // closed when Run watches every folder: saves after that are noticed
	watched atomic.Int64
	polls   atomic.Pointer[WatchStatus] // nil while the folders are watched
}

// WatchStatus is the state of a Watcher.
type WatchStatus struct {
	Watched int    // folders that are watched
	Polling bool   // no folder is watched, all are polled
	Why     string // why they are polled
	Hint    string // the command that helps, "" where none is known
}

// NewWatcher returns a watcher of the repository's worktree. Run starts it.
func NewWatcher(r *Repo, o WatchOptions) *Watcher {
	return &Watcher{repo: r, o: o, in: newReports(r, o.Quiet), tree: newDir(), nested: map[string]*dir{},
		open: openNotifier, differing: r.differing, watchLimit: watchLimit,
		bulk: bulkSize, held: newContents(), ready: make(chan struct{})}
}

// Run watches until ctx ends. It passes every batch of events (save, delete, rename, branch; see
// saves.go) to emit, and calls head when HEAD, or a ref whose commits count, may have moved. Both
// are called from Run's goroutine and should return soon. Changes that still wait when ctx ends are
// emitted, too.
// Run returns nil when ctx ended, ErrRepoGone when the repository was deleted, and an error when it
// cannot be read. A Watcher runs only once.
func (w *Watcher) Run(ctx context.Context, emit func([]event.Event), head func()) error {
	w.emit, w.head, w.start = emit, head, w.o.Now()
	if !w.o.Since.IsZero() {
		w.start = w.o.Since.Add(-clockTick)
	}
	w.openOrPoll()
	var draining sync.WaitGroup
	draining.Go(func() { w.drain(w.src) })
	defer draining.Wait()
	defer func() {
		if !w.polling() {
			w.src.close()
		}
	}()
	if err := w.begin(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return w.goneOr(fmt.Errorf("watch files of %s: %w", w.repo.Root, err))
	}
	close(w.ready)
	return w.loop(ctx)
}

// Status returns the current state. It may be called at any time.
func (w *Watcher) Status() WatchStatus {
	if st := w.polls.Load(); st != nil {
		return *st
	}
	return WatchStatus{Watched: int(w.watched.Load())}
}

// polling reports whether all folders are polled.
func (w *Watcher) polling() bool { return w.polls.Load() != nil }

// poll begins to poll all folders.
func (w *Watcher) poll(why, hint string) {
	w.polls.Store(&WatchStatus{Polling: true, Why: why, Hint: hint})
}

// Nudge tells the watcher that a hook may have changed files. If the folders are polled, `git
// status` then runs soon instead of after some seconds; otherwise a call costs nothing. It may be
// called at any time.
func (w *Watcher) Nudge() {
	w.in.mu.Lock()
	w.in.nudged = true
	w.in.mu.Unlock()
	w.in.wake.Give()
}

func (w *Watcher) openOrPoll() {
	switch {
	case w.o.Poll:
		w.poll("", "")
		return
	case runtime.GOOS == "windows":
		w.poll("on Windows, watching a folder prevents renaming the folder above it", "")
		return
	case networkMount(string(w.repo.Root)):
		w.poll("the worktree is on a network mount", "")
		w.o.Log.Info("the worktree is on a network mount: polling it", "root", string(w.repo.Root))
		return
	}
	src, err := w.open()
	if w.src, w.maxWatches = src, w.watchLimit(); err != nil {
		w.exhausted(err)
	}
}

// goneOr returns ErrRepoGone if the repository no longer exists, else err.
func (w *Watcher) goneOr(err error) error {
	for _, dir := range []string{string(w.repo.Root), w.repo.GitDir, filepath.Join(w.repo.GitDir, "HEAD")} {
		if _, e := os.Lstat(dir); errors.Is(e, fs.ErrNotExist) {
			return fmt.Errorf("watch files of %s: %w", w.repo.Root, ErrRepoGone)
		}
	}
	return err
}
