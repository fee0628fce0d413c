package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// stores are the object stores that a repository reads: its own and its alternates, each opened once. (go-git
// would open an alternate anew, with its whole pack index, for every single object.)
type stores []*filesystem.Storage

// openStores opens the objects of a repository and, down to git's own depth of five, of its alternates.
func openStores(git, common string) stores {
	bases := cache.NewObjectLRU(maxBases)
	options := filesystem.Options{KeepDescriptors: true, ExclusiveAccess: true}
	out := stores{filesystem.NewStorageWithOptions(noAlternates{dotFS(git, common)}, bases, options)}
	seen := []string{filepath.Join(common, "objects")}
	level := seen
	for range 5 {
		var next []string
		for _, dir := range level {
			for _, alt := range alternates(dir) {
				if slices.Contains(seen, alt) {
					continue
				}
				seen, next = append(seen, alt), append(next, alt)
				home := filepath.Dir(alt)
				out = append(out, filesystem.NewStorageWithOptions(noAlternates{dotFS(home, home)}, bases, options))
			}
		}
		level = next
	}
	return out
}

// alternates reads which other object folders a folder of objects names: absolute, or relative to it.
func alternates(objects string) []string {
	b, err := os.ReadFile(filepath.Join(objects, "info", "alternates"))
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(objects, line)
		}
		// go-git looks for a folder called objects.
		if filepath.Base(line) == "objects" {
			out = append(out, filepath.Clean(line))
		}
	}
	return out
}

// object finds an object in the first store that has it.
func (s stores) object(kind plumbing.ObjectType, id plumbing.Hash) (obj plumbing.EncodedObject, err error) {
	for _, store := range s {
		if obj, err = store.EncodedObject(kind, id); err == nil || !errors.Is(err, plumbing.ErrObjectNotFound) {
			return obj, err
		}
	}
	return nil, err
}

func (s stores) close() {
	for _, store := range s {
		_ = store.Close()
	}
}

// noAlternates is a git dir whose list of alternates cannot be seen.
type noAlternates struct{ billy.Filesystem }

// Open opens a file for reading.
func (f noAlternates) Open(name string) (billy.File, error) {
	if filepath.Base(name) == "alternates" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.Filesystem.Open(name)
}
