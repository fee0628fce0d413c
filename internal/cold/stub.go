package cold

import (
	"context"
	"log/slog"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// Options of Open. Now is required; Log may be nil.
type Options struct {
	Now func() time.Time // names a damaged file's copy
	Log *slog.Logger     // gets one warning when a damaged file was moved aside
}

// DB is an open store. It is safe for concurrent use.
type DB struct{ path string }

// Record is one packed record of the hot store. Data is opaque here; empty Data deletes the key.
type Record struct {
	Key  string
	Data []byte
}

// Pair is two files that keep changing together.
type Pair struct {
	A, B           aoa.Path
	Both, OfA, OfB int // commits that touched both, A, B
}

// LogFilter selects events. Zero fields select everything.
type LogFilter struct {
	Since, Until time.Time  // Since included, Until excluded
	Session      string     // events of that session only
	File         aoa.Path   // events that acted upon that file, under its earlier names too
	Kinds        []aoa.Kind // these kinds only
	Limit        int        // at most so many; 0 is 1000
	Oldest       bool       // oldest first instead of newest first
}

// ForgetFilter says what to forget; exactly one field is set.
type ForgetFilter struct {
	Path    aoa.Path  // a file, or a folder and all below it
	Session string    // a session
	Since   time.Time // everything from then on
}

// FileStat is a row of file_stats.
type FileStat struct {
	File        aoa.Path      `json:"file"`
	Accesses    int           `json:"total_accesses"`
	First       time.Time     `json:"first_access"`
	Last        time.Time     `json:"last_access"`
	MeanSession time.Duration `json:"avg_session_duration"` // nanoseconds: mean time between first and last access in one session
}

// TagStat is a row of tag_stats.
type TagStat struct {
	Tag   string `json:"tag"`
	Uses  int    `json:"total_uses"`
	Files int    `json:"files_count"`
}

// SessionStat is a row of sessions.
type SessionStat struct {
	ID      string    `json:"id"`
	Agent   string    `json:"agent"`
	Started time.Time `json:"started"`
	Last    time.Time `json:"last"`
	Events  int       `json:"events"`
	Files   int       `json:"files"`
}

// Status is the size of the store.
type Status struct {
	Events, Commits, Files, Sessions int       // rows; Commits are the counted ones, Files the ones ever named
	Bytes                            int64     // of the database file and its write-ahead log
	Seq, SnapshotSeq                 int64     // the last batch, and the last one inside the snapshot
	First, Last                      time.Time // times of the oldest and newest event kept (commits apart)
}

// Pruned says what Prune took away.
type Pruned struct {
	Events int
	Bytes  int64
}

func Open(ctx context.Context, path string, o Options) (*DB, error) { panic("soon") }
func (d *DB) Close() error                                          { panic("soon") }
func (d *DB) suspect()                                              {}
func classifySystem(err error) error                                { return nil }
func (d *DB) Append(ctx context.Context, events []aoa.Event) (seq int64, fresh []aoa.Event, err error) {
	panic("soon")
}
func (d *DB) AppendCommits(ctx context.Context, events []aoa.Event, cursor map[string]string) (seq int64, fresh []aoa.Event, err error) {
	panic("soon")
}
func (d *DB) Cursor(ctx context.Context) (map[string]string, error) { panic("soon") }
func (d *DB) Replay(ctx context.Context, after int64, fn func(seq int64, batch []aoa.Event) error) error {
	panic("soon")
}
func (d *DB) SaveSnapshot(ctx context.Context, seq int64, recs []Record, full bool) error {
	panic("soon")
}
func (d *DB) LoadSnapshot(ctx context.Context, fn func([]Record) error) (seq int64, err error) {
	panic("soon")
}
func (d *DB) Together(ctx context.Context, a, b aoa.Path) (both, ofA int, err error) { panic("soon") }
func (d *DB) Pairs(ctx context.Context, n int, exists func(aoa.Path) bool) ([]Pair, error) {
	panic("soon")
}
func (d *DB) Log(ctx context.Context, f LogFilter) ([]aoa.Event, error)          { panic("soon") }
func (d *DB) FileStats(ctx context.Context, limit int) ([]FileStat, error)       { panic("soon") }
func (d *DB) TagStats(ctx context.Context, limit int) ([]TagStat, error)         { panic("soon") }
func (d *DB) SessionStats(ctx context.Context, limit int) ([]SessionStat, error) { panic("soon") }
func (d *DB) SaveAnswer(ctx context.Context, at int64, answer []byte) error      { panic("soon") }
func (d *DB) Answer(ctx context.Context, at int64) ([]byte, error)               { panic("soon") }
func (d *DB) Forget(ctx context.Context, f ForgetFilter) ([]aoa.Event, error)    { panic("soon") }
func (d *DB) Scrub(ctx context.Context) error                                    { panic("soon") }
func (d *DB) Prune(ctx context.Context, before time.Time, maxBytes int64) (Pruned, error) {
	panic("soon")
}
func (d *DB) Status(ctx context.Context) (Status, error)           { panic("soon") }
func (d *DB) Meta(ctx context.Context, key string) (string, error) { panic("soon") }
func (d *DB) SetMeta(ctx context.Context, key, value string) error { panic("soon") }
