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

// used reports whether the cache was ever used: there is a file.
func (c *Cache) used() bool {
	_, err := os.Stat(c.database())
	return err == nil
}

// Forget deletes what f names: of a session, what its pipelines stored; since a time, the results of runs, the
// digests of files, and the sessions that pipelines ran in; of a file or of all below a folder, their digests, the
// results that depend on or name them, and the sessions whose texts name them. It returns the number of deleted
// results.
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

// forgetPath deletes what names a file, or a file below a folder. What cannot be read might name it.
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

// forgetNaming deletes the sessions whose outputs or context name the path, and all parsed definitions, which are
// only a cache: their prompts may name it.
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
func (m keyParts) reads(path string) bool {
	for _, p := range m {
		if group(p.Kind) == kindFile && (p.Name == path || strings.HasPrefix(p.Name, path+"/")) {
			return true
		}
	}
	return false
}

// forgetSessions deletes the sessions that were not used since.
func (c *Cache) forgetSessions(ctx context.Context, f *cold.File, since time.Time) error {
	old, err := keys(ctx, f, "SELECT session FROM runs GROUP BY session HAVING max(at) < ?", since.UnixMilli())
	if err != nil || len(old) == 0 {
		return err
	}
	_, err = dropSessions(ctx, f, old...)
	return err
}

// ForgetSession deletes what pipelines stored in a session. It reports whether there was something.
func (c *Cache) ForgetSession(ctx context.Context, id string) (had bool, err error) {
	f, err := c.open(ctx)
	if err != nil {
		return false, err
	}
	return dropSessions(ctx, f, id)
}

// dropSessions deletes what pipelines stored in sessions, and reports whether there was something besides definitions.
func dropSessions(ctx context.Context, f *cold.File, ids ...string) (had bool, err error) {
	err = f.Write(ctx, "drop sessions", func(tx *cold.Tx) error {
		for _, id := range ids {
			for _, statement := range []string{sqlDropOutputs, sqlDropContexts, sqlDropRuns, sqlDropSessionSteps,
				sqlDropLoaded} {
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
