package stage

import (
	"context"
	"fmt"
	"slices"
)

// compared is how many of the newest entries of a stage are compared with a request.
const compared = 5

// near is the most similar earlier entry and what differs from it. Without an entry, its key is "".
type near struct {
	storedEntry
	changes []Change
}

// nearest finds the entry of the stage with the fewest differences from these parts, the newest of equal ones.
func (c *Cache) nearest(ctx context.Context, stage string, parts keyParts) (best near, err error) {
	found, err := c.entries(ctx, stage, compared)
	for _, e := range found {
		e, ok, err := c.load(ctx, e.Key)
		if err != nil || !ok {
			continue // one that cannot be compared is not the nearest
		}
		if changes := differences(e.parts, parts); best.Key == "" || len(changes) < len(best.changes) {
			best = near{e, changes}
		}
	}
	return best, err
}

// miss is the first reason why the entry is no hit.
func (n near) miss() string {
	switch {
	case n.Key == "":
		return "nothing is kept of this stage yet"
	case len(n.changes) == 0:
		return "the kept result was removed"
	}
	return n.changes[0].String()
}

// Why is the answer to: has a dependency of the newest result of a stage changed?
type Why struct {
	Key     string   `json:"key"`
	Hit     bool     `json:"hit"`
	Miss    string   `json:"why,omitempty"` // in words
	Changes []Change `json:"changes"`       // at most 100, in the order of the key
	Total   int      `json:"total"`         // of all changes
	Idle    []string `json:"idle,omitempty"`
}

// maxChanges bounds the changes in an answer.
const maxChanges = 100

// Why compares the dependencies and the template of the newest result of a stage with the disk, and runs nothing. Of a
// request with a command it only computes the key.
func (c *Cache) Why(ctx context.Context, p Place, r Request) (Why, error) {
	w := Why{Changes: []Change{}}
	if len(r.Command) > 0 {
		if err := r.check(); err != nil {
			return w, err
		}
		parts, _, err := c.parts(ctx, p, &r)
		w.Key = parts.key()
		return w, err
	}
	found, err := c.entries(ctx, r.Stage, 1)
	if err != nil {
		return w, err
	}
	if r.Stage == "" || len(found) == 0 {
		return w, fmt.Errorf("%w: %s", ErrNoEntry, r.Stage)
	}
	e, _, err := c.load(ctx, found[0].Key)
	if err != nil {
		return w, fmt.Errorf("%w: %s: %w", ErrNoEntry, r.Stage, err)
	}
	parts, idle, err := c.parts(ctx, p, &Request{Deps: e.Deps, Outputs: e.Outputs, Template: e.Template})
	if err != nil {
		return w, err
	}
	onDisk := func(p keyPart) bool { return group(p.Kind) == kindFile || p.Kind == kindTemplate && e.Template != "" }
	was := slices.DeleteFunc(e.parts, func(p keyPart) bool { return !onDisk(p) })
	changes := differences(was, slices.DeleteFunc(parts, func(p keyPart) bool { return !onDisk(p) }))
	w.Key, w.Idle, w.Hit, w.Total = e.Key, idle, len(changes) == 0, len(changes)
	w.Changes = append(w.Changes, changes[:min(len(changes), maxChanges)]...)
	if !w.Hit {
		w.Miss = changes[0].String()
	}
	return w, nil
}
