package atomicfile

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options of a write. The zero value suits a private file.
type Options struct {
	Mode     fs.FileMode  // of a new file, while one that is there keeps its own; 0 is 0600, for both
	SetMode  bool         // Mode holds for a file that is there, too
	New      bool         // a file that is there stays: fs.ErrExist
	Unsynced bool         // for what can be made again: a power cut may leave an empty file
	Check    func() error // called when all is written; its error leaves the old file; may be nil
}

// Write gives the file what fill writes. On an error the old content stays. Errors are fill's,
// Check's and the system's.
func Write(name string, o Options, fill func(io.Writer) error) error {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return WriteIn(dir, filepath.Base(name), o, fill)
}

// WriteBytes is like Write, for a content that is at hand.
func WriteBytes(name string, o Options, content []byte) error { return Write(name, o, bytes(content)) }

// WriteBytesIn is WriteIn of a content.
func WriteBytesIn(dir *os.Root, name string, o Options, content []byte) error {
	return WriteIn(dir, name, o, bytes(content))
}

func bytes(content []byte) func(io.Writer) error {
	return func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	}
}

// WriteIn is like Write, for a file below dir. Links that lead out of dir are refused.
func WriteIn(dir *os.Root, name string, o Options, fill func(io.Writer) error) error {
	old, err := dir.Lstat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && o.New {
		return fs.ErrExist
	}
	if err == nil && old.Mode().IsRegular() && o.Mode != 0 && !o.SetMode {
		o.Mode = old.Mode().Perm()
	}
	part := partOf(name)
	f, err := dir.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil && old != nil {
		keepOwner(f, old)
	}
	if err == nil && o.Mode != 0 {
		err = f.Chmod(o.Mode) // the umask does not hold
	}
	if err == nil && !o.Unsynced {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && o.Check != nil {
		err = o.Check()
	}
	if err == nil {
		err = place(dir, part, name, o)
	}
	if err != nil {
		_ = dir.Remove(part) // the error that matters is the first
	}
	return err
}

// place renames the finished file part to name.
func place(dir *os.Root, part, name string, o Options) error {
	if o.New { // of two that do so at once, one wins
		err := dir.Link(part, name)
		if err == nil {
			err = dir.Remove(part)
			syncFolder(dir, filepath.Dir(name))
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		if _, err := dir.Lstat(name); err == nil { // a file system without links
			return fs.ErrExist
		}
	}
	err := dir.Rename(part, name)
	if err == nil && !o.Unsynced {
		syncFolder(dir, filepath.Dir(name))
	}
	return err
}

// Rename gives a file that something else has written another name in its folder, as Write does:
// synced before and after.
func Rename(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	dir, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := os.Rename(from, to); err != nil {
		return err
	}
	syncFolder(dir, ".")
	return nil
}

// syncFolder makes a rename durable where the system can. After a power cut without it, the old
// file is there.
func syncFolder(dir *os.Root, name string) {
	if f, err := dir.Open(name); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Unfinished files are named .aoa-NAME-RANDOM.tmp: the watcher takes such a name for temporary.
const (
	partPrefix = ".aoa-"
	partSuffix = ".tmp"
	maxName    = 200 // bytes of NAME: a longer one might exceed what a file system takes
)

func partOf(name string) string {
	dir, base := filepath.Split(name)
	return dir + partPrefix + strings.ToValidUTF8(base[:min(len(base), maxName)], "") + "-" + rand.Text() + partSuffix
}

// PartOf reports whether base is the name of an unfinished file, and the beginning of the name of
// the file that it was to be.
func PartOf(base string) (name string, ok bool) {
	rest, begins := strings.CutPrefix(base, partPrefix)
	rest, ends := strings.CutSuffix(rest, partSuffix)
	i := strings.LastIndexByte(rest, '-')
	if !begins || !ends || i < 0 {
		return "", false
	}
	return rest[:i], true
}

// leftAfter is how old an unfinished file is that its writer will not finish.
const leftAfter = time.Hour

// Clean deletes from a folder what writers have left that were killed. The system's clock is asked,
// since files carry its time.
func Clean(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if _, ok := PartOf(e.Name()); !ok {
			continue
		}
		if info, ierr := e.Info(); ierr == nil && time.Since(info.ModTime()) > leftAfter {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
