package reload

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

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
	p      *replay
	files  []*planned // in the order of the edits
	steps  map[int]Step
	broken bool // an edit does not fit
}

// planned is a file before and after; nil: there is none.
type planned struct {
	path          event.Path
	before, after []byte
	mode          fs.FileMode
}

func (f *planned) changed() bool {
	return (f.before == nil) != (f.after == nil) || !bytes.Equal(f.before, f.after)
}

// newPlan computes all edits. The first that does not fit breaks the plan; that is no error.
func newPlan(p *replay, e Entry, skip []int) (*plan, error) {
	l := &plan{p: p, steps: map[int]Step{}}
	for i, a := range e.Actions {
		if !a.changes() || a.note() != "" || slices.Contains(skip, i) {
			l.broken = l.broken || a.changes() && a.OK && !slices.Contains(skip, i)
			continue
		}
		s := Step{State: Planned}
		if l.broken {
			s.is(Skipped, "an edit before it does not fit")
		} else if note := l.edit(e, a); note != "" {
			s.is(Diverged, note)
			l.broken = true
		}
		l.steps[i] = s
	}
	size := 0
	for _, f := range l.files {
		size += len(f.before) + len(f.after)
	}
	if size > maxPlanned {
		return nil, fmt.Errorf("plan the edits: the files have %d bytes, more than %d", size, maxPlanned)
	}
	return l, nil
}

// edit computes an edit; note is the reason why it does not fit.
func (l *plan) edit(e Entry, a Action) (note string) {
	f, note := l.file(a.Paths[0])
	switch {
	case note != "":
		return note
	case a.Act == event.ActWrite:
		return f.write(e, a.Edits[0].New)
	case f.after == nil:
		return "the file is gone"
	}
	text := string(f.after)
	for k, s := range a.Edits {
		n := strings.Count(text, s.Old)
		switch {
		case n == 0:
			return fmt.Sprintf("the text to be replaced is not there (replacement %d)", k)
		case n > 1 && !s.All:
			return fmt.Sprintf("the text to be replaced is there %d times (replacement %d)", n, k)
		case n > maxEdited || len(text)+n*(len(s.New)-len(s.Old)) > maxEdited:
			return "the file would be too large"
		}
		text = strings.ReplaceAll(text, s.Old, s.New)
	}
	f.after = []byte(text)
	return ""
}

// write is a file written as a whole. It must be as it was before, or have that content already.
func (f *planned) write(e Entry, text string) (note string) {
	i := slices.IndexFunc(e.Files, func(x File) bool { return x.Path == f.path })
	now := gone
	if f.after != nil {
		now = index.BlobID(f.after)
	}
	if i < 0 || e.Files[i].Before == "" || now != e.Files[i].Before && (f.after == nil || string(f.after) != text) {
		return "the file is not what it was before"
	}
	f.after = []byte(text)
	return ""
}

// file reads a file into the plan, once.
func (l *plan) file(path event.Path) (f *planned, note string) {
	if i := slices.IndexFunc(l.files, func(f *planned) bool { return f.path == path }); i >= 0 {
		return l.files[i], ""
	}
	if l.p.w.ignored(path) {
		return nil, "the file is ignored"
	}
	f = &planned{path: path, mode: 0o644}
	st, err := l.p.dir.Lstat(string(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
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
		raw = append([]byte{}, raw...) // an empty file is not nil
		f.before, f.after, f.mode = raw, raw, st.Mode().Perm()
	}
	l.files = append(l.files, f)
	return f, ""
}

// name identifies the changes of a plan: only a plan that was shown is applied. It is "" when there are none.
func (l *plan) name() string {
	h, changes := sha256.New(), false
	for _, f := range l.files {
		if f.changed() {
			changes = true
			fmt.Fprintf(h, "%d %s %s %s\n", len(f.path), f.path, index.BlobID(f.before), index.BlobID(f.after))
		}
	}
	if l.broken || !changes {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// diff is the unified diff of all files. Lines are cut to maxLine.
func (l *plan) diff() string {
	var b strings.Builder
	for _, f := range l.files {
		if !f.changed() {
			continue
		}
		from, to := "a/"+f.path.Display(), "b/"+f.path.Display()
		if f.before == nil {
			from = "/dev/null"
		}
		text := string(diff.Diff(from, f.before, to, f.after))
		_, text, _ = strings.Cut(text, "\n") // "diff a b"
		for line := range strings.Lines(text) {
			b.WriteString(event.Clip(strings.TrimSuffix(line, "\n"), maxLine) + "\n")
		}
	}
	return cutLines(b.String(), maxOutput)
}

// apply makes the edits, all or none, and returns the id of the undo record, which it stores first.
func (c *Cache) apply(ctx context.Context, l *plan, sequence string) (string, error) {
	u := undo{ID: "undo-" + strings.ToLower(rand.Text()[:10]), Sequence: sequence, At: c.o.Now().UTC()}
	for _, f := range l.files {
		if f.changed() {
			u.Files = append(u.Files, restored{Path: f.path, Before: f.before, Existed: f.before != nil, Mode: f.mode,
				After: index.BlobID(f.after)})
		}
	}
	if len(u.Files) == 0 {
		return "", nil
	}
	if err := c.saveUndo(ctx, u); err != nil {
		return "", fmt.Errorf("write the undo record: %w", err)
	}
	done := 0
	for _, f := range l.files {
		if !f.changed() {
			continue
		}
		if err := write(l.p.dir, f.path, f.after, f.mode); err != nil {
			u.Files = u.Files[:done]
			return "", errors.Join(fmt.Errorf("edit %s: %w; nothing was changed", f.path.Display(), err), u.restore(l.p.dir),
				c.o.DB.MarkUndo(ctx, u.ID))
		}
		done++
	}
	for i, s := range l.steps {
		s.State = Applied
		l.steps[i] = s
	}
	return u.ID, nil
}
