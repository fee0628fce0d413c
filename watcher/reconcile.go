package watcher

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// shallowKey is the cursor's entry for the border of a shallow clone: when the clone is deepened, commits
// appear below ones already seen, and everything has to be looked at again.
const shallowKey = "@shallow"

// plan is what a run of History has to read.
type plan struct {
	changed   bool              // there is anything to do
	fresh     bool              // a first import, or one that begins again: no rename events, names are mapped
	want, not []string          // commits reachable from want and not from not are new
	lost      []tip             // tips as they were, of refs that moved without keeping them
	moved     map[string]string // key of a lost tip → where the ref stands now
	off       map[string]bool   // commits outside the history of this worktree's HEAD
	shallow   map[string]bool   // commits at the border of a shallow clone
	next      map[string]string // the cursor afterwards
}

// plan compares the refs with the cursor.
func (r *Repo) plan(ctx context.Context, src source, since map[string]string) (*plan, error) {
	tips, _, err := r.tips(ctx)
	if err != nil {
		return nil, err
	}
	p := &plan{fresh: len(since) == 0, next: maps.Clone(since), moved: map[string]string{}}
	if p.next == nil {
		p.next = map[string]string{}
	}
	var border string
	p.shallow, border = r.shallow()
	whole := p.fresh
	if border != since[shallowKey] {
		p.changed, p.fresh, whole = true, true, true
	}
	if p.next[shallowKey] = border; border == "" {
		delete(p.next, shallowKey)
	}
	for _, t := range tips {
		p.next[t.key] = t.oid
		p.want = append(p.want, t.oid)
		old := since[t.key]
		if old == t.oid {
			continue
		}
		p.changed = true
		switch {
		case old == "":
		case !src.has(ctx, old):
			// A gc took the old tip: where the new commits begin is not known any more. They are told again,
			// which their IDs make harmless; renames are not, which would move what a reused name has earned since.
			p.fresh = true
		case t.moves:
			p.lost = append(p.lost, tip{key: t.key, oid: old})
			p.moved[t.key] = t.oid
		}
	}
	if !p.changed {
		return p, nil
	}
	slices.Sort(p.want)
	p.want = slices.Compact(p.want)
	if !whole {
		p.not = values(since)
	}
	return p, r.offLineage(ctx, src, p)
}

// values are the commits of a cursor.
func values(cursor map[string]string) []string {
	var out []string
	for key, oid := range cursor {
		if key != shallowKey {
			out = append(out, oid)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// offLineage finds the wanted commits that this worktree's HEAD does not descend from.
func (r *Repo) offLineage(ctx context.Context, src source, p *plan) error {
	_, head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	var others []string
	for _, oid := range p.want {
		if oid != head {
			others = append(others, oid)
		}
	}
	if len(others) == 0 {
		return nil
	}
	not := slices.Clone(p.not)
	if head != "" {
		not = append(not, head)
	}
	ids, err := src.list(ctx, others, not)
	if err != nil {
		return err
	}
	p.off = make(map[string]bool, len(ids))
	for _, id := range ids {
		p.off[id] = true
	}
	return nil
}

// shallow reads the border of a shallow clone: its commits, and a digest that changes when it moves.
func (r *Repo) shallow() (map[string]bool, string) {
	b, err := os.ReadFile(filepath.Join(r.CommonDir, "shallow"))
	if err != nil || len(b) == 0 {
		return nil, ""
	}
	ids := strings.Fields(string(b))
	slices.Sort(ids)
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return out, hex.EncodeToString(sum[:8])
}

// renamesOf makes the rename events of the new commits, oldest first. They come before the commits: what was
// learned under an old name has moved when the commits add to the new one, and a file that took over the old
// name starts with nothing.
func (r *Repo) renamesOf(ctx context.Context, src source, p *plan) ([]event.Event, error) {
	var out []event.Event
	err := src.walk(ctx, p.want, p.not, func(c *change) error {
		if p.off[c.sha] || p.shallow[c.sha] {
			return nil
		}
		if e, ok := r.renameEvent("rename:"+c.sha, c, moves(c)); ok {
			out = append(out, e)
		}
		return nil
	})
	slices.Reverse(out)
	return out, err
}

// dropped makes the uncommit events: commits that a ref's old tip reaches and neither today's roots nor any
// other ref seen before. A rename among them is turned back.
func (r *Repo) dropped(ctx context.Context, src source, p *plan) ([]event.Event, error) {
	var out []event.Event
	said := map[string]bool{}
	for _, l := range p.lost {
		not := values(p.next)
		err := src.walk(ctx, []string{l.oid}, not, func(c *change) error {
			if said[c.sha] || p.shallow[c.sha] {
				return nil
			}
			said[c.sha] = true
			ms := moves(c)
			e := r.commitEvent(c, ms, func(p event.Path) event.Path { return p })
			e.ID, e.Kind = "uncommit:"+c.sha+":"+p.moved[l.key], event.KindUncommit
			out = append(out, e)
			for i := range ms {
				ms[i].from, ms[i].to = ms[i].to, ms[i].from
			}
			if e, ok := r.renameEvent("unrename:"+c.sha+":"+p.moved[l.key], c, ms); ok {
				out = append(out, e)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
