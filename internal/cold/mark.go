package cold

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Beside each database is a mark, a file with a number that the database has, too: for the log the
// number of its last event, for another file how often it was written. The mark is written after
// each commit. SQLite does not notice when its write-ahead log was deleted or cut: the database is
// then intact, but ends too early. The next opening compares the two numbers to find out.
const markSuffix = ".mark"

// Warnings of an opening that finds less than there was. Each is given once: opening sets the mark
// to what it found.
const (
	goneWarning = "the event log is gone, its file was deleted: a fresh one was begun, and git history is learned again; " +
		"if you have a backup of the file, stop the daemon and put it back"
	cutLogWarning = "the end of the event log is missing" + cutEnd
	cutWarning    = "the end of a file of the store is missing" + cutEnd
	cutEnd        = ", its write-ahead log was deleted or damaged, or an older copy of the file was put in its place: " +
		"all that is there is used; if you have a backup, stop the daemon and put it back"
	keyWarning = "the key to stored prompts and tool inputs is lost: those texts cannot be read, all else is kept; " +
		"if you have it, put its line into the file and restart the daemon (aoa daemon stop)"
)

// maxNumber is far more events than a log can have. A number beyond it is damaged.
const maxNumber = 1 << 53

func markFile(path string) string { return strings.TrimSuffix(path, ".db") + markSuffix }

// before is the state that an opening finds on the disk.
type before struct {
	file bool  // there is a database
	mark int64 // the number in the mark that the last run wrote; -1 without a mark
}

func lookBefore(path string) before {
	b := before{file: exists(path), mark: -1}
	raw, err := regularfile.Read(markFile(path), regularfile.NoLinks, 64)
	if err != nil {
		return b
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64); err == nil && n >= 0 && n <= maxNumber {
		b.mark = n
	}
	return b
}

// committed notes that the file has a new number on the disk. If the mark cannot be written, it
// stays at the old number until the next commit.
func (f *File) committed(seq int64) {
	f.seq.Store(seq)
	_ = f.mark()
}

// mark writes the number beside the database. Where the database was deleted or moved meanwhile,
// the mark belongs to another one.
func (f *File) mark() error {
	f.marking.Lock()
	defer f.marking.Unlock()
	if now, err := os.Stat(f.path); err != nil || !os.SameFile(now, f.opened) {
		return err
	}
	return writeMark(f.path, f.seq.Load())
}

func writeMark(path string, n int64) error {
	f, err := os.OpenFile(markFile(path), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	// the length never changes, so the file always has a number
	_, err = f.WriteAt(fmt.Appendf(nil, "%019d\n", n), 0)
	return errors.Join(err, f.Close())
}

// compare warns if events or writes of the last run are missing, and sets the mark to the present
// number.
func (f *File) compare(o Options, was before) error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	f.opened = info
	switch seq := f.seq.Load(); {
	case !was.file:
		if o.Expected {
			o.warn(goneWarning, "file", f.path, "events", max(was.mark, 0))
		}
	case was.mark > seq:
		o.warn(o.cut, "file", f.path, "ends_at", seq, "written", was.mark, "missing", was.mark-seq)
	}
	_ = f.mark() // the next write reports a disk that cannot be written
	return nil
}
