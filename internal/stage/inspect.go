package stage

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/cold"
)

// How many earlier entries of the stage are compared.
const (
	fewEntries  = 3  // before a run
	manyEntries = 20 // for Why
)

// near is an earlier entry and what differs from it.
type near struct {
	storedEntry
	stored  keyParts
	changes []Change
}

// nearest finds the entry of the stage with the fewest differences from the material, the newest of equal ones. ok is
// false when there is none.
func (c *Cache) nearest(ctx context.Context, stage string, m keyParts, n int) (best near, ok bool, err error) {
	is := m.short()
	found, err := c.entries(ctx, stage, n)
	for _, e := range found {
		stored, err := unpack(e.Inputs)
		if err != nil {
			continue // one that cannot be compared is not the nearest
		}
		if changes := differences(stored, is); !ok || len(changes) < len(best.changes) {
			best, ok = near{e, stored, changes}, true
		}
	}
	return best, ok, err
}

// explain is the reason, in words, why there is no entry.
func (c *Cache) explain(ctx context.Context, stage string, m keyParts) (string, error) {
	e, ok, err := c.nearest(ctx, stage, m, fewEntries)
	miss := e.miss(ok)
	if more := len(e.changes) - 1; more > 0 {
		miss = fmt.Sprintf("%s, and %d more", miss, more)
	}
	return miss, err
}

// miss is the first reason why the entry is no hit. ok is false when there is no entry.
func (e near) miss(ok bool) string {
	switch {
	case !ok:
		return "nothing is kept of this stage yet"
	case len(e.changes) == 0:
		return "the kept result was removed"
	}
	return e.changes[0].String()
}

// Why is the answer to: is this a hit, and if not, what is the first difference?
type Why struct {
	Key     string
	Hit     bool
	Miss    string   // in words
	Nearest string   // key of the entry that was compared, "" is none
	Changes []Change // what differs from it, in the order of the key
	Idle    []string
}

// Why answers without running anything. A request without a command asks about the newest entry of the stage: only
// files are compared again.
func (c *Cache) Why(ctx context.Context, p Place, r Request) (Why, error) {
	if err := c.loadDigests(ctx); err != nil {
		return Why{}, err
	}
	if len(r.Command) == 0 {
		return c.whyAgain(ctx, p, r.Stage)
	}
	if err := r.Check(); err != nil {
		return Why{}, err
	}
	m, idle, err := c.memo.material(ctx, c.tree(p.Root, p.List), &r)
	if err != nil {
		return Why{}, err
	}
	w := Why{Key: m.Key(), Idle: idle}
	kept, _, found, err := c.load(ctx, w.Key)
	if err != nil && !errors.Is(err, errDamaged) {
		return w, err
	}
	if found {
		w.Nearest, w.Miss = kept.Key, kept.refusal(&r, c.o.Now())
		w.Hit = w.Miss == ""
		return w, nil
	}
	e, ok, err := c.nearest(ctx, r.Stage, m, manyEntries)
	if w.Miss = e.miss(ok); len(e.changes) > 0 {
		w.Nearest, w.Changes = e.Key, e.changes
	}
	return w, err
}

// whyAgain compares the newest entry with the disk: its dependencies and its template.
func (c *Cache) whyAgain(ctx context.Context, p Place, stage string) (Why, error) {
	e, ok, err := c.nearest(ctx, stage, nil, 1)
	if err != nil {
		return Why{}, err
	}
	if !ok {
		return Why{}, fmt.Errorf("%w: %s", ErrNoEntry, stage)
	}
	r := Request{Stage: stage, Command: []string{"-"}, Deps: e.Deps, Outputs: e.Outputs,
		Template: e.Template}
	m, idle, err := c.memo.material(ctx, c.tree(p.Root, p.List), &r)
	if err != nil {
		return Why{}, err
	}
	// What is not on the disk is taken as it was.
	disk := func(p keyPart) bool { return group(p.Kind) == kindFile || p.Kind == kindTemplate && r.Template != "" }
	now := keyParts{}
	for _, part := range e.stored {
		if !disk(part) {
			now = append(now, part)
		}
	}
	for _, part := range m.short() {
		if disk(part) {
			now = append(now, part)
		}
	}
	w := Why{Key: e.Key, Nearest: e.Key, Idle: idle, Changes: differences(e.stored, now)}
	if w.Hit = len(w.Changes) == 0; !w.Hit {
		w.Miss = w.Changes[0].String()
	}
	return w, nil
}

// List returns entries, newest first; of one stage unless it is "".
func (c *Cache) List(ctx context.Context, stage string, limit int) ([]Entry, error) {
	found, err := c.entries(ctx, stage, limit)
	out := make([]Entry, len(found))
	for i, e := range found {
		out[i] = e.Entry
	}
	return out, err
}

var isPrefix = regexp.MustCompile(`^[0-9a-f]{4,24}$`)

// Show returns an entry with its record: by key, by the first digits of one, or the newest of a stage.
func (c *Cache) Show(ctx context.Context, name string) (Entry, *Record, error) {
	found, _, err := c.results.List(ctx, cold.Selection{})
	if err != nil {
		return Entry{}, nil, err
	}
	var keys []string
	for _, v := range found {
		if isPrefix.MatchString(name) && strings.HasPrefix(v.Key, name) {
			keys = append(keys, v.Key)
		}
	}
	if len(keys) > 1 {
		return Entry{}, nil, fmt.Errorf("%w: %s begins several keys, type more of it", ErrNoEntry, name)
	}
	if i := slices.IndexFunc(found, func(v cold.Blob) bool { return v.Part == name }); len(keys) == 0 && i >= 0 {
		keys = []string{found[i].Key} // the list has the newest first
	}
	if name == "" || len(keys) == 0 {
		return Entry{}, nil, fmt.Errorf("%w: %s", ErrNoEntry, name)
	}
	e, data, ok, err := c.load(ctx, keys[0])
	if errors.Is(err, errDamaged) || err == nil && !ok {
		return e.Entry, nil, fmt.Errorf("%w: %s was damaged and is dropped", ErrNoEntry, keys[0])
	}
	if err != nil {
		return e.Entry, nil, err
	}
	rec, err := DecodeRecord(data)
	return e.Entry, rec, err
}

// Drop removes the entries of a stage, or the one of a key; all of them, and the counts, when name is "". It returns
// how many.
func (c *Cache) Drop(ctx context.Context, name string) (int, error) {
	found, _, err := c.results.List(ctx, cold.Selection{})
	if err != nil {
		return 0, err
	}
	var keys []string
	for _, v := range found {
		if name == "" || v.Key == name || v.Part == name {
			keys = append(keys, v.Key)
		}
	}
	if len(keys) == 0 && name != "" {
		return 0, fmt.Errorf("%w: %s", ErrNoEntry, name)
	}
	if name == "" {
		if _, _, err := c.counts.Drop(ctx, ""); err != nil {
			return 0, err
		}
	}
	_, _, err = c.results.Drop(ctx, keys...)
	return len(keys), err
}

// Digest is the digest of a file's content. A file whose identity is unchanged is not read again.
func (c *Cache) Digest(name string) (Sum, error) { return c.memo.file(name) }
