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

// made lists the names of all files that aOa makes in a store, as patterns: in the store itself,
// and in its folders. A file with another name, and anything but a regular file or a socket,
// belongs to somebody else and is never deleted.
var made = map[string][]string{
	"": slices.Concat([]string{"lock", "sock", "redis", "paused", "transcripts", "report.html", "sketches", "aoa.log", "aoa-*.log",
		"hook-late", "hook-start", "hook-above", probePrefix + "*"}, database("aoa"), database("cache")),
	"contents": {strings.Repeat("[0-9a-f]", fingerprintLength)},
}

// database are the names of a database and of what lies beside it.
func database(name string) (out []string) {
	for _, end := range []string{"", "-wal", "-shm", "-journal", ".copy", ".copy.part", ".copy.part-journal", ".suspect",
		".damaged-*", ".version-*"} {
		out = append(out, name+".db"+end)
	}
	return append(out, name+".mark")
}

// entries lists what lies in a folder of the store, "" for the store itself, as paths below the
// store: what aOa has made but for the id, in the order in which it can be deleted, and all else.
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

// isMade reports whether aOa makes a file of that name and kind.
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

// Vacant reports whether the folder of the store is missing or empty. Other processes may be about
// to make it a store.
func (p Place) Vacant() bool {
	found, err := os.ReadDir(p.Store)
	return (err == nil || errors.Is(err, fs.ErrNotExist)) && !slices.ContainsFunc(found, func(e fs.DirEntry) bool {
		return !isMade(e, []string{probePrefix + "*"})
	})
}

// Delete deletes the files that aOa has made in a known store, and the folders that are empty then.
// It returns what else lies there, which stays: paths below the store.
func (p Place) Delete() (others []string, err error) {
	ours, others, err := p.entries("")
	// Under another name nothing is added any more by hooks, and nothing is deleted of a store that
	// is made meanwhile.
	doomed := fmt.Sprintf("%s.removed-%d", p.Store, os.Getpid())
	if len(others) == 0 && os.Rename(p.Store, doomed) == nil {
		p.Store = doomed
		ours, others, err = p.entries("")
	}
	for _, name := range append(ours, idFile) { // the id last: until then the rest is known to be ours
		if rerr := os.Remove(filepath.Join(p.Store, name)); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	if rerr := os.Remove(p.Store); len(others) == 0 && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return others, err
}

// Adopt makes a stranger's store one of the user's, under a new id. Only the user can decide that.
// It refuses a folder that holds something which aOa does not make.
func (p Place) Adopt() error {
	_, others, err := p.entries("")
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("%s also holds %s, which aOa does not make", p.Store, others[0])
	}
	if err == nil {
		err = own(p.Store)
	}
	if err == nil {
		err = os.Remove(filepath.Join(p.Store, idFile))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.id = ""
	return p.note()
}

// SetAside gives a stranger's store another name, which it returns, so that a new one can be made.
func (p Place) SetAside(now time.Time) (string, error) {
	aside := fmt.Sprintf("%s.unknown-%d", p.Store, now.UnixMilli())
	return aside, os.Rename(p.Store, aside)
}
