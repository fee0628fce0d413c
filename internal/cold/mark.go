package cold

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Beside the database lies a file with the number of the last event, written after each commit. SQLite does not notice
// when its write-ahead log was deleted or cut: the database is sound, and ends earlier. The next Open compares the two.
const markSuffix = ".mark"

// Warnings of an Open that finds less than there was. Each is given once: Open sets the mark to what it found.
const (
	goneWarning = "the event log is gone, its file was deleted: a fresh one was begun, and git history is learned again; " +
		"if you have a backup of the file, stop the daemon and put it back"
	cutWarning = "the end of the event log is missing, its write-ahead log was deleted or damaged, or an older copy of " +
		"the file was put in its place: " +
		"all that is there is used; if you have a backup, stop the daemon and put it back"
	keysWarning = "the keys to stored prompts and tool inputs were deleted: those texts cannot be read, all else is kept; " +
		"if you have a backup of the folder keys, stop the daemon and put it back"
)

// maxNumber is far more events than a log can have. A number beyond it is damaged.
const maxNumber = 1 << 53

func markFile(path string) string { return strings.TrimSuffix(path, ".db") + markSuffix }

// readMark returns the number of the last batch that the last run wrote, 0 if it is not known.
func readMark(path string) int64 {
	raw, err := regularfile.Read(markFile(path), regularfile.NoLinks, 64)
	if err != nil || len(raw) > 32 {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	if n < 0 || n > maxNumber {
		return 0
	}
	return n
}

// committed notes that a batch is committed. A mark that cannot be written is behind until the next batch.
func (d *DB) committed(seq int64) {
	d.seq.Store(seq)
	_ = d.mark()
}

// mark writes the number of the last batch beside the database. Where the database was deleted or moved meanwhile, the
// mark belongs to another one.
func (d *DB) mark() error {
	d.marking.Lock()
	defer d.marking.Unlock()
	if now, err := os.Stat(d.path); err != nil || !os.SameFile(now, d.opened) {
		return err
	}
	f, err := os.OpenFile(markFile(d.path), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "%019d\n", d.Last()), 0) // always as long: there is no moment without a number
	return errors.Join(err, f.Close())
}

// compare warns of what is missing since the last run, and sets the mark to what is there.
func (d *DB) compare(o Options, before int64, fresh bool) error {
	info, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	d.opened = info
	if o.Log != nil {
		switch seq := d.seq.Load(); {
		case fresh && (before > 0 || o.Expected):
			o.Log.Warn(goneWarning, "file", d.path, "events", before)
		case before > seq:
			o.Log.Warn(cutWarning, "file", d.path, "ends_at", seq, "written", before, "missing", before-seq)
		}
	}
	_ = d.mark() // who writes events reports a disk that cannot be written
	return nil
}
