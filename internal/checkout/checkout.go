package checkout

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/watcher"
)

// Checkout is one checkout of the repository: its files, and a ranker that suggests only these.
type Checkout struct {
	Repo     *watcher.Repo
	Reader   *index.Reader
	Ranker   *rank.Ranker
	Prefetch *prefetch.Prefetcher

	watcher  atomic.Pointer[watcher.Watcher] // nil if saves are not watched
	db       *cold.DB
	past     past
	sketches *sketches
	edits    *watcher.Edits
	tree     atomic.Pointer[index.Tree]
	siblings atomic.Pointer[[]event.Root] // the other checkouts
	branch   atomic.Pointer[readBranch]   // nil until it is read
	listed   atomic.Pointer[string]       // the commit that was checked out when files were listed

	brief atomic.Bool // the list of files comes from the index; the disk has not been read yet

	begun begun

	now    func() time.Time
	recent change.Recent
}

// New returns a checkout whose files are not known yet.
func New(r *watcher.Repo) *Checkout {
	return &Checkout{Repo: r, Reader: index.NewReader(r.Root), sketches: newSketches()}
}

// Watching returns the state of the checkout's watcher. on is false if none exists.
func (w *Checkout) Watching() (st watcher.WatchStatus, on bool) {
	if watching := w.watcher.Load(); watching != nil {
		return watching.Status(), true
	}
	return st, false
}

// Nudge tells the watcher, if there is one, that a hook may have changed files.
func (w *Checkout) Nudge() {
	if watching := w.watcher.Load(); watching != nil {
		watching.Nudge()
	}
}

// ForGit limits how long a question waits for git. Then it is answered without git, rather than
// late. On a machine with ten times more to do than processors, git took more than 5 s to read
// attributes, and a check could not judge the commit.
func ForGit(ctx context.Context) (context.Context, context.CancelFunc) {
	const most = 20 * time.Second
	return context.WithTimeoutCause(ctx, most, fmt.Errorf("git did not answer within %v: it waits for a pipe "+
		"(find . -type p), or the rules in .gitattributes or .gitignore take too long", most))
}

// Check tells what a change breaks and lacks.
func (w *Checkout) Check(ctx context.Context, r change.Request) (change.Answer, error) {
	r.Files = w.Paths(r.Files)
	c := change.Checkout{Repo: w.Repo, Edits: w.edits, Tree: w.Tree(), Reader: w.Reader, Prefetch: w.Prefetch, Now: w.now,
		Commits: w.HistoryBut, Recent: &w.recent}
	ans, err := c.Check(ctx, r)
	if err != nil || ans.Silent != "" {
		return ans, err
	}
	commits, err := w.History(ctx)
	if err == nil {
		ans.Reading = w.sketches.pending(commits)
	}
	return ans, err
}

// Tree returns the files that may be suggested, nil as long as they are not known.
func (w *Checkout) Tree() *index.Tree { return w.tree.Load() }

// newRanker returns a ranker of the checkout's files.
func (w *Checkout) newRanker(of *Set) *rank.Ranker {
	return rank.New(of.Hot, of.Sessions, w.Tree, rank.Options{Words: of.Words,
		Together: func(ctx context.Context, a, b event.Path) (event.Together, error) {
			commits, err := w.History(ctx)
			if err != nil {
				return event.Together{}, err
			}
			return commits.Count(a, b), nil
		},
		Contents: w.Reader.Contents, Read: w.Reader.Text})
}

// bigIndex is the size in bytes of git's index of some 20,000 files. If the index is larger, a start
// does not wait for git to check every file and folder.
const bigIndex = 2 << 20

// maxListed is the number of files of a list that are read to find places.
const maxListed = 5

// Places reads the first files, and sets for each of them the place where it defines what a prompt
// is about.
func (w *Checkout) Places(prompt string, shown []event.Suggestion) {
	text := index.ParseText(prompt)
	for i := range shown[:min(len(shown), maxListed)] {
		s := &shown[i]
		if d, ok := w.Reader.Contents().DefinitionFor(s.File, w.Reader.Text(s.File), text); ok {
			s.Place = d
		}
	}
}

// ReadFirst reads the list of files for the first answers. In a large checkout, or if git takes too
// long, it is only the list of tracked files; the whole list follows when the history is first
// read.
func (w *Checkout) ReadFirst(ctx context.Context, log *slog.Logger) {
	if idx, err := os.Stat(filepath.Join(w.Repo.GitDir, "index")); err == nil && idx.Size() > bigIndex {
		if files, err := w.Repo.Tracked(ctx); err == nil {
			w.brief.Store(true)
			w.list(ctx, files)
			return
		}
	}
	bounded, cancel := ForGit(ctx)
	defer cancel()
	w.refresh(bounded, log)
	w.brief.Store(bounded.Err() != nil)
}

// refresh reads the list of files again.
func (w *Checkout) refresh(ctx context.Context, log *slog.Logger) {
	files, err := w.Repo.Files(ctx)
	if err != nil {
		if ctx.Err() == nil {
			log.Warn("git does not list the files", "root", string(w.Repo.Root), "err", err)
		}
		if w.Tree() != nil {
			return // the old list is better than none
		}
	}
	w.brief.Store(false)
	w.list(ctx, files)
}

// follow reads the list of files again if HEAD has moved, because a question may come before the
// watcher has noticed that.
func (w *Checkout) follow(ctx context.Context, log *slog.Logger) {
	_, head, err := w.Repo.Head(ctx)
	if at := w.listed.Load(); err == nil && at != nil && *at != head {
		w.refresh(ctx, log)
	}
}

// list sets the files that may be suggested.
func (w *Checkout) list(ctx context.Context, files []event.Path) {
	_, head, err := w.Repo.Head(ctx)
	tree := index.NewTree(files)
	tree.Word("") // make the index of words now, beside the snapshot, and not at the first question
	w.tree.Store(tree)
	if err == nil {
		w.listed.Store(&head)
		w.past.forget(head, tree.Has)
	}
	w.Reader.Refresh()
	roots := w.Repo.Worktrees()
	w.siblings.Store(&roots)
	w.branch.Store(nil)
}
