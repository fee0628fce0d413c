package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/watcher"
)

// Request names a change: the staged one, a range of commits, or files. The zero value is
// everything that differs from HEAD in the index or on disk.
type Request struct {
	Files  []event.Path `json:"files,omitempty"`
	Staged bool         `json:"staged,omitempty"`
	// with Staged: the index from which git makes the commit (GIT_INDEX_FILE)
	Index string `json:"index,omitempty"`
	Range string `json:"range,omitempty"` // BASE..HEAD: the changes of these commits together
	// the user's e-mail address; "" uses the one in git's settings
	Committer string `json:"committer,omitempty"`
	Hint      bool   `json:"-"` // whether the answer is for a hint, which an agent waits for: see Recent
}

// Checkout is a checkout whose changes can be checked.
type Checkout struct {
	Repo     *watcher.Repo
	Edits    *watcher.Edits
	Tree     *index.Tree
	Reader   *index.Reader
	Prefetch *prefetch.Prefetcher
	// commits that HEAD reaches, except those with the given ids
	Commits func(ctx context.Context, but []string) (*history.Commits, error)
	Now     func() time.Time
	Recent  *Recent // the remembered state of this checkout; nil: always ask git
}

// Errors about a request. Those about a range or an index wrap the error of git.
var (
	ErrRequest = errors.New("it cannot be checked")
	ErrRange   = errors.New("it is not a range of commits")
	ErrCommit  = errors.New("its commits cannot be compared")
)

// maxMore is the largest number of files that a check reads itself because the index of contents
// has another version of them.
const maxMore = 512

// scope is a change with the files around it, as git reports them.
type scope struct {
	files  []event.Path // files of the change, [] if it has none
	silent string       // why the change is not checked; "" if it is

	asked    []event.Path            // files whose contents change: only these may lack a companion
	own      map[event.Path]bool     // files in the user's unpushed commits
	unstaged map[event.Path]bool     // files that differ from HEAD; nil unless the change is staged
	commits  []string                // ids of the commits that are the change, which are no evidence about it
	changed  []index.Changed         // the files with both versions
	world    index.World             // the files around the change
	exists   func(event.Path) bool   // whether a file exists apart from the change
	hidden   func(event.Path) []byte // reads a file that is not on the disk
}

// check refuses what git would not take as an argument or a variable.
func (r Request) check() error {
	for _, text := range []string{r.Range, r.Index, r.Committer} {
		if len(text) > 4096 || strings.ContainsRune(text, 0) {
			return fmt.Errorf("check with %.40q: %w", text, ErrRequest)
		}
	}
	return nil
}

// scopeOf reads the change of a request.
func (c *Checkout) scopeOf(ctx context.Context, r Request) (s scope, err error) {
	if err := r.check(); err != nil {
		return s, err
	}
	if r.Range != "" {
		if s, err = c.ofRange(ctx, r.Range); err != nil {
			return s, err
		}
		own, err := c.Repo.Unpushed(ctx, r.Committer, c.Now())
		s.own = event.PathSet(own)
		return s, err
	}
	if op := c.Repo.Operation(); op != "" {
		return scope{files: []event.Path{}, silent: op + " is in progress"}, nil
	}
	repo := c.Repo
	if r.Staged {
		repo = repo.WithIndex(r.Index)
	}
	now, err := c.state(ctx, repo, r)
	switch {
	case err != nil && repo != c.Repo && ctx.Err() == nil:
		return s, fmt.Errorf("index %.100q: %w: %w", r.Index, ErrRequest, err)
	case err != nil:
		return s, err
	case now.unmerged:
		return scope{files: []event.Path{}, silent: "the index has unmerged files"}, nil
	case r.Staged:
		s, err = c.ofIndex(ctx, repo)
	default:
		s, err = c.ofDisk(ctx, r)
	}
	if err != nil || s.silent != "" {
		return s, err
	}
	s.own = event.PathSet(now.own)
	return s, nil
}

// world returns the checkout as it is on disk, and the files outside of a sparse checkout as they
// are in the index.
func (c *Checkout) world(ctx context.Context, indexed []event.Path) (w index.World, hidden func(event.Path) []byte) {
	outside := map[event.Path]bool{}
	for _, p := range indexed {
		if !c.Tree.Has(p) && !c.Repo.Excluded(p) {
			outside[p] = true
		}
	}
	hidden = func(p event.Path) []byte { return c.Edits.Read(ctx, ":"+string(p)) }
	w = index.World{Tree: c.Tree, Contents: c.Reader.Contents()}
	w.Text = func(p event.Path) []byte {
		if outside[p] {
			return hidden(p)
		}
		return c.Reader.Text(p)
	}
	for _, p := range indexed {
		if outside[p] && len(w.More) < maxMore {
			w.More = append(w.More, p)
		}
	}
	return w, hidden
}

// listed returns a function that reports whether a file is in a list of git, and not excluded.
func (c *Checkout) listed(indexed []event.Path) func(event.Path) bool {
	return func(p event.Path) bool {
		_, in := slices.BinarySearch(indexed, p)
		return in && !c.Repo.Excluded(p)
	}
}

// onDisk returns a function that reports whether a file exists: on the disk, or in the index if
// that is outside of a sparse checkout. For a hint it is enough to ask the tree, the list of files
// in memory. For a check it is not, because the tree learns a moment too late that git has just
// written or deleted files.
func (c *Checkout) onDisk(ctx context.Context, indexed []event.Path, hint bool) func(event.Path) bool {
	sparse := indexed != nil
	in := sync.OnceValue(func() func(event.Path) bool {
		if !sparse {
			indexed, _ = c.Repo.Indexed(ctx) // if git fails here, the file does not count
		}
		return c.listed(indexed)
	})
	return func(p event.Path) bool {
		has := c.Tree.Has(p)
		if hint {
			return has || sparse && in()(p)
		}
		st, err := os.Lstat(c.Repo.Root.Abs(p))
		if err != nil || st.IsDir() {
			return sparse && in()(p)
		}
		return has || in()(p)
	}
}

// ofDisk returns the change of the files of a request, or everything that differs from HEAD in the
// index or on disk.
func (c *Checkout) ofDisk(ctx context.Context, r Request) (s scope, err error) {
	named := len(r.Files) > 0
	if s.files = append([]event.Path{}, r.Files...); !named {
		if s.files, err = c.Repo.Changed(ctx); err != nil || len(s.files) == 0 {
			return scope{files: []event.Path{}, silent: "nothing is changed"}, err
		}
	}
	var indexed []event.Path
	if c.Repo.Sparse() {
		if indexed, err = c.Repo.Indexed(ctx); err != nil {
			return s, err
		}
	}
	s.changed = c.Edits.Compare(ctx, s.files)
	moved := index.Moved(s.changed)
	for _, f := range s.files {
		i := slices.IndexFunc(s.changed, func(x index.Changed) bool { return x.Path == f })
		if i < 0 { // files that cannot be compared belong to the change, too
			s.changed = append(s.changed, index.Changed{Path: f})
		}
		if named || i < 0 || !s.changed[i].Same && !moved[f] {
			s.asked = append(s.asked, f)
		}
	}
	s.world, s.hidden = c.world(ctx, indexed)
	s.exists = c.onDisk(ctx, indexed, r.Hint)
	return s, nil
}

// ofIndex returns the change of a commit that is being made from an index.
func (c *Checkout) ofIndex(ctx context.Context, repo *watcher.Repo) (s scope, err error) {
	files, err := repo.Staged(ctx)
	if err != nil || len(files) == 0 {
		return scope{files: []event.Path{}, silent: "nothing is staged"}, err
	}
	indexed, err := repo.Indexed(ctx)
	if err != nil {
		return s, err
	}
	unstaged, err := c.Repo.Changed(ctx)
	if err != nil {
		return s, err
	}
	staged, err := repo.IndexBlobs(ctx, unstaged)
	if err != nil {
		return s, err
	}
	s.world, s.hidden = c.world(ctx, indexed)
	onDisk := s.world.Text
	for f := range staged {
		s.world.More = append(s.world.More, f)
	}
	s.world.Text = func(p event.Path) []byte {
		if id, differs := staged[p]; differs {
			return c.Edits.Read(ctx, id)
		}
		return onDisk(p)
	}
	s.exists, s.unstaged = c.listed(indexed), event.PathSet(unstaged)
	return s, c.compare(ctx, &s, files)
}

// ofRange returns the changes of the commits BASE..HEAD together.
func (c *Checkout) ofRange(ctx context.Context, commits string) (s scope, err error) {
	base, head, found := strings.Cut(commits, "..")
	if head = strings.TrimPrefix(head, "."); !found || base == "" {
		return s, fmt.Errorf("check %.100q: %w", commits, ErrRange)
	}
	r, err := c.Repo.Range(ctx, base, cmp.Or(head, "HEAD"))
	if err != nil {
		return s, fmt.Errorf("check %.100q: %w: %w", commits, ErrCommit, err)
	}
	if s.commits, err = c.Repo.CommitsOf(ctx, r); err != nil {
		return s, err
	}
	files, err := c.Repo.Tree(ctx, r.Head)
	if err != nil {
		return s, err
	}
	s.hidden = func(p event.Path) []byte { return c.Edits.Read(ctx, r.Head+":"+string(p)) }
	s.world = index.World{Tree: index.NewTree(files), Contents: c.Reader.Contents(), Text: s.hidden}
	tree := s.world.Tree
	s.exists = func(p event.Path) bool { return tree.Has(p) && !c.Repo.Excluded(p) }
	since, err := c.Repo.Range(ctx, r.Head, "HEAD")
	if err != nil { // the histories have no common commit
		return s, c.compare(ctx, &s, r.Files)
	}
	more, err := c.Repo.Changed(ctx)
	for _, f := range since.Files {
		more = append(more, f.Path)
	}
	more = slices.DeleteFunc(more, func(p event.Path) bool { return !tree.Has(p) })
	s.world.More = more[:min(len(more), maxMore)]
	return s, errors.Join(err, c.compare(ctx, &s, r.Files))
}

// compare reads both versions of the files of a change. Files with only a new mode, new line ends or
// a new name are not checked for companions.
func (c *Checkout) compare(ctx context.Context, s *scope, files []watcher.FileChange) error {
	s.files = []event.Path{}
	for _, f := range files {
		s.files = append(s.files, f.Path)
		var before, after []byte
		if f.Status != 'A' {
			before = c.Edits.Read(ctx, f.Old)
		}
		if f.Status != 'D' {
			after = c.Edits.Read(ctx, f.Blob)
		}
		x := index.Changed{Path: f.Path, Same: f.Status == 'M' && f.Old == f.Blob}
		if f.Status == 'D' || after != nil { // else it is too large, or a partial clone does not have it
			x = index.Compare(f.Path, before, after)
		}
		switch f.Status {
		case 'A':
			x.Content = f.Blob
		case 'D':
			x.Gone, x.Content = true, f.Old
		}
		s.changed = append(s.changed, x)
	}
	moved := index.Moved(s.changed)
	for _, x := range s.changed {
		if !x.Same && !moved[x.Path] {
			s.asked = append(s.asked, x.Path)
		}
	}
	if len(s.files) == 0 {
		s.silent = "the commits change nothing"
	}
	return ctx.Err()
}
