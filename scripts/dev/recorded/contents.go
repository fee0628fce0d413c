package recorded

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/watcher"
)

// blobs reads contents from one git process.
type blobs struct{ *git.Blobs }

// openBlobs starts the process. It ends with Close, or with ctx.
func openBlobs(ctx context.Context, dir string, env []string) (*blobs, error) {
	b, err := git.Find(env).Blobs(ctx, dir)
	return &blobs{b}, err
}

// read returns the content of an object, nil if it is too large, binary, or missing (as in a
// partial clone).
func (b *blobs) read(oid string) ([]byte, error) {
	data, err := b.Read(oid, index.MaxDocument)
	if err != nil && !errors.Is(err, git.ErrNoBlob) {
		return nil, err
	}
	if slices.Contains(data[:min(len(data), 8000)], 0) {
		return nil, nil
	}
	return data, nil
}

// contents notes which contents the files of a commit have from now on. They are read only when the
// next question is asked, because most versions in a history are outdated by then.
func (w *World) contents(e event.Event) {
	if w.reader == nil {
		return
	}
	switch b := e.Body.(type) {
	case event.Rename:
		for i, from := range b.From {
			if oid, known := w.held[from]; known {
				delete(w.held, from)
				w.held[b.To[i]] = oid
			}
		}
	case event.Commit:
		w.said.Remove(b.Gone...)
		for _, p := range b.Gone {
			delete(w.unread, p)
			delete(w.held, p)
		}
		for _, f := range w.blobs[commitOf(e)] {
			w.unread[f.path], w.held[f.path] = f.id, f.id
		}
	}
}

// blob is the content of a file from a certain commit on.
type blob struct {
	path event.Path
	id   string
}

// shortName is the least length of a commit's name in a recorded history.
const shortName = 12

// short returns the key under which the versions of a commit are stored.
func short(sha string) string { return sha[:min(shortName, len(sha))] }

func commitOf(e event.Event) string { return short(strings.TrimPrefix(e.ID, "commit:")) }

// versions returns, by the short name of each commit of a clone, the contents that files have after
// it.
func versions(ctx context.Context, clone *eval.Clone) (map[string][]blob, error) {
	out := map[string][]blob{}
	err := watcher.ReadLog(ctx, git.Find(clone.Env), clone.Dir, watcher.LogOptions{From: []string{"HEAD"}},
		func(c *watcher.Commit) error {
			for _, f := range c.Files {
				if f.Status != 'D' {
					out[short(c.ID)] = append(out[short(c.ID)], blob{f.Path, f.Blob})
				}
			}
			return nil
		})
	return out, err
}

// text returns the newest version of a file, nil if its content is not known.
func (w *World) text(p event.Path) []byte {
	oid, known := w.held[p]
	if !known {
		return nil
	}
	data, err := w.reader.read(oid)
	if err != nil {
		return nil // The next read returns the same error.
	}
	return data
}

// read reads the contents that are needed, in the order of the files' names, so that equal input
// gives equal numbers.
func (w *World) read() error {
	for _, p := range slices.Sorted(maps.Keys(w.unread)) {
		data, err := w.reader.read(w.unread[p])
		if err != nil {
			return err
		}
		w.said.Remove(p)
		if data != nil {
			w.said.Set(p, data)
		}
	}
	clear(w.unread)
	return nil
}

// Checkout sets the files to those of a commit (file → object). Events that are learned later
// change them again.
func (w *World) Checkout(now map[event.Path]string) {
	for _, p := range w.Tree.All() {
		if _, there := now[p]; !there {
			w.Tree.Remove(p)
		}
	}
	clear(w.unread)
	for p := range w.checkedOut {
		if _, there := now[p]; !there {
			w.said.Remove(p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(now)) {
		w.Tree.Add(p)
		if w.checkedOut[p] != now[p] && w.said != nil && index.KindOf(p) != index.KindBinary {
			w.unread[p] = now[p]
		}
	}
	w.checkedOut, w.held = maps.Clone(now), now
}
