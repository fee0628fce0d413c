package stage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlForgetDigestsOf = `DELETE FROM digests WHERE instr(replace(path, '\', '/') || '/', '/' || ? || '/') > 0`
	sqlNewSessions     = `SELECT session FROM runs GROUP BY session HAVING max(at) >= ?1 UNION SELECT session FROM outputs WHERE at >= ?1
UNION SELECT session FROM contexts WHERE at >= ?1 UNION SELECT session FROM loaded WHERE at >= ?1`
	sqlDropOutputs      = "DELETE FROM outputs WHERE session = ?"
	sqlDropContexts     = "DELETE FROM contexts WHERE session = ?"
	sqlDropRuns         = "DELETE FROM runs WHERE session = ?"
	sqlDropSessionSteps = "DELETE FROM steps WHERE session = ?"
	sqlDropLoaded       = "DELETE FROM loaded WHERE session = ?"
)

// used reports whether anything was ever kept: a cache that never was is not opened to look.
func (c *Cache) used() bool {
	_, err := os.Stat(c.database())
	return err == nil
}

// Forget drops what f names: of a session, what its pipelines left; since a time, the results of what ran, the digests of
// files that were read, and the sessions that pipelines ran in; of a file or of all below a folder, their digests, the
// results of what read or names them, and the sessions whose texts name them. It returns the number of results that went.
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
		return 0, err
	case f.Path != "":
		return c.forgetPath(ctx, file, string(f.Path))
	}
	return c.forgetSince(ctx, file, f.Since)
}

func (c *Cache) forgetSince(ctx context.Context, f *cold.File, since time.Time) (int, error) {
	sessions, err := keys(ctx, f, sqlNewSessions, since.UnixMilli())
	if err != nil {
		return 0, err
	}
	results, err := keys(ctx, f, "SELECT key FROM entries WHERE created >= ?", since.UnixMilli())
	if err != nil {
		return 0, err
	}
	if err := c.forgetDigests(ctx, f, "DELETE FROM digests WHERE seen >= ?", since.UnixMilli()); err != nil {
		return 0, err
	}
	_, err = dropSessions(ctx, f, sessions...)
	return len(results), errors.Join(err, c.drop(ctx, f, results...))
}

// forgetDigests deletes digests of files, those in memory too: they would be written again.
func (c *Cache) forgetDigests(ctx context.Context, f *cold.File, statement string, arg any) error {
	c.memo.clear()
	return f.Write(ctx, "forget digests", func(tx *cold.Tx) error {
		_, err := tx.Exec(statement, arg)
		return err
	})
}

// forgetPath drops what names a file, or a file below a folder. What cannot be read any more might name it.
func (c *Cache) forgetPath(ctx context.Context, f *cold.File, path string) (int, error) {
	if err := c.forgetDigests(ctx, f, sqlForgetDigestsOf, path); err != nil {
		return 0, err
	}
	var readers []string
	err := f.Each(ctx, "SELECT key, material, command, deps FROM entries", nil, func(rows cold.Row) error {
		var key, command string
		var packed, deps []byte
		if err := rows.Scan(&key, &packed, &command, &deps); err != nil {
			return err
		}
		m, err := unpack(packed)
		if err != nil || m.reads(path) || strings.Contains(command, path) || bytes.Contains(deps, []byte(path)) {
			readers = append(readers, key)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if err := c.forgetNaming(ctx, f, path); err != nil {
		return 0, err
	}
	return len(readers), c.drop(ctx, f, readers...)
}

// forgetNaming drops the sessions whose outputs or context name the path, and all parsed definitions: their prompts may,
// and they are only a cache.
func (c *Cache) forgetNaming(ctx context.Context, f *cold.File, path string) error {
	ids, err := keys(ctx, f, sqlNewSessions, 0)
	if err != nil {
		return err
	}
	var naming []string
	for _, id := range ids {
		s, err := c.Session(ctx, id, "")
		if err != nil || s.names(path) {
			naming = append(naming, id)
		}
	}
	if _, err := dropSessions(ctx, f, naming...); err != nil {
		return err
	}
	return f.Write(ctx, "forget definitions", func(tx *cold.Tx) error {
		_, err := tx.Exec("DELETE FROM loaded")
		return err
	})
}

// names reports whether an output or a context value holds the path.
func (s *Session) names(path string) bool {
	for _, o := range s.Outputs {
		if bytes.Contains(o.Value, []byte(path)) || strings.Contains(o.Prompt, path) {
			return true
		}
	}
	for name, value := range s.Context {
		if bytes.Contains(value, []byte(path)) || strings.Contains(name, path) {
			return true
		}
	}
	return false
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
	old, err := keys(ctx, f, "SELECT session FROM runs GROUP BY session HAVING max(at) < ?", since.UnixMilli())
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
	err = f.Write(ctx, "drop sessions", func(tx *cold.Tx) error {
		for _, id := range ids {
			for _, statement := range []string{sqlDropOutputs, sqlDropContexts, sqlDropRuns, sqlDropSessionSteps, sqlDropLoaded} {
				res, err := tx.Exec(statement, id)
				if err != nil {
					return err
				}
				n, err := res.RowsAffected()
				if err != nil {
					return err
				}
				had = had || n > 0 && statement != sqlDropLoaded
			}
		}
		return nil
	})
	return had, err
}
