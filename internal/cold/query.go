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

// LogFilter selects events. Zero fields select everything.
type LogFilter struct {
	Since, Until time.Time // Since included, Until excluded
	Session      string    // events of that session only
	// events that acted upon that file, under its earlier names too; or below that folder, which
	// ends in '/'
	File   event.Path
	Kinds  []event.Kind // these kinds only
	Limit  int          // the largest number of events; 0 is 1000
	Oldest bool         // oldest first instead of newest first
}

// Log returns the events that pass the filter, newest first unless Oldest is set, by their own
// time. Counted commits are among them; what takes commits back that were not counted again is when
// KindUncommit is asked for, at the time of the commit.
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
			// a rename is noticed later than it happens: until then programs may use the old name
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
	seen := map[int64]bool{} // the event that renames a file names it twice
	for _, n := range found {
		if !seen[n.Seq] && len(out) < f.Limit {
			out = append(out, n.Event)
		}
		seen[n.Seq] = true
	}
	return out, nil
}

// wants reports whether the filter may select rows with this value in the column counted; 0 means
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

// query selects the rows with that value in the column counted, of the file of that name if there
// is one, newest first or oldest first.
func (f LogFilter) query(counted int64, name alias) (query string, args []any) {
	args = []any{name.after, name.until, f.Limit, counted}
	where := []string{"counted IS NULL"}
	if counted != 0 {
		where[0] = "counted = ?4"
	}
	and := func(condition string, arg any) { // %d is the number of the parameter
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
			where[0] = "+counted = ?4" // it is found by its files, not by reading all commits
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

// Numbered is an event with its place in the log: one sequence for prompts and actions of all
// sessions. Numbers grow with the order in which events were accepted and have gaps. Only Forget
// may let numbers be used again.
type Numbered struct {
	Seq int64
	event.Event
}

// Thread returns the newest that people and agents did in a session, in the order of the log.
// Predictions and their outcomes are not among them.
func (d *DB) Thread(ctx context.Context, session string, limit int) ([]Numbered, error) {
	out, err := d.numbered(ctx, "SELECT "+rowColumns+` FROM events WHERE session = ?1 AND session <> '' AND counted IS NULL
  AND `+isWork+" ORDER BY id DESC LIMIT ?2", session, limit)
	slices.Reverse(out)
	return out, err
}

// Turn returns an event of a session by its number, and at most limit-1 of those after it.
func (d *DB) Turn(ctx context.Context, session string, from int64, limit int) ([]Numbered, error) {
	return d.numbered(ctx, "SELECT "+rowColumns+` FROM events WHERE session = ?1 AND session <> '' AND counted IS NULL AND id >= ?2
  AND `+isWork+" ORDER BY id LIMIT ?3", session, from, limit)
}

// Prompts returns the prompts of all sessions in the order of the log: the newest limit ones with
// numbers over after.
func (d *DB) Prompts(ctx context.Context, after int64, limit int) ([]Numbered, error) {
	out, err := d.numbered(ctx, "SELECT "+rowColumns+` FROM events
WHERE kind = 'prompt' AND counted IS NULL AND id > ? ORDER BY id DESC LIMIT ?`, after, limit)
	slices.Reverse(out)
	return out, err
}

// numbered decodes the rows of a query, but for those that cannot be read.
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

// Text opens the text of a logged event, "" if it has none, is not known, or the key is lost.
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
