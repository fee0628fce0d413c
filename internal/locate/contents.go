package locate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
)

// made lists the names of all files that aOa makes in a store, as patterns, for the store itself
// and for its folders. Anything else belongs to someone else and is never deleted: a file with
// another name, and whatever is neither a regular file nor a socket.
var made = map[string][]string{
	"": slices.Concat([]string{"lock", "sock", "redis", "paused", "transcripts", "report.html", "sketches",
		"aoa.log", "aoa-*.log",
		"hook-late", "hook-start", "hook-above"}, database("aoa"), database("cache")),
	"contents": {strings.Repeat("[0-9a-f]", fingerprintLength)},
}

// database returns the names of a database and of its companion files.
func database(name string) (out []string) {
	for _, end := range []string{"", "-wal", "-shm", "-journal", ".copy", ".copy.part", ".copy.part-journal", ".suspect",
		".damaged-*", ".version-*"} {
		out = append(out, name+".db"+end)
	}
	return append(out, name+".mark")
}

// entries lists the contents of a folder of the store ("" for the store itself) as paths relative
// to the store. ours are the files that aOa makes, except the ID, in an order in which they can be
// deleted; others are all the rest.
func (p Place) entries(folder string) (ours, others []string, err error) {
	found, err := os.ReadDir(filepath.Join(p.Store, folder))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range found {
		name := filepath.Join(folder, e.Name())
		_, ourFolder := made[name]
		switch {
		case ourFolder && e.IsDir():
			more, rest, rerr := p.entries(name)
			ours, others, err = append(ours, more...), append(others, rest...), errors.Join(err, rerr)
			if len(rest) == 0 {
				ours = append(ours, name)
			}
		case isMade(e, made[folder]):
			ours = append(ours, name)
		case name != idFile:
			others = append(others, name)
		}
	}
	return ours, others, err
}

// isMade reports whether aOa makes a file with that name and of that kind.
func isMade(e fs.DirEntry, patterns []string) bool {
	if kind := e.Type(); kind != 0 && kind != fs.ModeSocket {
		return false
	}
	if _, part := atomicfile.PartOf(e.Name()); part {
		return true
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		is, _ := filepath.Match(pattern, e.Name()) // the patterns are well formed
		return is
	})
}

// Vacant reports whether the folder of the store is missing or empty. Another process may just be
// creating a store there.
func (p Place) Vacant() bool {
	found, err := os.ReadDir(p.Store)
	return (err == nil || errors.Is(err, fs.ErrNotExist)) && !slices.ContainsFunc(found, func(e fs.DirEntry) bool {
		return !isMade(e, nil) // a file that is being written
	})
}

// Delete deletes the files that aOa has made in a known store, and the folders that are empty then.
// It returns the remaining files as paths relative to the store.
func (p Place) Delete() (others []string, err error) {
	ours, others, err := p.entries("")
	// After the store was renamed, hooks cannot add files to it, and a store that is made meanwhile
	// is not touched.
	doomed := fmt.Sprintf("%s.removed-%d", p.Store, os.Getpid())
	if len(others) == 0 && os.Rename(p.Store, doomed) == nil {
		p.Store = doomed
		ours, others, err = p.entries("")
	}
	for _, name := range append(ours, idFile) { // the ID is deleted last: until then the store is still known as ours
		if rerr := os.Remove(filepath.Join(p.Store, name)); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	if rerr := os.Remove(p.Store); len(others) == 0 && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return others, err
}

// Adopt turns a store of unknown origin into one of the user's, under a new ID. Only the user can
// decide that. It refuses a folder with files that aOa does not make.
func (p Place) Adopt() error {
	_, others, err := p.entries("")
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("%s also holds %s, which aOa does not make", p.Store, others[0])
	}
	if err == nil {
		_, err = own(p.Store)
	}
	if err == nil {
		err = os.Remove(filepath.Join(p.Store, idFile))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.id = ""
	return p.Record()
}

// SetAside renames a store of unknown origin, so that a new one can be made. It returns the new
// name.
func (p Place) SetAside(now time.Time) (string, error) {
	aside := fmt.Sprintf("%s.unknown-%d", p.Store, now.UnixMilli())
	return aside, os.Rename(p.Store, aside)
}
