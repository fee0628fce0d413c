package cold

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// ForgetFilter says what to forget; exactly one of Path, Session and Since is set.
type ForgetFilter struct {
	Path    event.Path // a file, or a folder and all below it
	Session string     // a session
	Since   time.Time  // everything from then on
	Until   time.Time  // events of the log that happened later stay; zero: none do
}

func (f ForgetFilter) check() error {
	set := 0
	for _, is := range []bool{f.Path != "", f.Session != "", !f.Since.IsZero()} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("forget: %d of path, session and time are given: give exactly one", set)
	}
	return nil
}

// Forget deletes every event that mentions the path (in a list or in its text), belongs to the session, or
// happened since, with its share in the statistics, the answers that speak of it and the snapshot, in one transaction;
// it returns what is gone, the events in order. Delivered again, they stay away. The bytes are in the file until Scrub.
//
// Commits stay, since git has them anyway; a forgotten path is taken out of them, and the subject with it if it
// names the path. The snapshot goes because its scores count what is gone: the next start replays the log. Whoever
// holds scores in memory must rebuild them in the same way, and must not save a snapshot of them.
func (d *DB) Forget(ctx context.Context, f ForgetFilter) (Forgotten, error) {
	if err := f.check(); err != nil {
		return Forgotten{}, err
	}
	var gone Forgotten
	err := d.write(ctx, "forget", func(w writing) error {
		g := &forgetting{writing: w, filter: f, names: newNames(w), tally: newTally()}
		var err error
		if g.gone.Events, err = g.events(); err != nil {
			return err
		}
		if f.Path != "" {
			if err := g.path(); err != nil {
				return err
			}
		}
		gone = g.gone
		if err := g.traces(); err != nil {
			return err
		}
		return w.clearSnapshot()
	})
	if err != nil {
		return Forgotten{}, err
	}
	d.renamed.Add(1)
	d.counted.Add(1)
	if len(gone.Events) > 0 {
		d.anyGone.Store(true)
	}
	return gone, nil
}

// Meant returns the events that Forget would delete, in order.
func (d *DB) Meant(ctx context.Context, f ForgetFilter) (events []event.Event, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	err = d.write(ctx, "forget", func(w writing) error { // its statements are the writer's
		g := &forgetting{writing: w, filter: f, names: newNames(w)}
		found, err := g.find()
		for _, l := range found {
			events = append(events, l.event)
		}
		return err
	})
	return events, err
}

// Forgotten is what a Forget took out.
type Forgotten struct {
	Events  []event.Event // in order
	Files   int           // of a path: names known of it and below it
	Commits int           // of a path: commits that stay without it
}

// forgetting is one Forget under way.
type forgetting struct {
	writing
	filter ForgetFilter
	gone   Forgotten
	names  *names
	tally  *tally
}

// events deletes the events that the filter means, and their share in the statistics.
func (g *forgetting) events() ([]event.Event, error) {
	found, err := g.find()
	if err != nil {
		return nil, err
	}
	out := make([]event.Event, len(found))
	for i, f := range found {
		out[i] = f.event
		files, err := g.drop(g.names, f)
		if err != nil {
			return nil, err
		}
		g.tally.add(f.event, files, -1)
	}
	return out, g.recount()
}

// logged is an event with its id in intent_log.
type logged struct {
	id    int64
	event event.Event
}

func (g *forgetting) find() ([]logged, error) {
	since, needle := int64(math.MinInt64), ""
	if !g.filter.Since.IsZero() {
		since = g.filter.Since.UnixMilli()
	}
	if g.filter.Path != "" {
		needle = jsonInner(string(g.filter.Path))
	}
	s, err := g.stmt("all_events")
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(background, g.filter.Session, since, needle)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []logged
	for rows.Next() {
		var id int64
		var r eventRow
		err := r.scan(Row{rows}, &id)
		e := event.Event{ID: r.id}
		if err == nil {
			e, err = r.event(g.d.seal)
		}
		bad := g.f.bad.skip(err)
		if err != nil && !bad {
			return nil, err
		}
		if !bad && !g.filter.Until.IsZero() && e.Time.After(g.filter.Until) {
			continue
		}
		// What cannot be read may hold it: better forgotten than kept.
		if bad || g.filter.Path == "" || mentions(e, g.filter.Path) {
			out = append(out, logged{id, e})
		}
	}
	return out, rows.Err()
}

// jsonInner is a string as it stands inside JSON, without the quotes.
func jsonInner(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s // a string always has a JSON form
	}
	return string(b[1 : len(b)-1])
}

// drop deletes one event, leaving the digest of its ID, and returns the short names of its files.
func (w writing) drop(n *names, l logged) ([]int64, error) {
	if err := w.run("delete_event", l.id); err != nil {
		return nil, err
	}
	if err := w.run("insert_gone", digest(l.event.ID)); err != nil {
		return nil, err
	}
	files, err := n.ids(l.event.Paths)
	if err != nil {
		return nil, err
	}
	others, err := n.ids(slices.Concat(l.event.From, l.event.Gone))
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(files, others) {
		if err := w.run("delete_touch", f, l.id); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// recount takes the tally off the statistics. What cannot be subtracted (first and last times) is read anew
// from the events that remain, or kept where raw events were pruned before.
func (g *forgetting) recount() error {
	h, err := g.loadHops()
	if err != nil {
		return err
	}
	if err := g.tally.flush(g.writing, h); err != nil {
		return err
	}
	latest := int64(math.MaxInt64)
	if !g.filter.Since.IsZero() {
		latest = g.filter.Since.UnixMilli()
		if err := g.run("clamp_session_files", latest); err != nil {
			return err
		}
	}
	for _, name := range []string{"drop_unused_session_files", "recount_all_file_sessions", "drop_unused_tag_files",
		"recount_tags", "drop_unused_tags", "drop_empty_sessions"} {
		if err := g.run(name); err != nil {
			return err
		}
	}
	for f := range g.tally.files {
		if err := g.run("recount_file", f.file, latest); err != nil {
			return err
		}
	}
	for id := range g.tally.sessions {
		if err := g.run("recount_session", id); err != nil {
			return err
		}
	}
	return nil
}

// path takes the path out of every table and every commit.
func (g *forgetting) path() error {
	ids, err := g.below()
	g.gone.Files = len(ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := g.commits(); err != nil {
		return err
	}
	for _, id := range ids {
		for _, name := range []string{"forget_changes", "forget_touches", "forget_tag_files", "drop_session_files",
			"forget_renames", "forget_file"} {
			if err := g.run(name, id); err != nil {
				return err
			}
		}
	}
	g.d.hops, g.d.ids = nil, nil
	if err := g.run("recount_tags"); err != nil {
		return err
	}
	return g.run("drop_unused_tags")
}

func (g *forgetting) below() ([]int64, error) {
	s, err := g.stmt("files_below")
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(background, string(g.filter.Path))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		var file string
		if err := rows.Scan(&id, &file); err != nil {
			return nil, err
		}
		ids = append(ids, id)
		g.names.id[event.Path(file)], g.names.path[id] = id, event.Path(file)
	}
	return ids, rows.Err()
}

// commits rewrites the commits that mention the path, a thousand at a time.
func (g *forgetting) commits() error {
	s, err := g.stmt("commits_after")
	if err != nil {
		return err
	}
	for last := int64(0); ; {
		rows, err := s.QueryContext(background, last, 1000)
		if err != nil {
			return err
		}
		found, err := g.d.scanCommits(rows)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, r := range found {
			last = r.id
			e, err := r.event(g.names.name)
			bad := g.f.bad.skip(err)
			if err != nil && !bad {
				return err
			}
			if !bad && !mentions(e, g.filter.Path) {
				continue
			}
			clean := &commitRow{files: packed{}.pack()} // what cannot be read may hold it
			if !bad {
				clean, err = g.names.commitRow(without(e, g.filter.Path))
			}
			if err != nil && !bad {
				return err
			}
			g.gone.Commits++
			if err := g.run("update_commit", r.id, clean.subject, clean.files, clean.rest); err != nil {
				return err
			}
		}
	}
}

// traces deletes answers that hold the name.
func (g *forgetting) traces() error {
	f := g.filter
	since, text := int64(math.MinInt64), f.Session+string(f.Path)
	if !f.Since.IsZero() {
		since = f.Since.UnixMilli()
	}
	g.d.kept = -1
	return g.run("forget_answers", since, text, jsonInner(text))
}

// is reports whether p is the path or lies below it.
func is(p, path event.Path) bool {
	return p == path || strings.HasPrefix(string(p), string(path)) && p[len(path)] == '/'
}

// mentions reports whether an event names the path in any of its lists or in its text.
func mentions(e event.Event, path event.Path) bool {
	found := false
	eachPaths(&e, func(list *[]event.Path) {
		found = found || slices.ContainsFunc(*list, func(p event.Path) bool { return is(p, path) })
	})
	return found || inText(e.Text, string(path))
}

// without returns the event without the path.
func without(e event.Event, path event.Path) event.Event {
	eachPaths(&e, func(list *[]event.Path) {
		*list = slices.DeleteFunc(slices.Clone(*list), func(p event.Path) bool { return is(p, path) })
	})
	if inText(e.Text, string(path)) {
		e.Text, e.Terms = "", nil
	}
	return canonical(e)
}

// eachPaths calls fn with every list of paths of the event, also with those that later versions add.
func eachPaths(e *event.Event, fn func(list *[]event.Path)) {
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		if list, ok := v.Field(i).Addr().Interface().(*[]event.Path); ok {
			fn(list)
		}
	}
}

// inText reports whether the text names the path: not as a part of a longer name.
func inText(text, path string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], path)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(path)
		if (from == 0 || !inName(text[from-1])) && (to == len(text) || !inName(text[to]) || text[to] == '/' || text[to] == '.') {
			return true
		}
		at = from + 1
	}
}

// inName reports whether a byte may belong to the name of a file around a match.
func inName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
