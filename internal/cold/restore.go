package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// errGone is the reason for restoring a log whose file was deleted.
var errGone = fmt.Errorf("%w: its file is gone", ErrDamaged)

// Warnings when a log was replaced.
const (
	copyWarning    = "the event log was damaged or gone: what is left was moved aside, and its daily copy took its place"
	freshWarning   = "the event log was damaged: it was moved aside and a fresh one begun; git history is learned again"
	versionWarning = "the event log is of another version of aOa: it was moved aside and a fresh one begun; " +
		"git history and past sessions are learned again"
)

// restore moves a log that cannot be opened aside and opens another one in its place. A damaged log
// is replaced by its daily copy, if there is one. Otherwise it is replaced by a new log, which only
// gets the list of events that were pruned or forgotten. One warning tells what was done. written
// is the number of the last batch that was written.
func restore(ctx context.Context, path string, o Options, written int64, why error) (d *DB, err error) {
	aside := ""
	if exists(path) {
		if aside, err = moveAside(path, why, o.Now()); err != nil {
			return nil, err
		}
	}
	message, attrs := freshWarning, []any{"file", path, "moved_to", aside, "why", why.Error()}
	copied, err := takeCopy(path, why)
	if err != nil {
		return nil, err
	}
	d, err = tryDB(ctx, path, before{}, o)
	if !copied.IsZero() && unusable(err) { // the copy is damaged, too
		copied = time.Time{}
		if err = os.Remove(path); err == nil {
			d, err = tryDB(ctx, path, before{}, o)
		}
	}
	if err != nil {
		return nil, err
	}
	old := &DB{File: &File{path: aside, bad: &badRows{}}, seal: o.Seal}
	if old.reader, err = sql.Open("sqlite", dsn(aside, "query_only(1)")); err != nil {
		return d, err
	}
	defer old.reader.Close()
	d.MadeAgain = true
	if errors.Is(why, errVersion) {
		message = versionWarning
	}
	if left, err := old.Meta(ctx, metaScrub); err == nil && left != "" {
		_ = d.SetMeta(ctx, metaScrub, left) // the file that was moved aside still has the forgotten bytes
	}
	if copied.IsZero() {
		// Without this list, forgotten events would come back when past sessions are read again.
		d.MadeAgain = d.takeForgotten(ctx, old) == nil
	} else {
		message = copyWarning
		attrs = append(attrs, "copied", copied.UTC().Format(time.RFC3339))
	}
	if lost := written - d.Last(); errors.Is(why, ErrDamaged) && lost > 0 {
		attrs = append(attrs, "missing", lost)
		err = d.advance(ctx, written) // the snapshot, which is in another file, may contain these batches
	}
	o.warn(message, attrs...)
	return d, err
}

// takeCopy renames the copy to the name of the log. It returns when the copy was made, or the zero
// time if none exists. A copy made by another version of aOa is deleted.
func takeCopy(path string, why error) (made time.Time, err error) {
	info, err := os.Stat(path + copySuffix)
	if err != nil {
		return made, nil
	}
	if errors.Is(why, errVersion) {
		return made, os.Remove(path + copySuffix)
	}
	return info.ModTime(), os.Rename(path+copySuffix, path)
}

// takeForgotten copies the list of events that were pruned or forgotten, so that these are refused
// if delivered again.
func (d *DB) takeForgotten(ctx context.Context, old *DB) error {
	digests, err := column[any](ctx, old.File, old.reader, "SELECT digest FROM ids WHERE event IS NULL")
	return errors.Join(err, d.Write(ctx, "keep what was forgotten", func(tx *Tx) error {
		return tx.many("INSERT OR IGNORE INTO ids (digest) VALUES %s", 1, digests, nil)
	}))
}
