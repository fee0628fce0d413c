package cold

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// LogFilter selects events. Fields that are zero select everything.
type LogFilter struct {
	Since   time.Time `json:"since,omitzero"`    // included
	Until   time.Time `json:"until,omitzero"`    // excluded
	Session string    `json:"session,omitempty"` // only events of this session
	// Only events that acted upon this file, also under its earlier names. If it ends in '/', it is
	// a folder and selects everything below.
	File   event.Path   `json:"file,omitempty"`
	Kinds  []event.Kind `json:"kinds,omitempty"` // only events of these kinds
	Limit  int          `json:"limit,omitempty"` // the largest number of events; 0 means 1000, in a request 100
	Oldest bool         `json:"-"`               // oldest first instead of newest first
}

// Log returns the events that pass the filter by their own time, newest first unless Oldest is set.
// Counted commits are included. Uncommits are included only if KindUncommit is asked for and the
// commit was not counted again; they are listed at the time of the commit.
func (d *DB) Log(ctx context.Context, f LogFilter) ([]event.Event, error) {
	if f.Limit <= 0 {
		f.Limit = 1000
	}
	names := []alias{{0, math.MinInt64, math.MaxInt64}}
	if f.File != "" {
		ids, err := d.named(ctx, d.reader, f.File)
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		h, err := d.renames(ctx)
		if err != nil {
			return nil, err
		}
		names = h.aliases(ids)
	}
	var found []Numbered
	for _, counted := range []int64{0, 1, -1} {
		if !f.wants(counted) {
			continue
		}
		for _, name := range names {
			// A rename is noticed later than it happens, and until then programs may use the old
			// name.
			if counted == 0 {
				name.after, name.until = math.MinInt64, math.MaxInt64
			}
			query, args := f.query(counted, name)
			some, err := d.numbered(ctx, query, args...)
			if err != nil {
				return nil, err
			}
			found = append(found, some...)
		}
	}
	slices.SortStableFunc(found, func(x, y Numbered) int {
		if f.Oldest {
			return x.Time.Compare(y.Time)
		}
		return y.Time.Compare(x.Time)
	})
	var out []event.Event
	seen := map[int64]bool{} // an event that renames a file is found by both names
	for _, n := range found {
		if !seen[n.Seq] && len(out) < f.Limit {
			out = append(out, n.Event)
		}
		seen[n.Seq] = true
	}
	return out, nil
}

// wants reports whether the filter may select rows with this value in the column counted. 0 means
// NULL.
func (f LogFilter) wants(counted int64) bool {
	switch counted {
	case 1:
		return f.Session == "" && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, event.KindCommit))
	case -1:
		return f.Session == "" && slices.Contains(f.Kinds, event.KindUncommit)
	}
	return len(f.Kinds) == 0 || slices.ContainsFunc(f.Kinds, func(k event.Kind) bool {
		return k != event.KindCommit && k != event.KindUncommit
	})
}

// query returns the query for rows with this value in the column counted, newest or oldest first.
// If name has a file, only its rows are selected.
func (f LogFilter) query(counted int64, name alias) (query string, args []any) {
	args = []any{name.after, name.until, f.Limit, counted}
	where := []string{"counted IS NULL"}
	if counted != 0 {
		where[0] = "counted = ?4"
	}
	and := func(condition string, arg any) { // in the condition, %d is replaced by the number of the parameter
		args = append(args, arg)
		where = append(where, fmt.Sprintf(condition, len(args)))
	}
	if !f.Since.IsZero() {
		and("time >= ?%d", f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		and("time < ?%d", f.Until.UnixMilli())
	}
	if f.Session != "" {
		and("session = ?%d AND session <> ''", f.Session)
	}
	if name.file != 0 {
		if counted != 0 {
			where[0] = "+counted = ?4" // such rows are found by file, without reading all commits
		}
		where = append(where, "time > ?1 AND time <= ?2")
		and("id IN (SELECT event FROM touches WHERE file = ?%d AND counted = ?4)", name.file)
	}
	if counted == 0 && len(f.Kinds) > 0 {
		kinds := ","
		for _, k := range f.Kinds {
			kinds += string(k) + ","
		}
		and("instr(?%d, ',' || kind || ',')", kinds)
	}
	order := "DESC"
	if f.Oldest {
		order = "ASC"
	}
	return "SELECT " + rowColumns + " FROM events WHERE " + strings.Join(where, " AND ") + " ORDER BY time " + order +
		", id " + order + " LIMIT ?3", args
}

// Numbered is an event with its number in the log. Prompts and actions of all sessions share one
// sequence, which grows in the order in which events were accepted and has gaps. After a Forget,
// numbers may be used again.
type Numbered struct {
	Seq int64
	event.Event
}

// Thread returns the newest events of people and agents in a session, in the order of the log.
// Hints and their outcomes are left out.
func (d *DB) Thread(ctx context.Context, session string, limit int) ([]Numbered, error) {
	out, err := d.numbered(ctx, "SELECT "+rowColumns+` FROM events WHERE session = ?1 AND session <> '' AND counted IS NULL
  AND `+isWork+" ORDER BY id DESC LIMIT ?2", session, limit)
	slices.Reverse(out)
	return out, err
}

// Turn returns the event of a session with a number, and at most limit-1 events after it.
func (d *DB) Turn(ctx context.Context, session string, from int64, limit int) ([]Numbered, error) {
	return d.numbered(ctx, "SELECT "+rowColumns+` FROM events
  WHERE session = ?1 AND session <> '' AND counted IS NULL AND id >= ?2
  AND `+isWork+" ORDER BY id LIMIT ?3", session, from, limit)
}

// Prompts returns prompts of all sessions in the order of the log: those with numbers above after,
// at most the newest limit of them.
func (d *DB) Prompts(ctx context.Context, after int64, limit int) ([]Numbered, error) {
	out, err := d.numbered(ctx, "SELECT "+rowColumns+` FROM events
WHERE kind = 'prompt' AND counted IS NULL AND id > ? ORDER BY id DESC LIMIT ?`, after, limit)
	slices.Reverse(out)
	return out, err
}

// numbered decodes the rows of a query. Rows that cannot be read are left out.
func (d *DB) numbered(ctx context.Context, query string, args ...any) (out []Numbered, err error) {
	err = d.Each(ctx, query, args, func(from Row) error {
		var r row
		if err := r.scan(from); err != nil {
			return err
		}
		e, err := r.withText(d.seal)
		if err == nil {
			out = append(out, Numbered{r.id, e})
		}
		return err
	})
	return out, err
}

// Text returns the text of a logged event. It is "" if the event is not known, has no text, or the
// key is lost.
func (d *DB) Text(ctx context.Context, id string) (string, error) {
	var sealed []byte
	found, err := d.Scan(ctx, "SELECT text FROM ids JOIN events ON id = event WHERE digest = ? AND text IS NOT NULL",
		[]any{digest(id)}, &sealed)
	if err != nil || !found {
		return "", err
	}
	text, err := d.seal.Open(textOf(id), sealed)
	if errors.Is(err, ErrLostKey) {
		err = nil
	}
	return string(text), err
}
