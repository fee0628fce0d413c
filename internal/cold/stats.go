package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// FileStat is a row of file_stats: how often a file was read, edited, written or saved.
type FileStat struct {
	File        event.Path `json:"file"`
	Accesses    int        `json:"total_accesses"`
	First       time.Time  `json:"first_access"`
	Last        time.Time  `json:"last_access"`
	MeanSession float64    `json:"avg_session_duration"` // seconds from the first to the last access in a session, on average
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

// FileStats returns the most used files; limit ≤ 0 returns all.
func (d *DB) FileStats(ctx context.Context, limit int) ([]FileStat, error) {
	return collect(ctx, d, "file_stats", limit, func(rows Row) (s FileStat, err error) {
		var first, last int64
		err = rows.Scan((*string)(&s.File), &s.Accesses, &first, &last, &s.MeanSession)
		s.First, s.Last = moment(first), moment(last)
		if err == nil && (!Possible(first) || !Possible(last)) {
			err = fmt.Errorf("%w: file %q: its times cannot be", ErrRow, s.File)
		}
		return s, err
	})
}

// TagStats returns the most used tags; limit ≤ 0 returns all.
func (d *DB) TagStats(ctx context.Context, limit int) ([]TagStat, error) {
	return collect(ctx, d, "tag_stats", limit, func(rows Row) (s TagStat, err error) {
		err = rows.Scan(&s.Tag, &s.Uses, &s.Files)
		return s, err
	})
}

// SessionStats returns the newest sessions; limit ≤ 0 returns all.
func (d *DB) SessionStats(ctx context.Context, limit int) ([]SessionStat, error) {
	return collect(ctx, d, "session_stats", limit, func(rows Row) (s SessionStat, err error) {
		var started, last int64
		err = rows.Scan(&s.ID, &s.Agent, &started, &last, &s.Events, &s.Files)
		s.Started, s.Last = moment(started), moment(last)
		if err == nil && (!Possible(started) || !Possible(last)) {
			err = fmt.Errorf("%w: session %q: its times cannot be", ErrRow, s.ID)
		}
		return s, err
	})
}

// collect runs a statement whose only parameter is a limit.
func collect[T any](ctx context.Context, d *DB, name string, limit int, scan func(Row) (T, error)) ([]T, error) {
	if limit <= 0 {
		limit = -1
	}
	var out []T
	err := d.Each(ctx, name, []any{limit}, func(rows Row) error {
		row, err := scan(rows)
		if err == nil {
			out = append(out, row)
		}
		return err
	})
	return out, err
}

// Status is the size of the store.
type Status struct {
	Events      int       // logged events that are kept, commits apart
	Commits     int       // counted commits
	Files       int       // files ever named
	Sessions    int       // sessions ever seen
	Bytes       int64     // of the database file and its write-ahead log
	Seq         int64     // number of the last batch
	SnapshotSeq int64     // number of the last batch inside the snapshot
	First, Last time.Time // times of the oldest and the newest event kept, commits apart; zero if there is none
}

// Status counts what is there; its cost grows with the number of events (one pass over an index).
func (d *DB) Status(ctx context.Context) (Status, error) {
	var s Status
	var first, last int64
	if err := d.row(ctx, "status").Scan(&s.Events, &s.Commits, &s.Files, &s.Sessions, &first, &last); err != nil {
		return s, d.explain("read status", err)
	}
	if s.Events > 0 {
		s.First, s.Last = moment(first), moment(last)
	}
	s.Seq, s.Bytes = d.seq.Load(), d.Bytes()
	var err error
	s.SnapshotSeq, err = d.SnapshotSeq(ctx)
	return s, err
}

// Bytes is the size of the database file and its write-ahead log on disk.
func (d *DB) Bytes() int64 {
	var n int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(d.path + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}

// SaveAnswer keeps an answer under its time (unix milliseconds), so that it can be explained later to the
// digit. The newest thousand are kept; a second answer of the same millisecond replaces the first.
func (d *DB) SaveAnswer(ctx context.Context, at int64, answer []byte) error {
	return d.SaveAnswers(ctx, map[int64][]byte{at: answer})
}

// SaveAnswers is SaveAnswer for many in one transaction.
func (d *DB) SaveAnswers(ctx context.Context, answers map[int64][]byte) error {
	return d.write(ctx, "save answers", func(w writing) error {
		if d.kept < 0 {
			if _, err := w.Scan("count_answers", nil, &d.kept); err != nil {
				return err
			}
		}
		for _, at := range slices.Sorted(maps.Keys(answers)) {
			if err := w.saveAnswer(at, answers[at]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w writing) saveAnswer(at int64, answer []byte) error {
	var one int
	known, err := w.Scan("has_answer", []any{at}, &one)
	if err != nil {
		return err
	}
	if err := w.run("save_answer", at, string(answer)); err != nil || known {
		return err
	}
	for w.d.kept++; w.d.kept > answersKept; w.d.kept-- {
		if err := w.run("drop_oldest_answer", at+oneDay.Milliseconds()); err != nil {
			return err
		}
	}
	return nil
}

const answersKept = 1000

// Answer returns what SaveAnswer kept under that time, or ErrNotFound.
func (d *DB) Answer(ctx context.Context, at int64) ([]byte, error) {
	var v string
	err := d.row(ctx, "answer", at).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read answer: %w: nothing was answered at %d, or it is older than the last thousand answers", ErrNotFound, at)
	}
	return []byte(v), d.explain("read answer", err)
}
