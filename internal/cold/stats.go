package cold

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// FileStat is a row of file_stats: how often a file was read, edited, written or saved.
type FileStat struct {
	File     event.Path `json:"file"`
	Accesses int        `json:"total_accesses"`
	First    time.Time  `json:"first_access"`
	Last     time.Time  `json:"last_access"`
	// seconds from the first to the last access in a session, on average
	MeanSession float64 `json:"avg_session_duration"`
}

// TagStat is a row of tag_stats.
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

// FileStats returns the most used files; limit ≤ 0 returns all. MeanSession is that of the events that are kept.
func (d *DB) FileStats(ctx context.Context, limit int) ([]FileStat, error) {
	var out []FileStat
	at := map[int64]int{} // file → its place in out
	err := d.Each(ctx, `SELECT id, file, total_accesses, first_access, last_access FROM file_stats
WHERE total_accesses > 0 ORDER BY total_accesses DESC, last_access DESC, file LIMIT ?`, []any{bound(limit)}, func(row Row) error {
		var s FileStat
		var id, first, last int64
		err := row.Scan(&id, (*string)(&s.File), &s.Accesses, &first, &last)
		s.First, s.Last = moment(first), moment(last)
		if err == nil && (!Possible(first) || !Possible(last)) {
			err = fmt.Errorf("%w: file %q: its times are impossible", ErrRow, s.File)
		}
		if err == nil {
			at[id] = len(out)
			out = append(out, s)
		}
		return err
	})
	if err != nil || len(out) == 0 {
		return out, err
	}
	names, err := d.aliases(ctx)
	if err != nil {
		return nil, err
	}
	for id, i := range at {
		if out[i].MeanSession, err = d.meanSession(ctx, names.namesOf(id)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// meanSession is the time from the first to the last access of a file in a session, on average, in seconds. It costs
// a search for each event that acted upon the file.
func (d *DB) meanSession(ctx context.Context, names []alias) (float64, error) {
	visits := map[string]*span{} // by session
	for _, n := range names {
		err := d.Each(ctx, `SELECT session, time FROM touches CROSS JOIN events ON id = event WHERE file = ?1 AND touches.counted = 0
  AND events.counted IS NULL AND time > ?2 AND time <= ?3 AND session <> '' AND kind IN `+accessKinds, []any{n.file, n.after, n.until},
			func(row Row) error {
				var session sql.RawBytes
				var time int64
				if err := row.Scan(&session, &time); err != nil {
					return err
				}
				v := visits[string(session)]
				if v == nil {
					v = &span{}
					visits[string(session)] = v
				}
				v.add(1, time, time)
				return nil
			})
		if err != nil {
			return 0, err
		}
	}
	if len(visits) == 0 {
		return 0, nil
	}
	sum := int64(0) // milliseconds
	for _, v := range visits {
		sum += v.last - v.first
	}
	return float64(sum) / 1000 / float64(len(visits)), nil
}

// TagStats returns the most used tags; limit ≤ 0 returns all. Files counts those of the events that are kept.
func (d *DB) TagStats(ctx context.Context, limit int) ([]TagStat, error) {
	var out []TagStat
	files := map[string]map[int64]bool{} // by tag
	err := d.Each(ctx, "SELECT tag, total_uses FROM tag_stats WHERE total_uses > 0 ORDER BY total_uses DESC, tag LIMIT ?",
		[]any{bound(limit)},
		func(row Row) error {
			var s TagStat
			err := row.Scan(&s.Tag, &s.Uses)
			if err == nil {
				out = append(out, s)
				files[s.Tag] = map[int64]bool{}
			}
			return err
		})
	if err != nil || len(out) == 0 {
		return out, err
	}
	names, err := d.aliases(ctx)
	if err != nil {
		return nil, err
	}
	err = d.Each(ctx, "SELECT time, body FROM events WHERE counted IS NULL AND "+notBookkeeping, nil, func(row Row) error {
		var time int64
		var body sql.RawBytes
		if err := row.Scan(&time, &body); err != nil {
			return err
		}
		return eachTag(body, func(tag []byte, acted []int64) {
			if known := files[string(tag)]; known != nil {
				for _, f := range acted {
					known[names.renames.now(f, time)] = true
				}
			}
		})
	})
	for i, s := range out {
		out[i].Files = len(files[s.Tag])
	}
	return out, err
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
	err := d.Each(ctx, `SELECT file_stats.file, count(*) FROM touches CROSS JOIN events ON events.id = event
CROSS JOIN file_stats ON file_stats.id = touches.file
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
	names, err := d.aliases(ctx)
	for i := range out {
		if err == nil {
			err = d.countSession(ctx, &out[i], names.renames)
		}
	}
	return out, err
}

// countSession reads the events of one session.
func (d *DB) countSession(ctx context.Context, s *SessionStat, h renames) error {
	files := map[int64]bool{}
	s.Started = s.Last
	err := d.Each(ctx, "SELECT time, kind, body FROM events WHERE session = ? AND session <> '' AND "+notBookkeeping+" ORDER BY id",
		[]any{s.ID}, func(row Row) error {
			var time int64
			var kind string
			var body sql.RawBytes
			if err := row.Scan(&time, &kind, &body); err != nil {
				return err
			}
			s.Events++
			if at := moment(time); at.Before(s.Started) && Possible(time) {
				s.Started = at
			}
			for n, value := range bodyParts(body) {
				if n == fieldAgent && s.Agent == "" {
					s.Agent = string(value)
				}
			}
			if !access(event.Kind(kind)) {
				return nil
			}
			acted, err := filesOf(body)
			for _, f := range acted {
				files[h.now(f, time)] = true
			}
			return err
		})
	s.Files = len(files)
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
