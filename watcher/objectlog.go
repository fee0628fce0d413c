package watcher

import (
	"context"
	"fmt"
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
// limits: SHA-1 only, no relative alternates, subjects in UTF-8 only, no commits at the border of a shallow clone. It is slower,
// most of all for a few new commits, and not safe for concurrent use.
type objectLog struct {
	objects *filesystem.Storage
	paths   pathCache
	shallow map[string]bool // commits whose parents the clone does not have …
	missing []plumbing.Hash // … and those parents
}

func openObjectLog(r *Repo) (*objectLog, error) {
	if !r.config.sha1 {
		return nil, fmt.Errorf("SHA-256 objects need git: %w", ErrNoGit)
	}
	shallow, _ := r.shallow()
	o := filesystem.Options{KeepDescriptors: true, ExclusiveAccess: true, AlternatesFS: osfs.New(filepath.VolumeName(r.CommonDir) + "/")}
	objects := filesystem.NewStorageWithOptions(dotFS(r.GitDir, r.CommonDir), cache.NewObjectLRU(96*cache.MiByte), o)
	log := &objectLog{objects: objects, paths: pathCache{}, shallow: shallow}
	for id := range shallow {
		c, err := object.GetCommit(objects, plumbing.NewHash(id))
		if err != nil {
			continue // History reports it if it is needed
		}
		for _, p := range c.ParentHashes {
			if !log.has(context.Background(), p.String()) {
				log.missing = append(log.missing, p)
			}
		}
	}
	return log, nil
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
		if len(c.ParentHashes) > 1 || o.shallow[c.Hash.String()] {
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

// visit yields the commits that are reachable from want and from none of not, newest first. It reads everything that is
// reachable from not.
func (o *objectLog) visit(ctx context.Context, want, not []string, yield func(*object.Commit) error) error {
	excluded := map[plumbing.Hash]bool{}
	if len(not) > 0 {
		not = slices.DeleteFunc(slices.Clone(not), func(id string) bool { return !o.has(ctx, id) }) // a gc may have removed it
		err := o.reachable(ctx, not, nil, func(c *object.Commit) error {
			excluded[c.Hash] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	return o.reachable(ctx, want, excluded, yield)
}

// reachable yields what is reachable from commits, without the excluded ones: the ancestors of a merge of them.
func (o *objectLog) reachable(ctx context.Context, ids []string, excluded map[plumbing.Hash]bool, yield func(*object.Commit) error) error {
	merge := &object.Commit{}
	for _, id := range ids {
		merge.ParentHashes = append(merge.ParentHashes, plumbing.NewHash(id))
	}
	raw := &plumbing.MemoryObject{}
	raw.SetType(plumbing.CommitObject)
	if err := merge.Encode(raw); err != nil {
		return err
	}
	merge, err := object.DecodeCommit(o.objects, raw)
	if err != nil {
		return err
	}
	return object.NewCommitIterCTime(merge, excluded, o.missing).ForEach(func(c *object.Commit) error {
		if c.Hash == merge.Hash {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(c)
	})
}
