package cold

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

const answersKept = 1000

// SaveAnswers keeps answers under their times (unix milliseconds), so that they can be explained later to the
// digit. The newest thousand are kept; a second answer of the same millisecond replaces the first.
func (d *DB) SaveAnswers(ctx context.Context, answers map[int64][]byte) error {
	return d.Write(ctx, "save answers", func(tx *Tx) error {
		if d.answers < 0 {
			if _, err := tx.Scan("SELECT count(*) FROM answers", nil, &d.answers); err != nil {
				return err
			}
		}
		for _, at := range slices.Sorted(maps.Keys(answers)) {
			known, err := tx.Scan("SELECT 1 FROM answers WHERE at = ?", []any{at}, new(int))
			if err == nil {
				err = tx.run([]any{at, string(answers[at])},
					"INSERT INTO answers (at, json) VALUES (?1, ?2) ON CONFLICT (at) DO UPDATE SET json = ?2")
			}
			if err != nil {
				return err
			}
			if !known {
				d.answers++
			}
			// An answer from after the time that a right clock can have reached goes first.
			for ; d.answers > answersKept; d.answers-- {
				err := tx.run([]any{at + oneDay.Milliseconds()},
					"DELETE FROM answers WHERE at = coalesce((SELECT max(at) FROM answers WHERE at > ?1), (SELECT min(at) FROM answers))")
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Answer returns what SaveAnswers kept under that time, or ErrNotFound.
func (d *DB) Answer(ctx context.Context, at int64) (answer []byte, err error) {
	found, err := d.Scan(ctx, "SELECT json FROM answers WHERE at = ?", []any{at}, &answer)
	if err == nil && !found {
		err = fmt.Errorf("read answer: %w: nothing was answered at %d, or it is older than the last thousand answers", ErrNotFound, at)
	}
	return answer, err
}
