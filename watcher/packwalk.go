package watcher

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
)

// objects reads history straight from the object store, for machines without git. It yields what gitLog
// yields, to the byte; it is 3 to 4 times slower, and not safe for concurrent use.
type objects struct {
	stores  stores
	trees   *treeCache
	names   *names
	shallow map[string]bool
	buf     []byte
}

// Memory bounds of a walk: 32 MB of delta bases are as good as 256, and 200,000 entries are about 20 MB.
const (
	maxBases   = 32 * cache.MiByte
	maxEntries = 200_000
)

func openObjects(r *Repo) (*objects, error) {
	if !r.config.sha1 {
		return nil, fmt.Errorf("SHA-256 objects need git: %w", ErrNoGit)
	}
	shallow, _ := r.shallow()
	return &objects{stores: openStores(r.GitDir, r.CommonDir), trees: newTreeCache(maxEntries), names: newNames(), shallow: shallow}, nil
}

// close lets go of the packs, which a git gc may want to delete.
func (o *objects) close() { o.stores.close() }

func (o *objects) count(context.Context, []string, []string) (int, error) { return 0, nil }

func (o *objects) has(_ context.Context, oid string) bool {
	_, err := o.commit(plumbing.NewHash(oid))
	return err == nil
}

// walk is gitLog.walk.
func (o *objects) walk(ctx context.Context, want, not []string, yield func(*change) error) error {
	return o.visit(ctx, want, not, func(at *visited, parent plumbing.Hash) error {
		if len(at.raw.parents) > 1 {
			return nil
		}
		d := treeDiff{load: o.tree, names: o.names}
		if err := d.compare(parent, at.raw.tree, "", 0); err != nil {
			return fmt.Errorf("compare commit %s with its parent: %w", at.id, err)
		}
		return yield(&change{sha: at.id.String(), time: at.raw.time, author: at.raw.author, subject: at.raw.subject, entries: d.out})
	})
}

// list is gitLog.list.
func (o *objects) list(ctx context.Context, want, not []string) ([]string, error) {
	var out []string
	err := o.visit(ctx, want, not, func(at *visited, _ plumbing.Hash) error {
		out = append(out, at.id.String())
		return nil
	})
	return out, err
}

func (o *objects) read(kind plumbing.ObjectType, id plumbing.Hash) ([]byte, error) {
	obj, err := o.stores.object(kind, id)
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, id, err)
	}
	rd, err := obj.Reader()
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, id, err)
	}
	defer func() { _ = rd.Close() }()
	if n := int(obj.Size()); cap(o.buf) < n {
		o.buf = make([]byte, n+n/4)
	}
	b := o.buf[:obj.Size()]
	if _, err := io.ReadFull(rd, b); err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, id, err)
	}
	return b, nil
}

func (o *objects) commit(id plumbing.Hash) (rawCommit, error) {
	b, err := o.read(plumbing.CommitObject, id)
	if err != nil {
		return rawCommit{}, err
	}
	c, err := parseCommit(b)
	if o.shallow[id.String()] {
		c.parents = nil
	}
	return c, err
}

func (o *objects) tree(id plumbing.Hash) ([]treeEntry, error) {
	if id.IsZero() {
		return nil, nil
	}
	if entries, ok := o.trees.get(id); ok {
		return entries, nil
	}
	b, err := o.read(plumbing.TreeObject, id)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(b)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	o.trees.put(id, entries)
	return entries, nil
}

// visited is a commit on the walk.
type visited struct {
	id     plumbing.Hash
	raw    rawCommit
	unwant bool // reachable from not
	queued bool
	seq    int
}

// visit yields the commits that are reachable from want and not from not, newest first, each with its first
// parent's tree. Without not it yields as it goes; with not it first finds the border.
func (o *objects) visit(ctx context.Context, want, not []string, yield func(at *visited, parent plumbing.Hash) error) error {
	w := &walk{objects: o, seen: map[plumbing.Hash]*visited{}}
	for _, id := range want {
		if err := w.push(plumbing.NewHash(id), false); err != nil {
			return err
		}
	}
	for _, id := range not {
		// Commits that a gc removed are as if they had not been named.
		if err := w.push(plumbing.NewHash(id), true); err != nil && !errors.Is(err, plumbing.ErrObjectNotFound) {
			return err
		}
	}
	var found []*visited
	for w.more(len(not) > 0) {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := heap.Pop(w).(*visited)
		if at.queued = false; !at.unwant {
			w.wanted--
		}
		for _, p := range at.raw.parents {
			if err := w.push(p, at.unwant); err != nil {
				return err
			}
		}
		if at.unwant {
			continue
		}
		if len(not) > 0 {
			found, w.oldest = append(found, at), min(w.oldest, at.raw.time)
			continue
		}
		if err := w.give(at, yield); err != nil {
			return err
		}
	}
	for _, at := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at.unwant {
			continue
		}
		if err := w.give(at, yield); err != nil {
			return err
		}
	}
	return nil
}
