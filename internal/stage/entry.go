package stage

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlPutEntry = `INSERT OR REPLACE INTO entries (key, stage, created, used, hits, ttl, exit, duration, bytes, stdout, stderr, files, command, model, sum, deps, material)
VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// Entry is one kept result, without what it printed.
type Entry struct {
	Key      string
	Stage    string
	Created  time.Time
	Used     time.Time
	Hits     int
	TTL      time.Duration // of the run that made it; 0: none
	Exit     int
	Duration time.Duration // of that run
	Bytes    int64         // of the record
	Stdout   int64
	Stderr   int64
	Files    int
	Command  string // redacted
	Model    string

	sum Sum
}

// ErrNoEntry is wrapped when nothing of that name or key is kept.
var ErrNoEntry = errors.New("no such stage or key")

// sources are what a later look needs to find the same dependencies again.
type sources struct {
	Deps     []string `json:"deps,omitempty"`
	Outputs  []string `json:"outputs,omitempty"`
	Template string   `json:"template,omitempty"`
}

// scanner is a row.
type scanner interface{ Scan(...any) error }

func scanEntry(s scanner) (Entry, error) {
	var e Entry
	var sum []byte
	var created, used, ttl, duration int64
	err := s.Scan(&e.Key, &e.Stage, &created, &used, &e.Hits, &ttl, &e.Exit, &duration, &e.Bytes, &e.Stdout, &e.Stderr, &e.Files, &e.Command, &e.Model, &sum)
	e.Created, e.Used = time.UnixMilli(created), time.UnixMilli(used)
	e.TTL, e.Duration = time.Duration(ttl)*time.Millisecond, time.Duration(duration)*time.Millisecond
	if err == nil && (len(sum) != len(e.sum) || !cold.Possible(created) || !cold.Possible(used)) {
		err = fmt.Errorf("%w: result %q: its times or its sum cannot be", cold.ErrRow, e.Key)
	}
	copy(e.sum[:], sum)
	return e, err
}

// entries reads rows of the statement into a list.
func entries(ctx context.Context, f *cold.File, name string, args ...any) (out []Entry, err error) {
	err = f.Each(ctx, name, args, func(rows cold.Row) error {
		e, err := scanEntry(rows)
		if err == nil {
			out = append(out, e)
		}
		return err
	})
	return out, err
}

// age is how old the entry is at a time, never negative: clocks go back.
func (e Entry) age(now time.Time) time.Duration { return max(0, now.Sub(e.Created)) }

// blob is the file of a key.
func (c *Cache) blob(key string) string { return filepath.Join(c.o.Dir, key) }

// seal is what closes texts; the nil Seal closes nothing.
func (c *Cache) seal() *cold.Seal {
	if c.o.Seal == nil {
		return nil
	}
	return c.o.Seal()
}

// What a sealed text belongs to.
func recordOf(key string) string { return "stage result " + key }
func outputOf(session, stage, prompt string) string {
	return "stage output " + session + "\x00" + stage + "\x00" + prompt
}
func contextOf(session, name string) string { return "stage context " + session + "\x00" + name }

// load reads an entry's record. One that is not what was written is dropped, with one warning: it is a miss from then on.
func (c *Cache) load(ctx context.Context, f *cold.File, e Entry) ([]byte, bool) {
	what := "its content is another one"
	data, err := os.ReadFile(c.blob(e.Key))
	if err == nil && sha256.Sum256(data) == e.sum {
		if data, err = c.seal().Open(recordOf(e.Key), data); err == nil {
			return data, true
		}
	}
	if err != nil {
		what = err.Error()
	}
	c.warn("a kept result was damaged and is dropped: the step runs again", "stage", e.Stage, "key", e.Key, "damage", what)
	if err := c.drop(ctx, f, e.Key); err != nil {
		c.warn("the damaged result stays listed", "key", e.Key, "err", err)
	}
	return nil, false
}

// drop removes entries, rows first: a file without a row is only space.
func (c *Cache) drop(ctx context.Context, f *cold.File, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	err := f.Write(ctx, "drop results", func(tx *cold.Tx) error {
		for _, k := range keys {
			if _, err := tx.Exec("DELETE FROM entries WHERE key = ?", k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range keys {
		if err := os.Remove(c.blob(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// store writes a record and its row. The file comes first: a row always has one, unless it was damaged.
func (c *Cache) store(ctx context.Context, f *cold.File, r *Request, e Entry, m Material, record []byte) error {
	if err := os.MkdirAll(c.o.Dir, 0o700); err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	record = c.seal().Seal(recordOf(e.Key), record)
	tmp, err := os.CreateTemp(c.o.Dir, ".new-*") // 0600
	if err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	_, err = tmp.Write(record)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), c.blob(e.Key))
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("keep result: %w", err)
	}
	from, err := json.Marshal(sources{r.Deps, r.Outputs, r.Template})
	if err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	sum := sha256.Sum256(record)
	return f.Write(ctx, "keep result", func(tx *cold.Tx) error {
		_, err := tx.Exec(sqlPutEntry, e.Key, e.Stage, e.Created.UnixMilli(), e.Used.UnixMilli(), e.TTL.Milliseconds(), e.Exit,
			e.Duration.Milliseconds(), e.Bytes, e.Stdout, e.Stderr, e.Files, e.Command, e.Model, sum[:], from, m.pack())
		return err
	})
}
