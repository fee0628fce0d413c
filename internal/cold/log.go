package cold

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// LogFilter selects events. Zero fields select everything.
type LogFilter struct {
	Since, Until time.Time    // Since included, Until excluded
	Session      string       // events of that session only
	File         event.Path   // events that acted upon that file, under its earlier names too
	Kinds        []event.Kind // these kinds only
	Limit        int          // at most so many; 0 is 1000
	Oldest       bool         // oldest first instead of newest first
}

func (f LogFilter) limit() int {
	if f.Limit <= 0 {
		return 1000
	}
	return f.Limit
}

// Log returns the events that pass the filter, newest first unless Oldest is set, by their own time. Counted
// commits are among them; commits that were taken back are when KindUncommit is asked for, at the time of the commit.
func (d *DB) Log(ctx context.Context, f LogFilter) ([]event.Event, error) {
	events, err := d.logEvents(ctx, f)
	if err != nil {
		return nil, d.explain("read log", err)
	}
	commits, err := d.logCommits(ctx, f)
	if err != nil {
		return nil, d.explain("read log", err)
	}
	undone, err := d.logUncommits(ctx, f)
	if err != nil {
		return nil, d.explain("read log", err)
	}
	out := slices.Concat(events, commits, undone)
	slices.SortStableFunc(out, func(x, y event.Event) int {
		if f.Oldest {
			return x.Time.Compare(y.Time)
		}
		return y.Time.Compare(x.Time)
	})
	return out[:min(len(out), f.limit())], nil
}

// span returns the bounds of the filter's time.
func (f LogFilter) span() (since, until int64) {
	since, until = math.MinInt64, math.MaxInt64
	if !f.Since.IsZero() {
		since = f.Since.UnixMilli()
	}
	if !f.Until.IsZero() {
		until = f.Until.UnixMilli()
	}
	return since, until
}

// direction turns the statement round if the oldest are asked for.
func (f LogFilter) direction(text string) string {
	if f.Oldest {
		return strings.ReplaceAll(text, " DESC", " ASC")
	}
	return text
}

func (d *DB) logEvents(ctx context.Context, f LogFilter) ([]event.Event, error) {
	name := "log_by_time"
	switch {
	case f.File != "":
		name = "log_by_file"
	case f.Session != "":
		name = "log_by_session"
	}
	kinds := ""
	for _, k := range f.Kinds {
		kinds = cmp.Or(kinds, ",") + string(k) + ","
	}
	since, until := f.span()
	rows, err := d.reader.QueryContext(ctx, f.direction(d.query(name)), since, until, kinds, f.limit(), f.Session, string(f.File))
	if err != nil {
		return nil, err
	}
	var out []event.Event
	err = d.each(rows, func(row Row) error {
		var r eventRow
		if err := r.scan(row); err != nil {
			return err
		}
		e, err := r.event(d.seal)
		if err == nil {
			out = append(out, e)
		}
		return err
	})
	return out, err
}

func (d *DB) logCommits(ctx context.Context, f LogFilter) ([]event.Event, error) {
	if f.Session != "" || len(f.Kinds) > 0 && !slices.Contains(f.Kinds, event.KindCommit) {
		return nil, nil
	}
	found, err := d.findCommits(ctx, f)
	if err != nil {
		return nil, err
	}
	return d.commitEvents(ctx, found)
}

// commitEvents decodes commits, but for those that cannot be read.
func (d *DB) commitEvents(ctx context.Context, found []commitRow) ([]event.Event, error) {
	defer d.bad.warn()
	out, names := make([]event.Event, 0, len(found)), d.namer(ctx)
	for i := range found {
		e, err := found[i].event(names)
		if d.bad.skip(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// logUncommits lists the commits that are taken back now.
func (d *DB) logUncommits(ctx context.Context, f LogFilter) ([]event.Event, error) {
	if f.Session != "" || !slices.Contains(f.Kinds, event.KindUncommit) {
		return nil, nil
	}
	since, until := f.span()
	rows, err := d.reader.QueryContext(ctx, f.direction(d.query("log_uncommits")), since, until, f.limit())
	if err != nil {
		return nil, err
	}
	found, err := d.scanCommits(rows)
	if err != nil {
		return nil, err
	}
	all, err := d.commitEvents(ctx, found)
	var out []event.Event
	for _, e := range all {
		key, _ := commitKey(e.ID)
		if e.Kind, e.ID = event.KindUncommit, uncommitID(key); f.File == "" || slices.Contains(e.Paths, f.File) {
			out = append(out, e)
		}
	}
	return out, err
}

func (d *DB) findCommits(ctx context.Context, f LogFilter) ([]commitRow, error) {
	since, until := f.span()
	if f.File == "" {
		rows, err := d.reader.QueryContext(ctx, f.direction(d.query("log_commits")), since, until, f.limit())
		if err != nil {
			return nil, err
		}
		return d.scanCommits(rows)
	}
	id, ok, err := d.fileID(ctx, f.File)
	if err != nil || !ok {
		return nil, err
	}
	l, err := d.lineage(ctx)
	if err != nil {
		return nil, err
	}
	var out []commitRow
	seen := map[int64]bool{} // the commit that renames names the file twice
	for _, n := range l.of(id) {
		rows, err := d.reader.QueryContext(ctx, f.direction(d.query("log_commits_by_file")), since, until, f.limit(),
			n.name, n.after, n.until)
		if err != nil {
			return nil, err
		}
		found, err := d.scanCommits(rows)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if !seen[r.id] {
				seen[r.id] = true
				out = append(out, r)
			}
		}
	}
	return out, nil
}

func (d *DB) scanCommits(rows *sql.Rows) ([]commitRow, error) {
	var out []commitRow
	err := d.each(rows, func(row Row) error {
		var r commitRow
		err := row.Scan(r.fields()...)
		if err == nil {
			out = append(out, r)
		}
		return err
	})
	return out, err
}

// namer finds paths by short name for a reader, asking once per file.
func (d *DB) namer(ctx context.Context) func(id int64) (event.Path, error) {
	known := map[int64]event.Path{}
	return func(id int64) (event.Path, error) {
		if p, ok := known[id]; ok {
			return p, nil
		}
		var p string
		found, err := exists(d.row(ctx, "file_name", id).Scan(&p))
		if err == nil && !found {
			err = missingFile(id)
		}
		if err != nil {
			return "", err
		}
		known[id] = event.Path(p)
		return event.Path(p), nil
	}
}
