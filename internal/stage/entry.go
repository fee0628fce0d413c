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

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Statements.
const (
	sqlPutEntry = `INSERT OR REPLACE INTO entries
(key, stage, created, used, hits, ttl, exit, duration, bytes, stdout, stderr, files, command, model, sum, deps, material)
VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// Entry is one kept result, without what it printed. Times are UTC.
type Entry struct {
	Key      string
	Stage    string
	Created  time.Time
	Used     time.Time
	Hits     int
	TTL      int64 // of the run that made it, in ms; 0: none
	Exit     int
	Duration int64 // of that run, in ms
	Bytes    int64 // of the record
	Stdout   int64
	Stderr   int64
	Files    int
	Command  string // redacted
	Model    string
}

// row is an entry with the digest of its record.
type row struct {
	Entry
	sum Sum
}

// ErrNoEntry is wrapped when nothing of that name or key is kept.
var ErrNoEntry = errors.New("no such stage or key")

// sources are the patterns by which the same dependencies are found again.
type sources struct {
	Deps     []string `json:"deps,omitempty"`
	Outputs  []string `json:"outputs,omitempty"`
	Template string   `json:"template,omitempty"`
}

// entries reads the rows that a statement selects.
func entries(ctx context.Context, f *cold.File, statement string, args ...any) (out []row, err error) {
	err = f.Each(ctx, statement, args, func(rows cold.Row) error {
		var e row
		var sum []byte
		var created, used int64
		err := rows.Scan(&e.Key, &e.Stage, &created, &used, &e.Hits, &e.TTL, &e.Exit, &e.Duration, &e.Bytes,
			&e.Stdout, &e.Stderr, &e.Files, &e.Command, &e.Model, &sum)
		if err == nil && (len(sum) != len(e.sum) || !cold.Possible(created) || !cold.Possible(used)) {
			err = fmt.Errorf("%w: result %q: its times or its digest are impossible", cold.ErrRow, e.Key)
		}
		if err != nil {
			return err
		}
		e.Created, e.Used, e.sum = time.UnixMilli(created).UTC(), time.UnixMilli(used).UTC(), Sum(sum)
		out = append(out, e)
		return nil
	})
	return out, err
}

// refusal is the reason why an entry does not answer a request, "" if it does.
func (e *Entry) refusal(r *Request, now time.Time) string {
	age := max(0, now.Sub(e.Created)) // clocks go back
	switch {
	case e.Exit != 0 && !r.Failures:
		return fmt.Sprintf("the kept run failed with exit code %d", e.Exit)
	case r.TTL > 0 && age >= r.TTL:
		return fmt.Sprintf("the kept result is %s old, the ttl is %s", age.Round(time.Second), r.TTL)
	}
	return ""
}

// blob is the name of a key's file.
func (c *Cache) blob(key string) string { return filepath.Join(c.o.Dir, key) }

// What a sealed text belongs to.
func recordOf(key string) string { return "stage result " + key }
func outputOf(session, stage, prompt string) string {
	return "stage output " + session + "\x00" + stage + "\x00" + prompt
}
func contextOf(session, name string) string { return "stage context " + session + "\x00" + name }

// maxRecord bounds a record that is read back, in bytes.
const maxRecord = 1 << 30

// load reads an entry's record. One that is damaged is dropped, with one warning, and is a miss from then on.
func (c *Cache) load(ctx context.Context, f *cold.File, e row) ([]byte, bool) {
	what := "its content is another one"
	data, err := regularfile.Read(c.blob(e.Key), regularfile.NoLinks, maxRecord)
	if err == nil && sha256.Sum256(data) == e.sum {
		if data, err = c.o.Seal.Open(recordOf(e.Key), data); err == nil {
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

// store writes a record and its row. The file is written first, so that every row has one.
func (c *Cache) store(ctx context.Context, f *cold.File, r *Request, e Entry, m keyParts, record []byte) error {
	if err := os.MkdirAll(c.o.Dir, 0o700); err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	record = c.o.Seal.Seal(recordOf(e.Key), record)
	// A power cut may leave it empty: its digest says so, and the stage runs again.
	if err := atomicfile.WriteBytes(c.blob(e.Key), atomicfile.Options{Unsynced: true}, record); err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	from, err := json.Marshal(sources{r.Deps, r.Outputs, r.Template})
	if err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	sum := sha256.Sum256(record)
	return f.Write(ctx, "keep result", func(tx *cold.Tx) error {
		_, err := tx.Exec(sqlPutEntry, e.Key, e.Stage, e.Created.UnixMilli(), e.Used.UnixMilli(), e.TTL, e.Exit,
			e.Duration, e.Bytes, e.Stdout, e.Stderr, e.Files, e.Command, e.Model, sum[:], from, m.pack())
		return err
	})
}
