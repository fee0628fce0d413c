package stage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// errOutput means that a declared output was not made, or cannot be stored.
var errOutput = errors.New("a declared output")

// Gather reads the files below root that a step should have made, and adds them to the recorder. A
// name must exist; a glob may match nothing. A folder means everything in it. Links are stored as
// links. Names must not lead out of root.
func Gather(root string, outputs []string, r *Recorder) error {
	disk, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	defer disk.Close()
	var names []string
	for _, o := range outputs {
		found, err := made(disk, o)
		if err != nil {
			return err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := gather(disk, name, r); err != nil {
			return err
		}
	}
	return nil
}

// Made reports whether every declared output that is a name, not a glob, exists.
func Made(root string, outputs []string) bool {
	return !slices.ContainsFunc(outputs, func(o string) bool {
		_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(o)))
		return err != nil && !glob(o)
	})
}

// made returns the files that match one declared output.
func made(disk *os.Root, output string) ([]string, error) {
	p, err := cleanPattern(output, false)
	if err != nil {
		return nil, err
	}
	info, err := disk.Lstat(p)
	switch {
	case err == nil && info.IsDir():
		p = path.Join(escape(p), "**")
	case err == nil:
		return []string{p}, nil
	case !glob(p):
		return nil, fmt.Errorf("%w, %s, was not made", errOutput, output)
	}
	found, err := doublestar.Glob(disk.FS(), p, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		return nil, fmt.Errorf("%w, %s: %w", errOutput, output, err)
	}
	return slices.DeleteFunc(found, func(n string) bool { return n == ".git" || strings.HasPrefix(n, ".git/") }), nil
}

// escape returns a pattern that matches exactly this name.
func escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}

func gather(disk *os.Root, name string, r *Recorder) error {
	p, err := event.NewPath(name)
	if err != nil {
		return fmt.Errorf("%w, %s: %w", errOutput, name, err)
	}
	info, err := disk.Lstat(name)
	if err != nil {
		return fmt.Errorf("%w, %s: %w", errOutput, name, err)
	}
	f := File{Path: p, Mode: uint32(info.Mode().Perm())}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := disk.Readlink(name)
		if err != nil {
			return fmt.Errorf("%w, %s: %w", errOutput, name, err)
		}
		f.Link, f.Data = true, []byte(target)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w, %s, is neither a file nor a link", errOutput, name)
	default:
		if f.Data, err = regularfile.ReadIn(disk, name, MaxResult); err != nil {
			return fmt.Errorf("%w, %s: %w", errOutput, name, err)
		}
	}
	r.add(f)
	return nil
}

// Restore writes the files of a record below root, with their modes. Files that are already right
// are not touched. Each file appears completely or not at all.
func Restore(root string, files []File) error {
	if len(files) == 0 {
		return nil
	}
	disk, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("restore outputs: %w", err)
	}
	defer disk.Close()
	for _, f := range files {
		if same(disk, f) {
			continue
		}
		if err := restore(disk, f); err != nil {
			return fmt.Errorf("restore %s: %w", f.Path.Display(), err)
		}
	}
	return nil
}

func same(disk *os.Root, f File) bool {
	info, err := disk.Lstat(string(f.Path))
	if err != nil {
		return false
	}
	if f.Link {
		target, err := disk.Readlink(string(f.Path))
		return err == nil && target == string(f.Data)
	}
	if !info.Mode().IsRegular() || info.Size() != int64(len(f.Data)) || uint32(info.Mode().Perm()) != f.Mode {
		return false
	}
	data, err := regularfile.ReadIn(disk, string(f.Path), int64(len(f.Data)))
	return err == nil && bytes.Equal(data, f.Data)
}

// restore writes a file so that readers never see only a part of it.
func restore(disk *os.Root, f File) error {
	name := string(f.Path)
	if dir := f.Path.Dir(); dir != "" {
		if err := disk.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	if f.Link {
		return restoreLink(disk, f)
	}
	// The file is not synced, because a stage can make its files again, and syncing hundreds of
	// files one by one takes long.
	return atomicfile.WriteBytesIn(disk, name, atomicfile.Options{Mode: fs.FileMode(f.Mode), SetMode: true,
		Unsynced: true}, f.Data)
}

func restoreLink(disk *os.Root, f File) error {
	beside := path.Join(f.Path.Dir(), ".aoa-"+f.Path.Base()+".tmp")
	_ = disk.Remove(beside) // left by a process that was killed here
	err := disk.Symlink(string(f.Data), beside)
	if err == nil {
		err = disk.Rename(beside, string(f.Path))
	}
	if err != nil {
		_ = disk.Remove(beside)
	}
	return err
}
