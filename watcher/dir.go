package watcher

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// dir is a folder of the worktree with the known files in it. Ignored folders have none. Only the
// goroutine of Run uses them.
type dir struct {
	watched bool
	opaque  bool // another repository (submodule, clone, linked worktree): nothing below counts
	files   map[string]stamp
	subs    map[string]*dir
}

// stamp is a file's state when it was last read.
type stamp struct {
	size  int64 // bytes; unknownSize if only the existence is known
	mtime int64 // unix nanoseconds
	inode uint64
}

const unknownSize = -1

// same reports whether nothing was saved between the two. The inode does not count: a copy that
// keeps size and time has the same content.
func (s stamp) same(o stamp) bool {
	return s.size != unknownSize && s.size == o.size && s.mtime == o.mtime
}

// find returns the folder, nil when it is not known or lies in another repository.
func (d *dir) find(path string) *dir {
	for path != "" && d != nil && !d.opaque {
		var name string
		name, path, _ = strings.Cut(path, "/")
		d = d.subs[name]
	}
	if d != nil && d.opaque {
		return nil
	}
	return d
}

// foreign reports whether the path lies in another repository.
func (d *dir) foreign(path string) bool {
	for path != "" && d != nil {
		if d.opaque {
			return true
		}
		var name string
		name, path, _ = strings.Cut(path, "/")
		d = d.subs[name]
	}
	return d != nil && d.opaque
}

// makeDir returns the folder. It makes what is missing of it.
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

// put records a file of the folder.
func (d *dir) put(base string, s stamp) {
	if d.files == nil {
		d.files = map[string]stamp{}
	}
	d.files[base] = s
}

// each visits the folder and all below it, parents first. path is the folder's own.
func (d *dir) each(path string, visit func(path string, d *dir)) {
	visit(path, d)
	for name, sub := range d.subs {
		sub.each(join(path, name), visit)
	}
}

// prune removes folders that are empty and not watched, from path upwards.
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

// pruneBelow removes what is below the folder, empty and not watched.
func (d *dir) pruneBelow() {
	for name, sub := range d.subs {
		sub.pruneBelow()
		if len(sub.files) == 0 && len(sub.subs) == 0 && !sub.watched {
			delete(d.subs, name)
		}
	}
}
