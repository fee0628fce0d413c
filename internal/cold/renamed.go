package cold

import (
	"context"
	"database/sql"
	"errors"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxHops bounds a chain of renames: two files that swapped names point at each other.
const maxHops = 16

// Renamed returns the present name of a file that had that name, by the renames that were told. ok is false
// when it was never renamed.
func (d *DB) Renamed(ctx context.Context, p event.Path) (now event.Path, ok bool, err error) {
	now, ok, err = d.follow(ctx, p)
	return now, ok, d.explain("follow a rename", err)
}

func (d *DB) follow(ctx context.Context, p event.Path) (event.Path, bool, error) {
	first, known, err := d.fileID(ctx, p)
	if err != nil || !known {
		return "", false, err
	}
	id := first
	for range maxHops {
		var next int64
		err := d.row(ctx, "renamed", id).Scan(&next)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return "", false, err
		}
		if id = next; id == first {
			return "", false, nil
		}
	}
	if id == first {
		return "", false, nil
	}
	var name string
	err = d.row(ctx, "file_name", id).Scan(&name)
	return event.Path(name), err == nil, err
}
