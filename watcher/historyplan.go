package watcher

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// shallowKey is the cursor's entry for the border of a shallow clone. When the clone is deepened,
// commits appear below those already seen, and everything has to be read again.
const shallowKey = "@shallow"

// Keys in the cursor for the names of files: namesKey has the commit to which the learned names
// belong, turnsKey how often that commit has changed.
const (
	namesKey = "@names"
	turnsKey = "@turns"
)

// plan tells what a call of History has to read.
type plan struct {
	changed bool // there is something to do
	// HEAD at the last run and now, if files may have other names now; else both "".
	from, to  string
	want, not []string          // the new commits are those reachable from want but not from not
	lost      []tip             // refs that no longer reach the commit that they had, with that commit
	moved     map[string]string // by key of a lost tip: the commit that the ref has now
	off       map[string]bool   // commits that this worktree's HEAD does not reach
	shallow   map[string]bool   // commits at the border of a shallow clone
	next      map[string]string // the cursor after this run
	missing   []string          // wanted commits that the repository does not have; they are not added to the cursor
}

// plan compares the refs with the cursor and returns what is new.
func (r *Repo) plan(ctx context.Context, since map[string]string) (*plan, error) {
	tips, err := r.tips(ctx)
	if err != nil {
		return nil, err
	}
	shallow, border := r.shallow()
	p := &plan{shallow: shallow, next: maps.Clone(since), moved: map[string]string{}}
	if p.next == nil {
		p.next = map[string]string{}
	}
	whole := len(since) == 0
	if border != since[shallowKey] {
		p.changed, whole = true, true
	}
	if p.next[shallowKey] = border; border == "" {
		delete(p.next, shallowKey)
	}
	for _, t := range tips {
		old := since[t.key]
		if old != t.commit {
			switch known, err := r.has(ctx, t.commit); {
			case err != nil:
				return nil, err
			case !known:
				p.missing = append(p.missing, t.commit)
				continue
			}
		}
		p.next[t.key] = t.commit
		p.want = append(p.want, t.commit)
		if old == t.commit {
			continue
		}
		p.changed = true
		if old == "" || !t.branch {
			continue
		}
		// If a gc has removed the old commit, no one knows which commits are new. All are yielded
		// again, which does no harm, because events with the same ID count once.
		known, err := r.has(ctx, old)
		if err != nil {
			return nil, err
		}
		if known {
			p.lost = append(p.lost, tip{key: t.key, commit: old})
			p.moved[t.key] = t.commit
		}
	}
	if err := r.planNames(ctx, p); err != nil || !p.changed {
		return p, err
	}
	slices.Sort(p.want)
	p.want = slices.Compact(p.want)
	if !whole {
		p.not = commitsOf(since)
	}
	p.off, err = r.offHead(ctx, p)
	return p, err
}

// planNames records whether HEAD is at another commit, where files may have other names. During a
// rebase files keep the names that they had.
func (r *Repo) planNames(ctx context.Context, p *plan) error {
	_, head, err := r.Head(ctx)
	old := p.next[namesKey]
	if err != nil || head == "" || head == old || rebasing(r.GitDir) {
		return err
	}
	if known, err := r.has(ctx, head); err != nil || !known {
		return err
	}
	p.changed, p.next[namesKey] = true, head
	if old == "" {
		return nil
	}
	known, err := r.has(ctx, old)
	if known {
		turns, _ := strconv.Atoi(p.next[turnsKey])
		p.from, p.to, p.next[turnsKey] = old, head, strconv.Itoa(turns+1)
	}
	return err
}

// commitsOf returns the commits of a cursor.
func commitsOf(cursor map[string]string) []string {
	var out []string
	for key, id := range cursor {
		if !strings.HasPrefix(key, "@") {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// offHead returns those wanted commits that this worktree's HEAD does not reach.
func (r *Repo) offHead(ctx context.Context, p *plan) (map[string]bool, error) {
	_, head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(p.want), func(id string) bool { return id == head })
	if len(others) == 0 {
		return nil, nil
	}
	not := slices.Clone(p.not)
	if head != "" {
		not = append(not, head)
	}
	ids, err := r.listCommits(ctx, others, not)
	return setOf(ids), err
}

func setOf[T comparable](list []T) map[T]bool {
	out := make(map[T]bool, len(list))
	for _, x := range list {
		out[x] = true
	}
	return out
}

// Shallow reports whether the clone has only the newest part of the history (git clone --depth).
func (r *Repo) Shallow() bool {
	commits, _ := r.shallow()
	return len(commits) > 0
}

// maxShallow is the largest size in bytes of the file that lists the border of a shallow clone. It
// has room for a million commits.
const maxShallow = 64 << 20

// shallow returns the commits at the border of a shallow clone, and a digest of them.
func (r *Repo) shallow() (map[string]bool, string) {
	b, err := regularfile.Read(filepath.Join(r.CommonDir, "shallow"), regularfile.FollowLinks, maxShallow)
	if err != nil || len(b) == 0 {
		return nil, ""
	}
	ids := strings.Fields(string(b))
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return setOf(ids), hex.EncodeToString(sum[:8])
}

// turned returns the rename events that give learned files the names that they have in HEAD.
// Renames that HEAD no longer reaches are undone, the newest first; then those that it newly
// reaches are done, the oldest first. These events come before the commits. So what was learned
// under an old name has already moved when commits add to the new name, and another file that took
// over the old name starts with nothing.
func (r *Repo) turned(ctx context.Context, p *plan) ([]event.Event, error) {
	var back, forth []event.Event
	id := "names:" + p.next[turnsKey] + ":"
	err := r.walk(ctx, p.from, []string{p.to}, func(c *Commit) error {
		if e, ok := r.renameEvent(id+"-"+c.ID, c, renamesIn(c)); ok && !p.shallow[c.ID] {
			b := e.Body.(event.Rename)
			e.Body = event.Rename{From: b.To, To: b.From}
			back = append(back, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = r.walk(ctx, p.to, []string{p.from}, func(c *Commit) error {
		if e, ok := r.renameEvent(id+c.ID, c, renamesIn(c)); ok && !p.shallow[c.ID] {
			forth = append(forth, e)
		}
		return nil
	})
	slices.Reverse(forth)
	return append(back, forth...), err
}

// dropped returns uncommit events for the commits that a ref reached and that no ref reaches now.
func (r *Repo) dropped(ctx context.Context, p *plan) ([]event.Event, error) {
	var out []event.Event
	done := map[string]bool{}
	not := commitsOf(p.next)
	for _, l := range p.lost {
		err := r.walk(ctx, l.commit, not, func(c *Commit) error {
			if !done[c.ID] && !p.shallow[c.ID] {
				done[c.ID] = true
				out = append(out, c.event("uncommit:"+c.ID+":"+p.moved[l.key], event.Uncommit(r.commit(c, renamesIn(c), nil))))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
