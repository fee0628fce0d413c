package watcher

import (
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// dir is a folder of the worktree and what is known of the files directly in it. Folders that are ignored
// have none. The tree of them belongs to the thinking goroutine and has no lock.
type dir struct {
	watched bool
	opaque  bool      // another repository lives here (submodule, clone, linked worktree): nothing below counts
	active  time.Time // newest sign of work in it
	files   map[string]stamp
	subs    map[string]*dir
}

// stamp is a file's state when it was last looked at.
type stamp struct {
	size  int64 // bytes; unsure when only the existence is known
	mtime int64 // unix nanoseconds
	inode uint64
}

const unknownSize = -1

// same reports whether nothing was saved between the two. The inode does not count: a copy that keeps size
// and time has the same content.
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

// grow returns the folder and makes what is missing on the way.
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
	if t := time.Unix(0, s.mtime); s.size != unknownSize && t.After(d.active) {
		d.active = t
	}
}

// each visits the folder and all below it, parents first. path is the folder's own.
func (d *dir) each(path string, visit func(path string, d *dir)) {
	visit(path, d)
	for name, sub := range d.subs {
		sub.each(join(path, name), visit)
	}
}

// prune cuts folders off that are empty, unwatched and so without use, from path upwards.
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

// shed cuts off what lies below the folder and holds no files.
func (d *dir) pruneBelow() {
	for name, sub := range d.subs {
		sub.pruneBelow()
		if len(sub.files) == 0 && len(sub.subs) == 0 && !sub.watched {
			delete(d.subs, name)
		}
	}
}
