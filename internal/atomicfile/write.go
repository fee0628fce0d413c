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

// Options are the settings of a write. The zero value suits a private file.
type Options struct {
	Mode     fs.FileMode  // mode of a new file, 0 for 0600; an existing file keeps its own unless SetMode
	SetMode  bool         // an existing file gets Mode, too
	New      bool         // fail with fs.ErrExist if the file exists
	Unsynced bool         // for files that can be made again: a power cut may leave an empty file
	Check    func() error // called when everything is written; if it fails, the old file is kept; may be nil
}

// Write replaces the file by the data that fill writes. On an error the old file is kept. The error
// comes from fill, Check or the system.
func Write(name string, o Options, fill func(io.Writer) error) error {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return WriteIn(dir, filepath.Base(name), o, fill)
}

// WriteBytes is like Write for a content in memory.
func WriteBytes(name string, o Options, content []byte) error { return Write(name, o, bytes(content)) }

// WriteBytesIn is like WriteIn for a content in memory.
func WriteBytesIn(dir *os.Root, name string, o Options, content []byte) error {
	return WriteIn(dir, name, o, bytes(content))
}

func bytes(content []byte) func(io.Writer) error {
	return func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	}
}

// WriteIn is like Write for a file below dir. Links that lead out of dir are refused.
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
		err = f.Chmod(o.Mode) // ignores the umask
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
		_ = dir.Remove(part) // the first error is returned
	}
	return err
}

// place renames the finished file part to name.
func place(dir *os.Root, part, name string, o Options) error {
	if o.New { // if two processes do this at once, one wins
		err := dir.Link(part, name)
		if err == nil {
			err = dir.Remove(part)
			syncFolder(dir, filepath.Dir(name))
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		if _, err := dir.Lstat(name); err == nil { // the file system has no hard links
			return fs.ErrExist
		}
	}
	err := dir.Rename(part, name)
	if err == nil && !o.Unsynced {
		syncFolder(dir, filepath.Dir(name))
	}
	return err
}

// Rename renames a file inside its folder as durably as Write: it syncs the file before and the
// folder after.
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

// syncFolder makes a rename durable, if the system can do that. Otherwise the old file may be back
// after a power cut.
func syncFolder(dir *os.Root, name string) {
	if f, err := dir.Open(name); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Unfinished files are named .aoa-NAME-RANDOM.tmp. The watcher ignores such names as temporary.
const (
	partPrefix = ".aoa-"
	partSuffix = ".tmp"
	maxName    = 200 // bytes of NAME: a longer one might exceed the limit of the file system
)

func partOf(name string) string {
	dir, base := filepath.Split(name)
	return dir + partPrefix + strings.ToValidUTF8(base[:min(len(base), maxName)], "") + "-" + rand.Text() + partSuffix
}

// PartOf reports whether base is the name of an unfinished file. name is the beginning of the final
// name.
func PartOf(base string) (name string, ok bool) {
	rest, begins := strings.CutPrefix(base, partPrefix)
	rest, ends := strings.CutSuffix(rest, partSuffix)
	i := strings.LastIndexByte(rest, '-')
	if !begins || !ends || i < 0 {
		return "", false
	}
	return rest[:i], true
}

// leftAfter is the least age of an unfinished file that is taken for abandoned.
const leftAfter = time.Hour

// Clean deletes the unfinished files that killed processes have left in a folder. It uses the
// system's clock, because the times of files do.
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
