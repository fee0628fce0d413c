package stage

import (
	"context"
	"fmt"
	"slices"
)

// changedSinceNewest tells in words how parts differ from those of the stage's newest result.
func (c *Cache) changedSinceNewest(ctx context.Context, stage string, parts keyParts) (string, error) {
	newest, err := c.List(ctx, stage, 1)
	if err != nil || len(newest) == 0 {
		return "no result of it is stored yet", err
	}
	_, r, _, err := c.load(ctx, newest[0].Key)
	if err != nil {
		return errDamaged.Error(), nil // the step runs in any case
	}
	changes := differences(r.Parts, parts)
	switch len(changes) {
	case 0:
		return "the kept result was removed", nil
	case 1:
		return changes[0].String(), nil
	}
	return fmt.Sprintf("%s, and %d more", changes[0], len(changes)-1), nil
}

// Why tells whether a dependency of a stage's newest result has changed.
type Why struct {
	Key     string   `json:"key"`
	Hit     bool     `json:"hit"`
	Miss    string   `json:"why,omitempty"` // in words
	Changes []Change `json:"changes"`       // at most 100, in the order of the key
	Total   int      `json:"total"`         // number of all changes
	Idle    []string `json:"idle,omitempty"`
}

// maxChanges is the largest number of changes in an answer.
const maxChanges = 100

// Why compares the dependencies and the template of a stage's newest result with the disk. It runs
// nothing. For a request with a command it only computes the key.
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
	found, err := c.List(ctx, r.Stage, 1)
	if err != nil {
		return w, err
	}
	if r.Stage == "" || len(found) == 0 {
		return w, fmt.Errorf("%w: %s", ErrNoEntry, r.Stage)
	}
	e, newest, _, err := c.load(ctx, found[0].Key)
	if err != nil {
		return w, fmt.Errorf("%w: %s: %w", ErrNoEntry, r.Stage, err)
	}
	parts, idle, err := c.parts(ctx, p, &Request{Deps: newest.Deps, Outputs: newest.Outputs, Template: newest.Template})
	if err != nil {
		return w, err
	}
	onDisk := func(p keyPart) bool {
		return group(p.Kind) == kindFile || p.Kind == kindTemplate && newest.Template != ""
	}
	was := slices.DeleteFunc(newest.Parts, func(p keyPart) bool { return !onDisk(p) })
	changes := differences(was, slices.DeleteFunc(parts, func(p keyPart) bool { return !onDisk(p) }))
	w.Key, w.Idle, w.Hit, w.Total = e.Key, idle, len(changes) == 0, len(changes)
	w.Changes = append(w.Changes, changes[:min(len(changes), maxChanges)]...)
	if !w.Hit {
		w.Miss = changes[0].String()
	}
	return w, nil
}
