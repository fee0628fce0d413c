package reload

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// maxEdited is the largest file that is edited, in bytes, and maxPlanned what all of a plan's files may have.
const (
	maxEdited  = 1 << 20
	maxPlanned = 4 << 20
)

// plan is the result of the edits of a sequence, computed in memory: all of them fit, or none is made.
type plan struct {
	p       *replay
	order   []event.Path
	files   map[event.Path]*planned
	steps   map[int]outcome
	broken  bool // an edit does not fit
	applied bool
	undo    string
}

// planned is a file before and after.
type planned struct {
	before, after []byte
	existed       bool
	mode          fs.FileMode
}

type outcome struct{ state, note string }

func newPlan(p *replay) *plan {
	return &plan{p: p, files: map[event.Path]*planned{}, steps: map[int]outcome{}}
}

// make computes all edits. The first that does not fit breaks the plan; that is no error.
func (l *plan) make() error {
	for i, a := range l.p.entry.Actions {
		if a.Act != event.ActEdit && a.Act != event.ActWrite || !a.OK || slices.Contains(l.p.r.Skip, i) {
			continue
		}
		if l.broken {
			l.steps[i] = outcome{Skipped, "an edit before it does not fit"}
			continue
		}
		l.steps[i] = outcome{Planned, ""}
		if note := l.one(a); note != "" {
			l.steps[i], l.broken = outcome{Diverged, note}, true
		}
	}
	size := 0
	for _, f := range l.files {
		size += len(f.before) + len(f.after)
	}
	if size > maxPlanned {
		return fmt.Errorf("plan the edits: the files have %d bytes, more than %d", size, maxPlanned)
	}
	return nil
}

// one computes an edit; note is the reason why it does not fit.
func (l *plan) one(a Action) (note string) {
	switch {
	case a.Secret:
		return "a secret was taken out of its input"
	case len(a.Paths) != 1 || a.Act == event.ActEdit && len(a.Edits) == 0 || a.Act == event.ActWrite && a.Body == nil:
		return "its texts were not recorded"
	}
	f, note := l.file(a.Paths[0])
	switch {
	case note != "":
		return note
	case a.Act == event.ActWrite:
		return l.write(f, a)
	case !f.existed:
		return "the file is gone"
	}
	text := string(f.after)
	for k, e := range a.Edits {
		n := strings.Count(text, e.Old)
		switch {
		case n == 0:
			return fmt.Sprintf("the text to be replaced is not there (replacement %d)", k)
		case n > 1 && !e.All:
			return fmt.Sprintf("the text to be replaced is there %d times (replacement %d)", n, k)
		}
		if n > maxEdited || len(text)+n*(len(e.New)-len(e.Old)) > maxEdited {
			return "the file would be too large"
		}
		text = strings.ReplaceAll(text, e.Old, e.New)
	}
	f.after = []byte(text)
	return ""
}

// write is a file written as a whole. It must be as it was before, or have that content already.
func (l *plan) write(f *planned, a Action) (note string) {
	was := ""
	for _, x := range l.p.entry.Files {
		if x.Path == a.Paths[0] {
			was = x.Before
		}
	}
	now := gone
	if f.existed {
		now = index.BlobID(f.after)
	}
	if was == "" || now != was && (!f.existed || string(f.after) != *a.Body) {
		return "the file is not what it was before"
	}
	f.after = []byte(*a.Body)
	if !f.existed {
		f.mode, f.existed = 0o644, true
		f.before = nil
	}
	return ""
}

// file reads a file into the plan, once.
func (l *plan) file(path event.Path) (f *planned, note string) {
	if f := l.files[path]; f != nil {
		return f, ""
	}
	if l.p.w.ignored(path) {
		return nil, "the file is ignored"
	}
	st, err := l.p.dir.Lstat(string(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f = &planned{}
	case err != nil:
		return nil, plain(err)
	case !st.Mode().IsRegular():
		return nil, "it is no regular file"
	default:
		raw, err := regularfile.ReadIn(l.p.dir, string(path), maxEdited)
		if err != nil {
			return nil, plain(err)
		}
		if binary(raw) || !utf8.Valid(raw) {
			return nil, "it is not text"
		}
		f = &planned{before: raw, after: raw, existed: true, mode: st.Mode().Perm()}
	}
	l.files[path] = f
	l.order = append(l.order, path)
	return f, ""
}

func (f *planned) same() bool {
	return f.before != nil == f.existed && string(f.before) == string(f.after)
}

// name identifies the changes of a plan: only a plan that was shown is applied. It is "" when there are none.
func (l *plan) name() string {
	if l.broken {
		return ""
	}
	h, any := sha256.New(), false
	for _, path := range l.order {
		if f := l.files[path]; !f.same() {
			any = true
			fmt.Fprintf(h, "%d %s %s %s\n", len(path), path, index.BlobID(f.before), index.BlobID(f.after))
		}
	}
	if !any {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

func (l *plan) diff() string {
	var b strings.Builder
	for _, path := range l.order {
		if f := l.files[path]; !f.same() {
			b.WriteString(unifiedDiff(path, f.before, f.after))
		}
	}
	return cutLines(b.String(), maxOutput)
}

// state is the result of an edit.
func (l *plan) state(i int) (state, note string) {
	o, known := l.steps[i]
	switch {
	case !known:
		return Skipped, "it failed when it was recorded"
	case o.state == Planned && l.applied:
		return Applied, ""
	}
	return o.state, o.note
}

// apply makes the edits, all or none. It first stores what the files were.
func (l *plan) apply(ctx context.Context) error {
	random := make([]byte, 10)
	_, _ = rand.Read(random) // never fails
	u := undo{ID: "undo-" + letters(random), Sequence: l.p.entry.ID, At: l.p.c.o.Now().UTC()}
	for _, path := range l.order {
		if f := l.files[path]; !f.same() {
			u.Files = append(u.Files,
				restored{Path: path, Before: f.before, Existed: f.before != nil, Mode: f.mode, After: index.BlobID(f.after)})
		}
	}
	if len(u.Files) == 0 {
		return nil
	}
	if err := l.p.c.saveUndo(ctx, u, l.p.r.Call); err != nil {
		return fmt.Errorf("write the undo record: %w", err)
	}
	for i, r := range u.Files {
		f := l.files[r.Path]
		err := replace(l.p.dir, r.Path, f.before, r.Existed, f.after, f.mode)
		if err == nil {
			continue
		}
		back := u.restore(l.p.dir, i)
		return errors.Join(fmt.Errorf("edit %s: %w; nothing was changed", r.Path.Display(), err), back,
			l.p.c.o.DB.MarkUndo(ctx, u.ID, "", true))
	}
	l.applied, l.undo = true, u.ID
	return nil
}

// replace replaces the content of a file, if it is still the old one.
func replace(dir *os.Root, path event.Path, before []byte, existed bool, after []byte, mode fs.FileMode) error {
	now, err := regularfile.ReadIn(dir, string(path), maxEdited)
	switch {
	case existed && err != nil:
		return err
	case existed && string(now) != string(before):
		return errors.New("it was changed meanwhile")
	case !existed && err == nil:
		return errors.New("it was made meanwhile")
	case !existed && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if d := path.Dir(); d != "" {
		if err := dir.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	return atomicfile.WriteBytesIn(dir, string(path), atomicfile.Options{Mode: mode, SetMode: true}, after)
}
