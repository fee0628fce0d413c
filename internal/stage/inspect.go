package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlEntries = sqlSelect + " WHERE ?1 = '' OR stage = ?1 ORDER BY created DESC, key LIMIT ?2"
	sqlLikeKey = sqlSelect + " WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key LIMIT 2"
	sqlNearest = "SELECT key, created, material, deps FROM entries WHERE stage = ? ORDER BY created DESC, key LIMIT ?"
	sqlStats   = `SELECT s.stage, s.hits, s.misses, s.ms, count(e.key), coalesce(sum(e.bytes), 0)
FROM saved s LEFT JOIN entries e ON e.stage = s.stage GROUP BY s.stage ORDER BY s.ms DESC, s.stage`
)

// How many earlier entries of the stage are compared.
const (
	fewEntries  = 3  // before a run
	manyEntries = 20 // for Why
)

// near is an earlier entry and what differs from it.
type near struct {
	key     string
	created time.Time
	from    sources
	stored  keyParts
	changes []Change
}

// nearest finds the entry of the stage with the fewest differences from the material, the newest of equal ones. ok is
// false when there is none.
func nearest(ctx context.Context, f *cold.File, stage string, m keyParts, n int) (best near, ok bool, err error) {
	is := m.short()
	err = f.Each(ctx, sqlNearest, []any{stage, n}, func(rows cold.Row) error {
		var e near
		var created int64
		var packed, from []byte
		if err := rows.Scan(&e.key, &created, &packed, &from); err != nil {
			return err
		}
		e.created = time.UnixMilli(created)
		var err error
		if e.stored, err = unpack(packed); err != nil {
			return nil // one that cannot be compared is not the nearest
		}
		_ = json.Unmarshal(from, &e.from) // without it, it is compared all the same
		if e.changes = differences(e.stored, is); !ok || len(e.changes) < len(best.changes) {
			best, ok = e, true
		}
		return nil
	})
	return best, ok, err
}

// explain is the reason, in words, why there is no entry.
func (c *Cache) explain(ctx context.Context, f *cold.File, stage string, m keyParts) (string, error) {
	e, ok, err := nearest(ctx, f, stage, m, fewEntries)
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
	f, err := c.open(ctx)
	if err != nil {
		return Why{}, err
	}
	if len(r.Command) == 0 {
		return c.whyAgain(ctx, f, p, r.Stage)
	}
	if err := r.Check(); err != nil {
		return Why{}, err
	}
	m, idle, err := c.memo.material(ctx, c.tree(p.Root, p.List), &r)
	if err != nil {
		return Why{}, err
	}
	w := Why{Key: m.Key(), Idle: idle}
	found, err := entries(ctx, f, sqlEntry, w.Key)
	if err != nil {
		return w, err
	}
	if len(found) > 0 {
		w.Nearest, w.Miss = found[0].Key, found[0].refusal(&r, c.o.Now())
		w.Hit = w.Miss == ""
		return w, nil
	}
	e, ok, err := nearest(ctx, f, r.Stage, m, manyEntries)
	if w.Miss = e.miss(ok); len(e.changes) > 0 {
		w.Nearest, w.Changes = e.key, e.changes
	}
	return w, err
}

// whyAgain compares the newest entry with the disk: its dependencies and its template.
func (c *Cache) whyAgain(ctx context.Context, f *cold.File, p Place, stage string) (Why, error) {
	e, ok, err := nearest(ctx, f, stage, nil, 1)
	if err != nil {
		return Why{}, err
	}
	if !ok {
		return Why{}, fmt.Errorf("%w: %s", ErrNoEntry, stage)
	}
	r := Request{Stage: stage, Command: []string{"-"}, Deps: e.from.Deps, Outputs: e.from.Outputs,
		Template: e.from.Template}
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
	w := Why{Key: e.key, Nearest: e.key, Idle: idle, Changes: differences(e.stored, now)}
	if w.Hit = len(w.Changes) == 0; !w.Hit {
		w.Miss = w.Changes[0].String()
	}
	return w, nil
}

// List returns entries, newest first; of one stage unless it is "".
func (c *Cache) List(ctx context.Context, stage string, limit int) ([]Entry, error) {
	f, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	found, err := entries(ctx, f, sqlEntries, stage, limit)
	out := make([]Entry, len(found))
	for i, e := range found {
		out[i] = e.Entry
	}
	return out, err
}

var isPrefix = regexp.MustCompile(`^[0-9a-f]{4,24}$`)

// Show returns an entry with its record: by key, by the first digits of one, or the newest of a stage.
func (c *Cache) Show(ctx context.Context, name string) (Entry, *Record, error) {
	f, err := c.open(ctx)
	if err != nil {
		return Entry{}, nil, err
	}
	var found []row
	if isPrefix.MatchString(name) {
		if found, err = entries(ctx, f, sqlLikeKey, name); err != nil {
			return Entry{}, nil, err
		}
		if len(found) > 1 {
			return Entry{}, nil, fmt.Errorf("%w: %s begins several keys, type more of it", ErrNoEntry, name)
		}
	}
	if len(found) == 0 {
		if found, err = entries(ctx, f, sqlEntries, name, 1); err != nil {
			return Entry{}, nil, err
		}
	}
	if name == "" || len(found) == 0 {
		return Entry{}, nil, fmt.Errorf("%w: %s", ErrNoEntry, name)
	}
	data, ok := c.load(ctx, f, found[0])
	if !ok {
		return found[0].Entry, nil, fmt.Errorf("%w: %s was damaged and is dropped", ErrNoEntry, found[0].Key)
	}
	rec, err := DecodeRecord(data)
	return found[0].Entry, rec, err
}

// Drop removes the entries of a stage, or the one of a key; all of them when name is "". It returns how many.
func (c *Cache) Drop(ctx context.Context, name string) (int, error) {
	f, err := c.open(ctx)
	if err != nil {
		return 0, err
	}
	doomed, err := keys(ctx, f, sqlDoomed, name, c.o.Now().Add(time.Hour*24*365*100).UnixMilli())
	if err != nil {
		return 0, err
	}
	if len(doomed) == 0 && name != "" {
		return 0, fmt.Errorf("%w: %s", ErrNoEntry, name)
	}
	if name == "" {
		err = f.Write(ctx, "drop statistics", func(tx *cold.Tx) error {
			_, err := tx.Exec("DELETE FROM saved")
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return len(doomed), c.drop(ctx, f, doomed...)
}

// Stat is what one stage saved.
type Stat struct {
	Stage   string
	Hits    int
	Misses  int
	Saved   int64 // ms
	Entries int
	Bytes   int64
}

// Stats returns what each stage saved, the most useful first.
func (c *Cache) Stats(ctx context.Context) (out []Stat, err error) {
	f, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	err = f.Each(ctx, sqlStats, nil, func(rows cold.Row) error {
		var s Stat
		err := rows.Scan(&s.Stage, &s.Hits, &s.Misses, &s.Saved, &s.Entries, &s.Bytes)
		out = append(out, s)
		return err
	})
	return out, err
}

// Digest is the digest of a file's content. A file whose identity is unchanged is not read again.
func (c *Cache) Digest(name string) (Sum, error) { return c.memo.file(name) }
