package stage

import (
	"context"
	"errors"
	"fmt"
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

// Why is the answer to: is this a hit, and if not, what is the first difference?
type Why struct {
	Key     string   `json:"key"`
	Hit     bool     `json:"hit"`
	Miss    string   `json:"why,omitempty"`     // in words
	Nearest string   `json:"nearest,omitempty"` // key of the entry that was compared
	Changes []Change `json:"changes"`           // what differs from it, at most 100, in the order of the key
	Total   int      `json:"total"`             // of all changes
	Idle    []string `json:"idle,omitempty"`
	AskTool bool     `json:"ask_tool,omitempty"`
}

// maxChanges bounds the changes in an answer.
const maxChanges = 100

func (w *Why) differs(from near) {
	w.Miss, w.Nearest, w.Total = from.miss(), from.Key, len(from.changes)
	w.Changes = append(w.Changes, from.changes[:min(len(from.changes), maxChanges)]...)
}

// Why answers without running anything. A request without a command asks about the newest entry of the stage: only
// files are compared again.
func (c *Cache) Why(ctx context.Context, p Place, r Request) (Why, error) {
	if len(r.Command) == 0 {
		return c.whyAgain(ctx, p, r.Stage)
	}
	w := Why{Changes: []Change{}}
	if err := r.check(); err != nil {
		return w, err
	}
	if !c.tool(&r.Tool) {
		w.AskTool = true
		return w, nil
	}
	parts, idle, err := c.parts(ctx, p, &r)
	if err != nil {
		return w, err
	}
	w.Key, w.Idle = parts.key(), idle
	kept, found, err := c.load(ctx, w.Key)
	switch {
	case err != nil && !errors.Is(err, errDamaged):
		return w, err
	case found:
		w.Nearest, w.Miss = kept.Key, kept.refusal(&r, c.o.Now())
		w.Hit = w.Miss == ""
		return w, nil
	}
	near, err := c.nearest(ctx, r.Stage, parts)
	w.differs(near)
	return w, err
}

// whyAgain compares the newest entry with the disk: its dependencies and its template. The rest is taken as it was.
func (c *Cache) whyAgain(ctx context.Context, p Place, stage string) (Why, error) {
	w := Why{Changes: []Change{}}
	found, err := c.entries(ctx, stage, 1)
	if err != nil {
		return w, err
	}
	if stage == "" || len(found) == 0 {
		return w, fmt.Errorf("%w: %s", ErrNoEntry, stage)
	}
	e, _, err := c.load(ctx, found[0].Key)
	if err != nil {
		return w, fmt.Errorf("%w: %s: %w", ErrNoEntry, stage, err)
	}
	parts, idle, err := c.parts(ctx, p, &Request{Deps: e.Deps, Outputs: e.Outputs, Template: e.Template})
	if err != nil {
		return w, err
	}
	onDisk := func(p keyPart) bool { return group(p.Kind) == kindFile || p.Kind == kindTemplate && e.Template != "" }
	now := keyParts{}
	for _, part := range e.parts {
		if !onDisk(part) {
			now = append(now, part)
		}
	}
	for _, part := range parts {
		if onDisk(part) {
			now = append(now, part)
		}
	}
	w.Key, w.Idle = e.Key, idle
	if changes := differences(e.parts, now); len(changes) > 0 {
		w.differs(near{e, changes})
	}
	w.Hit = w.Miss == ""
	return w, nil
}
