package cold

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Next to each database is a mark: a file with a number that the database also has. For the log it
// is the number of its last event, for other files the number of writes. The mark is written after
// each commit. If someone deletes or cuts the write-ahead log, SQLite does not notice, because the
// database is intact but ends too early. The next opening compares the two numbers to find out.
// Once damage was found, the mark has -1 minus the number, so that the next opening checks the
// whole file.
const markSuffix = ".mark"

// Warnings when opening finds less than there was before. Each is given once, because opening sets
// the mark to what it found.
const (
	goneWarning = "the event log is gone because its file was deleted: aOa began a new one and learns the git history " +
		"again; if you have a backup of the file, stop the daemon and put it back"
	cutLogWarning = "the end of the event log is missing" + cutEnd
	cutWarning    = "the end of a file of the store is missing" + cutEnd
	cutEnd        = ": its write-ahead log was deleted or damaged, or an older copy of the file was put in its place; " +
		"aOa uses everything that is left; if you have a backup, stop the daemon and put it back"
	keyWarning = "the key to stored prompts and tool inputs is lost: those texts cannot be read, everything else is kept; " +
		"if you have a copy of the key, add its line to the file and restart the daemon (aoa daemon stop)"
)

// maxNumber is far above any real number of events. A larger number in a mark means that the mark
// is damaged.
const maxNumber = 1 << 53

func markFile(path string) string { return strings.TrimSuffix(path, ".db") + markSuffix }

// before is the state on disk that opening finds.
type before struct {
	file    bool  // a database exists
	mark    int64 // the number in the mark that the previous run wrote; -1 without a mark
	damaged bool  // the previous run met damage
}

func lookBefore(path string) before {
	b := before{file: exists(path), mark: -1}
	raw, err := regularfile.Read(markFile(path), regularfile.NoLinks, 64)
	if err != nil {
		return b
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	if b.damaged = n < 0; b.damaged {
		n = -n - 1
	}
	if err == nil && n <= maxNumber {
		b.mark = n
	}
	return b
}

// committed records a new number after a commit. If the mark cannot be written, it keeps the old
// number until the next commit.
func (f *File) committed(seq int64) {
	f.seq.Store(seq)
	_ = f.mark()
}

// mark writes the number to the mark. It does nothing if the database was deleted or moved
// meanwhile, because the mark then belongs to another one.
func (f *File) mark() error {
	f.marking.Lock()
	defer f.marking.Unlock()
	if now, err := os.Stat(f.path); err != nil || !os.SameFile(now, f.opened) {
		return err
	}
	n := f.seq.Load()
	if f.spoiled.Load() {
		n = -n - 1
	}
	mark, err := os.OpenFile(markFile(f.path), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	// The length never changes, so the file always has a complete number.
	_, err = mark.WriteAt(fmt.Appendf(nil, "%019d\n", n), 0)
	return errors.Join(err, mark.Close())
}

// spoil notes in the mark that the file is damaged, and calls Options.Damaged.
func (f *File) spoil() {
	f.spoiled.Store(true)
	_ = f.mark() // without the note, the next opening checks only as much as usual
	if f.damaged != nil {
		f.damaged()
	}
}

// compare warns if events or writes of the previous run are missing, and sets the mark to the
// present number.
func (f *File) compare(o Options, was before) {
	if seq := f.seq.Load(); was.file && was.mark > seq {
		o.warn(o.cut, "file", f.path, "ends_at", seq, "written", was.mark, "missing", was.mark-seq)
	}
	_ = f.mark() // the next write reports a disk that cannot be written
}
