package cold

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
)

// FileStat tells how often a file was read, edited, written or saved, or how many commits changed
// it.
type FileStat struct {
	File     event.Path `json:"file"`
	Accesses int        `json:"total_accesses"`
	First    time.Time  `json:"first_access,omitzero"`
	Last     time.Time  `json:"last_access,omitzero"`
	// MeanSession is the average time in seconds from the first to the last access in a session.
	MeanSession float64 `json:"avg_session_duration"`
}

// TagStat tells how often a tag was used.
type TagStat struct {
	Tag   string `json:"tag"`
	Uses  int    `json:"total_uses"`  // number of events with the tag
	Files int    `json:"files_count"` // number of different files acted upon in these events
}

// SessionStat sums up one session.
type SessionStat struct {
	ID       string    `json:"id"`
	Agent    string    `json:"agent"`
	Started  time.Time `json:"started"`
	Last     time.Time `json:"last"`
	Duration float64   `json:"duration_s"` // seconds from Started to Last
	Events   int       `json:"events"`
	Files    int       `json:"files"` // number of different files that it opened
}

// span has the number of accesses and the times of the first and the last one.
type span struct{ n, first, last int64 }

func (s *span) add(n, first, last int64) {
	if s.n == 0 {
		s.first, s.last = first, last
	}
	s.n, s.first, s.last = s.n+n, min(s.first, first), max(s.last, last)
}

// FileStats returns the files that are used most in the events that are kept, under their present
// names. limit ≤ 0 returns all.
func (d *DB) FileStats(ctx context.Context, limit int) ([]FileStat, error) {
	h, err := d.renames(ctx)
	if err != nil {
		return nil, err
	}
	paths, err := d.paths(ctx)
	if err != nil {
		return nil, err
	}
	files := map[event.Path]map[string]*span{} // the accesses of each file in each session
	err = d.Each(ctx, `SELECT file, time, session FROM touches JOIN events ON id = event WHERE touches.counted = 0
  AND kind IN ('read', 'edit', 'write', 'save')`, nil, func(row Row) error {
		var f, at int64
		var session string
		err := row.Scan(&f, &at, &session)
		p := paths[h.now(f, at)]
		if err != nil || p == "" { // a file without a name comes from a damaged row
			return err
		}
		if files[p] == nil {
			files[p] = map[string]*span{}
		}
		if files[p][session] == nil {
			files[p][session] = &span{}
		}
		files[p][session].add(1, at, at)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []FileStat
	for f, sessions := range files {
		s := FileStat{File: f}
		var all, inSessions span
		for session, visit := range sessions {
			all.add(visit.n, visit.first, visit.last)
			if session != "" {
				inSessions.n++
				inSessions.last += visit.last - visit.first
			}
		}
		s.Accesses, s.First, s.Last = int(all.n), moment(all.first), moment(all.last)
		if inSessions.n > 0 {
			s.MeanSession = float64(inSessions.last) / 1000 / float64(inSessions.n)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b FileStat) int {
		return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), b.Last.Compare(a.Last), cmp.Compare(a.File, b.File))
	})
	return first(out, limit), nil
}

// first returns the first limit elements of a list, or all if the limit is not positive.
func first[T any](list []T, limit int) []T {
	if limit > 0 && len(list) > limit {
		return list[:limit]
	}
	return list
}

// used has the fields of a body that the statistics need.
type used struct {
	Tags  []string     `json:"tags"`
	Paths []event.Path `json:"paths"`
}

// scanUsed reads a row whose last column is the body of a prompt or a call.
func scanUsed(row Row, before ...any) (u used, err error) {
	var body sql.RawBytes
	if err = row.Scan(append(before, &body)...); err == nil {
		if err = codec.Decode(body, &u); err != nil {
			err = fmt.Errorf("%w: %w", ErrRow, err)
		}
	}
	return u, err
}

// TagStats returns the tags that are used most in the events that are kept. limit ≤ 0 returns all.
func (d *DB) TagStats(ctx context.Context, limit int) ([]TagStat, error) {
	uses, files := map[string]int{}, map[string]map[event.Path]bool{} // for each tag
	err := d.Each(ctx, "SELECT body FROM events WHERE counted IS NULL AND "+isWork, nil, func(row Row) error {
		u, err := scanUsed(row)
		for _, tag := range u.Tags {
			uses[tag]++
			if files[tag] == nil {
				files[tag] = map[event.Path]bool{}
			}
			for _, p := range u.Paths {
				files[tag][p] = true
			}
		}
		return err
	})
	var out []TagStat
	for tag, n := range uses {
		out = append(out, TagStat{tag, n, len(files[tag])})
	}
	slices.SortFunc(out, func(a, b TagStat) int { return cmp.Or(cmp.Compare(b.Uses, a.Uses), cmp.Compare(a.Tag, b.Tag)) })
	return first(out, limit), err
}

// inSession selects the events of sessions in a way that uses an index.
const inSession = " FROM events WHERE session <> '' AND counted IS NULL AND " + isWork

// SessionIDs returns the ids of the sessions that have events in the log, sorted.
func (d *DB) SessionIDs(ctx context.Context) ([]string, error) {
	return column[string](ctx, d.File, d.reader, "SELECT DISTINCT session"+inSession+" ORDER BY session")
}

// SessionStats returns the newest sessions that have events in the log. limit ≤ 0 returns all.
func (d *DB) SessionStats(ctx context.Context, limit int) (out []SessionStat, err error) {
	query := "SELECT session, count(*), min(time), max(time)" + inSession + " GROUP BY session ORDER BY 4 DESC, 1 LIMIT ?"
	err = d.Each(ctx, query, []any{cmp.Or(max(limit, 0), -1)}, func(row Row) error {
		var s SessionStat
		var first, last int64
		err := row.Scan(&s.ID, &s.Events, &first, &last)
		s.Started, s.Last = moment(first), moment(last)
		if s.Duration = s.Last.Sub(s.Started).Seconds(); err == nil {
			out = append(out, s)
		}
		return err
	})
	for i := range out {
		s, files := &out[i], map[event.Path]bool{}
		if err == nil {
			const query = "SELECT agent, kind, body" + inSession + " AND session = ? ORDER BY time DESC"
			err = d.Each(ctx, query, []any{s.ID}, func(row Row) error {
				var agent, kind string
				u, err := scanUsed(row, &agent, &kind)
				s.Agent = cmp.Or(agent, s.Agent)
				for _, p := range u.Paths {
					if event.Kind(kind).Open() {
						files[p] = true
					}
				}
				return err
			})
		}
		s.Files = len(files)
	}
	return out, err
}

// Status tells how large the store is.
type Status struct {
	Events   int   // logged events that are kept, without commits
	Commits  int   // counted commits
	Sessions int   // sessions that have events in the log
	Bytes    int64 // size of the database file and its write-ahead log
}

// Status counts the rows of the log. It makes one pass over an index, so its cost grows with the
// number of events.
func (d *DB) Status(ctx context.Context) (Status, error) {
	var s Status
	_, err := d.Scan(ctx, "SELECT (SELECT count(*) FROM events WHERE counted IS NULL),"+
		" (SELECT count(*) FROM events WHERE counted = 1), (SELECT count(DISTINCT session)"+inSession+")",
		nil, &s.Events, &s.Commits, &s.Sessions)
	s.Bytes = d.bytes()
	return s, err
}

// bytes returns the size of the database file and its write-ahead log on disk.
func (d *DB) bytes() int64 {
	var n int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(d.path + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}

// isWork selects what people and agents did and leaves out aOa's own events. The condition is
// written with <> because SQLite would search an index once for each kind in a list.
const isWork = "kind <> 'hint' AND kind <> 'feedback' AND kind <> 'tick' AND kind <> 'setting'"
