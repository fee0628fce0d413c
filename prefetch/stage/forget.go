package stage

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// used reports whether anything was ever kept: a cache that never was is not opened to look.
func (c *Cache) used() bool {
	_, err := os.Stat(c.database())
	return err == nil
}

// Forget drops what f names, down to the bytes: of a session, what its pipelines left; since a time, the results of what ran
// and the sessions that pipelines ran in; of a file or of all below a folder, the results of what read it, for they may say
// what it held. It returns the number of results that went.
func (c *Cache) Forget(ctx context.Context, f cold.ForgetFilter) (results int, err error) {
	if !c.used() {
		return 0, nil
	}
	file, err := c.open(ctx)
	if err != nil {
		return 0, err
	}
	switch {
	case f.Session != "":
		_, err = dropSessions(ctx, file, f.Session)
	case f.Path != "":
		results, err = c.forgetReaders(ctx, file, string(f.Path))
	default:
		results, err = c.forgetSince(ctx, file, f.Since)
	}
	return results, errors.Join(err, file.Scrub(ctx))
}

func (c *Cache) forgetSince(ctx context.Context, f *cold.File, since time.Time) (int, error) {
	sessions, err := keys(ctx, f, "new_sessions", since.UnixMilli())
	if err != nil {
		return 0, err
	}
	results, err := keys(ctx, f, "new_entries", since.UnixMilli())
	if err != nil {
		return 0, err
	}
	_, err = dropSessions(ctx, f, sessions...)
	return len(results), errors.Join(err, c.drop(ctx, f, results...))
}

// forgetReaders drops the results of what read the file, or a file below the folder. What of a result cannot be read any
// more might have.
func (c *Cache) forgetReaders(ctx context.Context, f *cold.File, path string) (int, error) {
	var readers []string
	err := f.Each(ctx, "materials", nil, func(rows cold.Row) error {
		var key string
		var packed []byte
		if err := rows.Scan(&key, &packed); err != nil {
			return err
		}
		m, err := unpack(packed)
		if err != nil || m.reads(path) {
			readers = append(readers, key)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(readers), c.drop(ctx, f, readers...)
}

// reads reports whether a file, or one below a folder, is among the dependencies.
func (m Material) reads(path string) bool {
	for _, p := range m {
		if group(p.Kind) == kindFile && (p.Name == path || strings.HasPrefix(p.Name, path+"/")) {
			return true
		}
	}
	return false
}

// forgetSessions drops the sessions that nobody used since.
func (c *Cache) forgetSessions(ctx context.Context, f *cold.File, since time.Time) error {
	old, err := keys(ctx, f, "old_sessions", since.UnixMilli())
	if err != nil || len(old) == 0 {
		return err
	}
	_, err = dropSessions(ctx, f, old...)
	return err
}

// ForgetSession drops everything that pipelines left in a session. It reports whether there was something.
func (c *Cache) ForgetSession(ctx context.Context, id string) (had bool, err error) {
	f, err := c.open(ctx)
	if err != nil {
		return false, err
	}
	return dropSessions(ctx, f, id)
}

// dropSessions reports whether a pipeline had left something in one of them: definitions alone are none.
func dropSessions(ctx context.Context, f *cold.File, ids ...string) (had bool, err error) {
	err = f.Write(ctx, "drop sessions", func(w cold.Writing) error {
		for _, id := range ids {
			for _, name := range []string{"drop_outputs", "drop_contexts", "drop_runs", "drop_session_steps", "drop_loaded"} {
				res, err := w.Exec(name, id)
				if err != nil {
					return err
				}
				n, err := res.RowsAffected()
				if err != nil {
					return err
				}
				had = had || n > 0 && name != "drop_loaded"
			}
		}
		return nil
	})
	return had, err
}
