package watcher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// objectLog reads history by go-git, for machines without the git program. It yields what gitLog yields, with these
// limits: SHA-1 only, no relative alternates, subjects in UTF-8 only, and commits that are much younger than their children
// may be yielded again. It is slower and not safe for concurrent use.
type objectLog struct {
	objects *filesystem.Storage
	paths   pathCache
	shallow map[string]bool // commits whose parents the clone does not have
}

func openObjectLog(r *Repo) (*objectLog, error) {
	if !r.config.sha1 {
		return nil, fmt.Errorf("SHA-256 objects need git: %w", ErrNoGit)
	}
	shallow, _ := r.shallow()
	o := filesystem.Options{KeepDescriptors: true, ExclusiveAccess: true, AlternatesFS: osfs.New(filepath.VolumeName(r.CommonDir) + "/")}
	bases := cache.NewObjectLRU(96 * cache.MiByte)
	return &objectLog{objects: filesystem.NewStorageWithOptions(dotFS(r.GitDir, r.CommonDir), bases, o), paths: pathCache{}, shallow: shallow}, nil
}

// close closes the packs, which a git gc may want to delete.
func (o *objectLog) close() { _ = o.objects.Close() }

func (o *objectLog) count(context.Context, []string, []string) (int, error) { return 0, nil }

func (o *objectLog) has(_ context.Context, id string) bool {
	_, err := object.GetCommit(o.objects, plumbing.NewHash(id))
	return err == nil
}

func (o *objectLog) list(ctx context.Context, want, not []string) ([]string, error) {
	var out []string
	err := o.visit(ctx, want, not, func(c *object.Commit) error {
		out = append(out, c.Hash.String())
		return nil
	})
	return out, err
}

func (o *objectLog) walk(ctx context.Context, want, not []string, yield func(*Commit) error) error {
	return o.visit(ctx, want, not, func(c *object.Commit) error {
		if len(c.ParentHashes) > 1 {
			return nil
		}
		out := &Commit{ID: c.Hash.String(), Time: commitTime(c), Author: max(c.Author.When.Unix(), 0), Subject: subjectOf(c.Message)}
		if err := o.compare(ctx, c, out); err != nil {
			return fmt.Errorf("compare commit %s with its parent: %w", c.Hash, err)
		}
		return yield(out)
	})
}

// commitTime is 0 for a broken date, as in git.
func commitTime(c *object.Commit) int64 { return max(c.Committer.When.Unix(), 0) }

// subjectOf returns the message's first paragraph in one line, as git's %s has it.
func subjectOf(message string) string {
	var lines []string
	for line := range strings.SplitSeq(message, "\n") {
		line = strings.TrimRight(line, " \t\r\f\v")
		if line != "" {
			lines = append(lines, line)
		} else if len(lines) > 0 {
			break
		}
	}
	return strings.ToValidUTF8(strings.Join(lines, " "), "")
}

// compare adds to out what the commit did to the files of its parent.
func (o *objectLog) compare(ctx context.Context, c *object.Commit, out *Commit) error {
	var old *object.Tree
	if len(c.ParentHashes) > 0 {
		parent, err := object.GetCommit(o.objects, c.ParentHashes[0])
		if err != nil {
			return err
		}
		if old, err = parent.Tree(); err != nil {
			return err
		}
	}
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	changes, err := object.DiffTreeContext(ctx, old, tree)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		from, to, status, name := ch.From.TreeEntry, ch.To.TreeEntry, byte('M'), ch.To.Name
		switch {
		case to.Mode == 0:
			status, name = 'D', ch.From.Name
		case from.Mode == 0:
			status = 'A'
		case uint32(from.Mode)&modeType != uint32(to.Mode)&modeType:
			status = 'T'
		}
		e, ok := newFileChange(uint32(from.Mode), uint32(to.Mode), status)
		if e.Blob = to.Hash.String(); e.Status == 'D' {
			e.Blob = from.Hash.String()
		}
		if e.Path = o.paths.path([]byte(name)); ok && e.Path != "" {
			out.Files = append(out.Files, e)
		}
	}
	return nil
}

// visited is a commit that visit has met.
type visited struct {
	*object.Commit
	excluded bool // reachable from not
	queued   bool
}

// clockSkew is how much younger than its child a parent may be for visit to see that it is excluded, in seconds.
const clockSkew = 24 * 3600

// walkQueue visits commits by date, newest first, those of one date in the order in which they were met.
type walkQueue struct {
	log    *objectLog
	seen   map[plumbing.Hash]*visited
	queue  []*visited // oldest first
	wanted int        // queued and not excluded
}

// visit yields the commits that are reachable from want and from none of not, newest first. With not it finds all of
// them before it yields the first.
func (o *objectLog) visit(ctx context.Context, want, not []string, yield func(*object.Commit) error) error {
	q := &walkQueue{log: o, seen: map[plumbing.Hash]*visited{}}
	for _, id := range want {
		if err := q.push(plumbing.NewHash(id), false); err != nil {
			return err
		}
	}
	for _, id := range not { // a gc may have removed it
		if err := q.push(plumbing.NewHash(id), true); err != nil && !errors.Is(err, plumbing.ErrObjectNotFound) {
			return err
		}
	}
	var found []*visited
	oldest := int64(math.MaxInt64)
	for len(q.queue) > 0 && (q.wanted > 0 || commitTime(q.queue[len(q.queue)-1].Commit) >= oldest-clockSkew && len(found) > 0) {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := q.queue[len(q.queue)-1]
		q.queue = q.queue[:len(q.queue)-1]
		if at.queued = false; !at.excluded {
			q.wanted--
		}
		for _, p := range at.ParentHashes {
			if err := q.push(p, at.excluded); err != nil {
				return err
			}
		}
		switch {
		case at.excluded:
		case len(not) > 0:
			found, oldest = append(found, at), min(oldest, commitTime(at.Commit))
		default:
			if err := yield(at.Commit); err != nil {
				return err
			}
			at.Commit = nil // a long history does not stay in memory
		}
	}
	for _, at := range found {
		if at.excluded {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(at.Commit); err != nil {
			return err
		}
	}
	return nil
}

// push queues a commit that is met for the first time, and excludes what it reaches if it is to be excluded.
func (q *walkQueue) push(id plumbing.Hash, exclude bool) error {
	at, ok := q.seen[id]
	if ok {
		if exclude {
			q.exclude(at)
		}
		return nil
	}
	c, err := object.GetCommit(q.log.objects, id)
	if err != nil {
		return fmt.Errorf("read commit %s: %w", id, err)
	}
	if q.log.shallow[id.String()] {
		c.ParentHashes = nil
	}
	at = &visited{Commit: c, excluded: exclude, queued: true}
	q.seen[id] = at
	i, _ := slices.BinarySearchFunc(q.queue, commitTime(c), func(v *visited, t int64) int {
		if commitTime(v.Commit) < t {
			return -1
		}
		return 1
	})
	q.queue = slices.Insert(q.queue, i, at)
	if !exclude {
		q.wanted++
	}
	return nil
}

// exclude marks a commit and what was met of its ancestors.
func (q *walkQueue) exclude(at *visited) {
	for stack := []*visited{at}; len(stack) > 0; {
		at := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; at.excluded {
			continue
		}
		if at.excluded = true; at.queued {
			q.wanted--
		}
		for _, p := range at.ParentHashes {
			if next := q.seen[p]; next != nil {
				stack = append(stack, next)
			}
		}
	}
}
