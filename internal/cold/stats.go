package cold

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// FileStat is how often a file was read, edited, written or saved.
type FileStat struct {
	File     event.Path `json:"file"`
	Accesses int        `json:"total_accesses"`
	First    time.Time  `json:"first_access"`
	Last     time.Time  `json:"last_access"`
	// seconds from the first to the last access in a session, on average
	MeanSession float64 `json:"avg_session_duration"`
}

// TagStat is how often a tag was used.
type TagStat struct {
	Tag   string `json:"tag"`
	Uses  int    `json:"total_uses"`  // events that carried it
	Files int    `json:"files_count"` // different files acted upon under it
}

// SessionStat is a row of sessions.
type SessionStat struct {
	ID      string    `json:"id"`
	Agent   string    `json:"agent"`
	Started time.Time `json:"started"`
	Last    time.Time `json:"last"`
	Events  int       `json:"events"`
	Files   int       `json:"files"` // different files that it opened
}

// work is an event that says something of the work, a commit apart.
type work struct {
	at      int64 // unix ms
	kind    event.Kind
	session string
	files   []int64 // that it acted upon, under their present names
	body    []byte  // good until the next one
}

// eachWork calls fn with the work that is kept, of a session or, for "", of all. It reads the whole log.
func (d *DB) eachWork(ctx context.Context, session string, fn func(w work) error) error {
	names, err := d.aliases(ctx)
	if err != nil {
		return err
	}
	query, args := "SELECT time, kind, session, body FROM events WHERE counted IS NULL AND "+notBookkeeping, []any(nil)
	if session != "" {
		query, args = query+" AND session = ? AND session <> '' ORDER BY id", []any{session}
	}
	return d.Each(ctx, query, args, func(row Row) error {
		var w work
		var body sql.RawBytes
		if err := row.Scan(&w.at, (*string)(&w.kind), &w.session, &body); err != nil {
			return err
		}
		var err error
		if w.files, err = filesOf(body); err != nil {
			return err
		}
		w.files, w.body = names.renames.present(w.files, w.at), body
		return fn(w)
	})
}

// span is a number of accesses and the times of the first and the last.
type span struct{ n, first, last int64 }

func (s *span) add(n, first, last int64) {
	if s.n == 0 {
		s.first, s.last = first, last
	}
	s.n, s.first, s.last = s.n+n, min(s.first, first), max(s.last, last)
}

// FileStats returns the most used files of the events that are kept; limit ≤ 0 returns all.
func (d *DB) FileStats(ctx context.Context, limit int) ([]FileStat, error) {
	files := map[int64]map[string]*span{} // file → session → its accesses
	err := d.eachWork(ctx, "", func(w work) error {
		for _, f := range w.files {
			if !access(w.kind) || !Possible(w.at) {
				break
			}
			if files[f] == nil {
				files[f] = map[string]*span{}
			}
			if files[f][w.session] == nil {
				files[f][w.session] = &span{}
			}
			files[f][w.session].add(1, w.at, w.at)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	paths, err := d.pathsOfAll(ctx, slices.Collect(maps.Keys(files)))
	if err != nil {
		return nil, err
	}
	var out []FileStat
	for f, sessions := range files {
		s := FileStat{File: paths[f]}
		var all, inSessions span
		for session, visit := range sessions {
			if all.add(visit.n, visit.first, visit.last); session != "" {
				inSessions.n++
				inSessions.last += visit.last - visit.first
			}
		}
		s.Accesses, s.First, s.Last = int(all.n), moment(all.first), moment(all.last)
		if inSessions.n > 0 {
			s.MeanSession = float64(inSessions.last) / 1000 / float64(inSessions.n)
		}
		if s.File != "" { // a file without a name belongs to a damaged row
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b FileStat) int {
		return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), b.Last.Compare(a.Last), cmp.Compare(a.File, b.File))
	})
	return first(out, limit), nil
}

// first are the first of a list; all if the limit is not positive.
func first[T any](list []T, limit int) []T {
	if limit > 0 && len(list) > limit {
		return list[:limit]
	}
	return list
}

// TagStats returns the most used tags of the events that are kept; limit ≤ 0 returns all.
func (d *DB) TagStats(ctx context.Context, limit int) ([]TagStat, error) {
	uses, files := map[string]int{}, map[string]map[int64]bool{} // by tag
	err := d.eachWork(ctx, "", func(w work) error {
		return eachTag(w.body, func(tag []byte, _ []int64) {
			uses[string(tag)]++
			if files[string(tag)] == nil {
				files[string(tag)] = map[int64]bool{}
			}
			for _, f := range w.files {
				files[string(tag)][f] = true
			}
		})
	})
	var out []TagStat
	for tag, n := range uses {
		out = append(out, TagStat{tag, n, len(files[tag])})
	}
	slices.SortFunc(out, func(a, b TagStat) int { return cmp.Or(cmp.Compare(b.Uses, a.Uses), cmp.Compare(a.Tag, b.Tag)) })
	return first(out, limit), err
}

// selectSessions is the sessions and their last events. Stepping from session to session in the index costs two
// searches for each, whatever the number of its events.
const selectSessions = `WITH RECURSIVE step (name) AS (SELECT min(session) FROM events WHERE session <> ''
  UNION ALL SELECT (SELECT min(session) FROM events WHERE session > step.name AND session <> '') FROM step WHERE name IS NOT NULL),
sessions (name, last) AS (SELECT name, (SELECT time FROM events WHERE session = name AND session <> '' AND ` + notBookkeeping + `
  ORDER BY time DESC LIMIT 1) FROM step WHERE name IS NOT NULL)
`

// FileCommits is how many commits touched a file.
type FileCommits struct {
	File    event.Path
	Commits int
}

// CommitStats returns the files with the most counted commits in the year before the newest one, of those that keep
// accepts.
func (d *DB) CommitStats(ctx context.Context, limit int, keep func(event.Path) bool) ([]FileCommits, error) {
	var out []FileCommits
	err := d.Each(ctx, `SELECT files.file, count(*) FROM touches CROSS JOIN events ON events.id = event
CROSS JOIN files ON files.id = touches.file
WHERE touches.counted = 1 AND time > (SELECT max(time) FROM events WHERE counted = 1) - ?1
GROUP BY touches.file ORDER BY 2 DESC, 1`, []any{(365 * 24 * time.Hour).Milliseconds()}, func(row Row) error {
		var s FileCommits
		err := row.Scan((*string)(&s.File), &s.Commits)
		if err == nil && len(out) < limit && keep(s.File) {
			out = append(out, s)
		}
		return err
	})
	return out, d.explain("count commits of files", err)
}

// SessionIDs returns the sessions of which events are kept, in order.
func (d *DB) SessionIDs(ctx context.Context) (out []string, err error) {
	err = d.Each(ctx, selectSessions+"SELECT name FROM sessions WHERE last IS NOT NULL ORDER BY name", nil,
		func(row Row) error {
			var id string
			err := row.Scan(&id)
			out = append(out, id)
			return err
		})
	return out, d.explain("list sessions", err)
}

// SessionStats returns the newest sessions of which events are kept; limit ≤ 0 returns all.
func (d *DB) SessionStats(ctx context.Context, limit int) ([]SessionStat, error) {
	var out []SessionStat
	at := map[string]int{} // session → its place in out
	newest := selectSessions + "SELECT name, last FROM sessions WHERE last IS NOT NULL ORDER BY last DESC, name LIMIT ?"
	err := d.Each(ctx, newest, []any{bound(limit)}, func(row Row) error {
		var s SessionStat
		var last int64
		err := row.Scan(&s.ID, &last)
		if err == nil && !Possible(last) {
			err = fmt.Errorf("%w: session %q: its times are impossible", ErrRow, s.ID)
		}
		if err == nil {
			s.Last = moment(last)
			at[s.ID] = len(out)
			out = append(out, s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err == nil {
			err = d.countSession(ctx, &out[i])
		}
	}
	return out, err
}

// countSession reads the events of one session.
func (d *DB) countSession(ctx context.Context, s *SessionStat) error {
	files := map[int64]bool{}
	s.Started = s.Last
	err := d.eachWork(ctx, s.ID, func(w work) error {
		s.Events++
		if at := moment(w.at); at.Before(s.Started) && Possible(w.at) {
			s.Started = at
		}
		for n, value := range bodyParts(w.body) {
			if n == fieldAgent && s.Agent == "" {
				s.Agent = string(value)
			}
		}
		for _, f := range w.files {
			files[f] = files[f] || access(w.kind)
		}
		return nil
	})
	for _, opened := range files {
		if opened {
			s.Files++
		}
	}
	return err
}

// bound is a LIMIT: all if it is not positive.
func bound(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}

// Status is the size of the store.
type Status struct {
	Events      int       // logged events that are kept, commits apart
	Commits     int       // counted commits
	Sessions    int       // sessions of which events are kept
	Bytes       int64     // of the database file and its write-ahead log
	Seq         int64     // number of the last batch
	First, Last time.Time // times of the oldest and the newest event kept, commits apart; zero if there is none
}

// Status counts what is there; its cost grows with the number of events (one pass over an index).
func (d *DB) Status(ctx context.Context) (Status, error) {
	var s Status
	var first, last int64
	_, err := d.Scan(ctx, `SELECT (SELECT count(*) FROM events WHERE counted IS NULL), (SELECT count(*) FROM events WHERE counted = 1),
  (SELECT coalesce(min(time), 0) FROM events WHERE counted IS NULL), (SELECT coalesce(max(time), 0) FROM events WHERE counted IS NULL)`,
		nil, &s.Events, &s.Commits, &first, &last)
	if err != nil {
		return s, err
	}
	if _, err := d.Scan(ctx, selectSessions+"SELECT count(*) FROM sessions WHERE last IS NOT NULL", nil,
		&s.Sessions); err != nil {
		return s, err
	}
	if s.Events > 0 {
		s.First, s.Last = moment(first), moment(last)
	}
	s.Seq, s.Bytes = d.seq.Load(), d.bytes()
	return s, nil
}

// bytes is the size of the database file and its write-ahead log on disk.
func (d *DB) bytes() int64 {
	var n int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(d.path + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}

// access reports whether the kind is an access: a tool opened the file, or someone saved it.
func access(k event.Kind) bool { return k.Open() || k == event.KindSave }

// notBookkeeping is its opposite in SQL. For a list of kinds SQLite would search an index for each of them.
const notBookkeeping = "kind <> 'suggest' AND kind <> 'feedback' AND kind <> 'tick' AND kind <> 'setting'"
