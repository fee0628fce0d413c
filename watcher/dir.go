package watcher

import (
	slashpath "path"
	"strings"
)

// dir is a folder of the worktree with its known files. An ignored folder has no dir. Only the
// goroutine of Run uses it.
type dir struct {
	watched bool
	opaque  bool // another repository (submodule, clone, linked worktree); files below it are not looked at
	files   map[string]stamp
	subs    map[string]*dir
}

// stamp is the state of a file when it was last looked at.
type stamp struct {
	size  int64 // bytes; unknownSize if the file was listed but not looked at
	mtime int64 // unix nanoseconds
	inode uint64
}

const unknownSize = -1

func newDir() *dir { return &dir{files: map[string]stamp{}, subs: map[string]*dir{}} }

// same reports whether the file was not saved between two stamps. The inode is not compared,
// because a copy that keeps size and time has the same content.
func (s stamp) same(o stamp) bool {
	return s.size != unknownSize && s.size == o.size && s.mtime == o.mtime
}

// locate returns a folder, nil if it is not known. foreign is true for a path in another repository.
func (d *dir) locate(path string) (at *dir, foreign bool) {
	for path != "" && d != nil && !d.opaque {
		var name string
		name, path, _ = strings.Cut(path, "/")
		d = d.subs[name]
	}
	if d != nil && d.opaque {
		return nil, true
	}
	return d, false
}

// find returns a folder, nil if it is not known or is inside of another repository.
func (d *dir) find(path string) *dir {
	at, _ := d.locate(path)
	return at
}

// foreign reports whether a path is inside of another repository.
func (d *dir) foreign(path string) bool {
	_, foreign := d.locate(path)
	return foreign
}

// makeDir returns a folder, and creates it and its parents if they are missing.
func (d *dir) makeDir(path string) *dir {
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		sub := d.subs[name]
		if sub == nil {
			sub = newDir()
			d.subs[name] = sub
		}
		d = sub
	}
	return d
}

// each calls visit for the folder at path and for all folders below it, parents first.
func (d *dir) each(path string, visit func(path string, d *dir)) {
	visit(path, d)
	for name, sub := range d.subs {
		sub.each(slashpath.Join(path, name), visit)
	}
}

// prune removes the empty folders below d that are not watched.
func (d *dir) prune() {
	for name, sub := range d.subs {
		sub.prune()
		if len(sub.files) == 0 && len(sub.subs) == 0 && !sub.watched && !sub.opaque {
			delete(d.subs, name)
		}
	}
}
