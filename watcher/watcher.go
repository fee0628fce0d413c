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

// ErrRepoGone ends Run: the worktree or its git dir was deleted or moved away.
var ErrRepoGone = errors.New("the repository is gone")

// Intervals of what the watcher checks without a report.
const (
	beatEvery      = 2 * time.Second  // HEAD, the repository's existence
	reconcileEvery = 10 * time.Second // `git status`, where not every folder is watched
	nudgeEvery     = time.Second      // the same when a hook may have changed files
	statusShare    = 10               // `git status` takes at most 1/statusShare of the time
)

// clockTick is how far the time of a saved file may be behind the clock: kernels count the time of
// files in ticks.
const clockTick = 10 * time.Millisecond

// bulkSize is how many files saved at once are several events. More are one.
const bulkSize = 200

// WatchOptions are the settings of a Watcher. All but Poll and Since are required.
type WatchOptions struct {
	Quiet  time.Duration       // a file counts as saved after this long without a change …
	AtMost time.Duration       // … or after this long with changes
	Poll   bool                // watch nothing, as on a network mount
	Since  time.Time           // what was saved since is reported; zero: since Run began
	Now    func() time.Time    // the clock
	Log    *slog.Logger        // warnings
	Files  func() []event.Path // the files that exist when Run begins
}

// Watcher reports the changes of a worktree that git did not make.
//
// A file is saved when its changes have paused (see debouncer), it is a regular file that is not
// ignored, and it holds something else than at its last save. So the backups and renames of an
// editor's save are one save, and a chmod is not a save, nor is what a hook for commits puts away
// and writes back. While index.lock exists, and for 100 ms after, what changed waits (see gitWork).
// Of what changed before or until then, a file counts as saved if `git status` says that it differs
// from the index and git does not have its content; until 2 s later, if git does not have its
// content. The same decides about changes that were found and not reported: after lost reports, in
// polled folders, at the start. What `git stash pop` brings back is no save.
//
// Folders that hold files are watched, ignored ones are not. A new folder is read after its watch
// is set. Part of the tree is not watched where the system has too few watches (at most half of
// those that it allows a user are taken; on macOS a watch costs an open file for each file of the
// folder), on network mounts, and on Windows, where a watch of a folder forbids to rename the one
// above it. There `git status` runs every 10 s and after Nudge, for at most a tenth of the time.
//
// A watch costs about 1 KB in the kernel, a file about 100 bytes, a report about 1 µs. The start
// reads every folder once: 2,000 folders in about 0.1 s. An idle Watcher reads HEAD every 2 s.
//
// The fields belong to the goroutine of Run, except in and the atomic ones.
type Watcher struct {
	repo *Repo
	o    WatchOptions
	in   *reports
	emit func([]event.Event)
	head func()

	src        notifier
	tree       *dir // the worktree's folders and files as last seen
	start      time.Time
	ref        string // the branch; "" when detached
	seen       string // ref and commit when HEAD was last read
	headMoved  bool   // HEAD is another commit than at the step before
	held       contents
	polling    bool // nothing is watched
	full       bool // the system has no more watches
	warned     bool // about that
	watches    int
	maxWatches int             // of watchLimit; 0: what the system allows
	gitDirs    map[string]bool // watched folders of the git dirs

	reconciled time.Time     // when the last reconciliation ended
	took       time.Duration // of the last reconciliation

	// Tests set these before Run.
	open       func() (notifier, error)                           // opens the system's watcher
	differing  func(context.Context) (map[event.Path]bool, error) // see Repo.differing
	watchLimit func() int                                         // see there
	bulk       int

	ready    chan struct{} // closed by Run when every folder is watched: a save after that is seen
	partial  atomic.Bool
	watched  atomic.Int64
	known    atomic.Int64
	shortage atomic.Pointer[shortage]
}

// shortage is why not every folder is watched, and the command that helps.
type shortage struct{ why, hint string }

// WatchStatus is the state of a Watcher.
type WatchStatus struct {
	Watched int    // folders that are watched
	Polled  int    // folders that are not
	Folders int    // folders that hold files
	Partial bool   // some folders are polled, because there are too few watches
	Polling bool   // all folders are polled (a network mount)
	Why     string // why some are polled
	Hint    string // the command that helps, "" where none is known
}

// NewWatcher makes a watcher of the repository's worktree. It starts nothing.
func NewWatcher(r *Repo, o WatchOptions) *Watcher {
	return &Watcher{repo: r, o: o, in: newReports(r, o.Quiet, o.AtMost), tree: &dir{}, gitDirs: map[string]bool{},
		open: openNotifier, differing: r.differing, watchLimit: watchLimit,
		bulk: bulkSize, held: newContents(), ready: make(chan struct{})}
}

// Run watches until ctx ends. It gives every batch of events to emit (save, delete, rename, branch;
// see saves.go) and calls head when HEAD or a counted ref may have moved. Both are called from
// Run's goroutine and should return soon. It returns nil when ctx ended, ErrRepoGone when the
// repository was deleted, and an error when the repository cannot be read. A Watcher runs once.
// Changes that wait when ctx ends are still emitted.
func (w *Watcher) Run(ctx context.Context, emit func([]event.Event), head func()) error {
	w.emit, w.head, w.start = emit, head, w.o.Now()
	if !w.o.Since.IsZero() {
		w.start = w.o.Since.Add(-clockTick)
	}
	w.openOrPoll()
	var draining sync.WaitGroup
	draining.Go(func() { w.drain(w.src) })
	defer draining.Wait()
	if !w.polling {
		defer w.src.close()
	}
	if err := w.begin(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return w.goneOr(fmt.Errorf("watch files of %s: %w", w.repo.Root, err))
	}
	close(w.ready)
	return w.loop(ctx)
}

// Status may be called at any time.
func (w *Watcher) Status() WatchStatus {
	s := WatchStatus{Watched: int(w.watched.Load()), Folders: int(w.known.Load()), Partial: w.partial.Load()}
	s.Polling = s.Watched == 0 && s.Folders > 0
	if s.Partial || s.Polling {
		s.Polled = max(s.Folders-s.Watched, 0)
	}
	if l := w.shortage.Load(); l != nil {
		s.Why, s.Hint = l.why, l.hint
	}
	return s
}

// Nudge reports that a hook may have changed files. Where not every folder is watched, the watcher
// runs `git status` soon instead of in half a minute; elsewhere it costs nothing. It may be called
// at any time.
func (w *Watcher) Nudge() {
	w.in.mu.Lock()
	w.in.nudged = true
	w.in.mu.Unlock()
	w.in.signal()
}

func (w *Watcher) openOrPoll() {
	w.polling = true
	if w.o.Poll {
		return
	}
	if runtime.GOOS == "windows" {
		w.shortage.Store(&shortage{why: "on Windows a watch of a folder forbids to rename the one above it"})
		return
	}
	if networkMount(string(w.repo.Root)) {
		w.shortage.Store(&shortage{why: "the worktree is on a network mount"})
		w.o.Log.Info("the worktree is on a network mount: polling it", "root", string(w.repo.Root))
		return
	}
	src, err := w.open()
	if err != nil {
		w.exhausted(err)
		return
	}
	w.src, w.polling, w.maxWatches = src, false, w.watchLimit()
}

// goneOr is ErrRepoGone when the repository no longer exists, else err.
func (w *Watcher) goneOr(err error) error {
	for _, dir := range []string{string(w.repo.Root), w.repo.GitDir, filepath.Join(w.repo.GitDir, "HEAD")} {
		if _, e := os.Lstat(dir); errors.Is(e, fs.ErrNotExist) {
			return fmt.Errorf("watch files of %s: %w", w.repo.Root, ErrRepoGone)
		}
	}
	return err
}
