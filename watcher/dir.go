package watcher

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
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
			sub = &dir{}
			if d.subs == nil {
				d.subs = map[string]*dir{}
			}
			d.subs[name] = sub
		}
		d = sub
	}
	return d
}

// put records the state of a file in the folder.
func (d *dir) put(base string, s stamp) {
	if d.files == nil {
		d.files = map[string]stamp{}
	}
	d.files[base] = s
}

// each calls visit for the folder at path and for all folders below it, parents first.
func (d *dir) each(path string, visit func(path string, d *dir)) {
	visit(path, d)
	for name, sub := range d.subs {
		sub.each(join(path, name), visit)
	}
}

// prune removes empty folders that are not watched, from path upwards.
func (d *dir) prune(path string) {
	for path != "" {
		at := d.find(path)
		if at == nil || at.watched || len(at.files) > 0 || len(at.subs) > 0 {
			return
		}
		up := event.Path(path)
		delete(d.find(up.Dir()).subs, up.Base())
		path = up.Dir()
	}
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// pruneBelow removes the empty folders below d that are not watched.
func (d *dir) pruneBelow() {
	for name, sub := range d.subs {
		sub.pruneBelow()
		if len(sub.files) == 0 && len(sub.subs) == 0 && !sub.watched {
			delete(d.subs, name)
		}
	}
}
