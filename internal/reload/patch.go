package reload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// maxEdited is the size, in bytes, of the largest file whose patch is kept.
const maxEdited = 1 << 20

// keepPatches stores, for each file that the turn changed, the change as a patch for git apply. It
// can do so only if the file still has the content that the turn left, and if the content before is
// known: git has it, or the replacements can be undone. If a command ran after the last edit of a
// file, such as a formatter, the content that the command left counts as the turn's.
func (c *Cache) keepPatches(ctx context.Context, e *Entry) {
	w := c.o.Place()
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return
	}
	defer dir.Close()
	for i := range e.Files {
		f := &e.Files[i]
		var calls []Action
		plain := true
		for _, a := range e.Actions {
			if a.OK && !a.Act.ReadOnly() && slices.Contains(a.Paths, f.Path) {
				calls, plain = append(calls, a), plain && a.changes() && a.Parts == 0 && !a.Secret && len(a.Edits) > 0
			}
		}
		after, err := regularfile.ReadIn(dir, string(f.Path), maxEdited)
		if err == nil && f.Wrote && f.After != "" && e.ranAfter(f.Path) {
			f.After = index.BlobID(after)
		}
		if len(calls) == 0 || !plain || err != nil || w.Ignored(f.Path) || f.After != "" && index.BlobID(after) != f.After {
			continue
		}
		if before, known := beforeOf(ctx, w, f, calls, after); known {
			f.Patch = patchOf(f.Path, before, after)
		}
		if c.o.Redact(f.Patch) != f.Patch {
			f.Patch = ""
		}
	}
}

// ranAfter reports whether a command ran after the last call that changed a file.
func (e *Entry) ranAfter(p event.Path) (ran bool) {
	for _, a := range e.Actions {
		switch {
		case a.Act == event.ActRun:
			ran = true
		case !a.Act.ReadOnly() && slices.Contains(a.Paths, p):
			ran = false
		}
	}
	return ran
}

// beforeOf returns the content of a file before the given calls changed it, nil if there was no
// file. known is false if it cannot be determined.
func beforeOf(ctx context.Context, w Worktree, f *File, calls []Action, after []byte) (before []byte, known bool) {
	if f.Before == gone {
		return nil, true
	}
	if f.Before != "" {
		if before = w.Blob(ctx, f.Before); before != nil {
			return before, true
		}
	}
	text := string(after)
	for _, a := range slices.Backward(calls) {
		for _, s := range slices.Backward(a.Edits) {
			n := 0
			if s.New != "" {
				n = strings.Count(text, s.New)
			}
			if a.Act == event.ActWrite || n == 0 || n > 1 && !s.All {
				return nil, false
			}
			text = strings.ReplaceAll(text, s.New, s.Old)
		}
	}
	return []byte(text), f.Before == "" || index.BlobID([]byte(text)) == f.Before
}

// patchOf returns the change of a file in the form of git apply. before is nil for a new file. It
// returns "" if nothing changes, if the content is not text, or if a patch cannot express the name.
func patchOf(p event.Path, before, after []byte) string {
	name := string(p)
	odd := strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError })
	text := diff.Diff("a", before, "b", after)
	if odd || binary(before) || binary(after) || !utf8.Valid(before) || !utf8.Valid(after) || text == nil {
		return ""
	}
	_, hunks, _ := bytes.Cut(text, []byte("\n+++ b\n"))
	end := ""
	if strings.Contains(name, " ") {
		end = "\t" // git ends the name there
	}
	head := fmt.Sprintf("diff --git a/%s b/%[1]s\n", name)
	if before == nil {
		return fmt.Sprintf("%snew file mode 100644\n--- /dev/null\n+++ b/%s%s\n%s", head, name, end, hunks)
	}
	return fmt.Sprintf("%s--- a/%s%s\n+++ b/%[2]s%[3]s\n%s", head, name, end, hunks)
}

// hunk is one hunk of a patch.
type hunk struct {
	from, to int // the line where it begins, before and after the change; 0 or 1 at the beginning of the file
	lines    []string
	ends     bool // it ends with a last line without a line end
}

// hunks splits a patch that patchOf has made.
func hunks(patch string) (out []hunk) {
	for line := range strings.Lines(patch) {
		n := len(out) - 1
		switch {
		case strings.HasPrefix(line, "@@ "):
			var h hunk
			_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d", &h.from, new(int), &h.to)
			out = append(out, h)
		case n < 0: // the head
		case line[0] == '\\':
			out[n].ends = true
		default:
			out[n].lines = append(out[n].lines, line)
		}
	}
	return out
}

// changed returns the number of the first line that a hunk changes, counted before the change.
func (h hunk) changed() int {
	around := max(0, slices.IndexFunc(h.lines, func(line string) bool { return line[0] != ' ' }))
	return max(h.from+around, 1) // a new file begins at 0
}

// side returns the lines of a hunk before ('-') or after ('+') the change, with the end of the line
// above them. fixed means that git accepts them only at the beginning or the end of a file, because
// they begin the file or end with a change.
func (h hunk) side(sign byte) (lines string, fixed bool) {
	begins := h.from
	if sign == '+' {
		begins = h.to
	}
	lines, last := "\n", byte(' ')
	for _, line := range h.lines {
		if last = line[0]; last == ' ' || last == sign {
			lines += line[1:]
		}
	}
	return lines, h.ends || begins <= 1 || last != ' '
}

// misplaced reports whether git could make a change at another place of the text than intended: a
// hunk fits at two places, because the same lines often occur several times in a file, or another
// place looks as if the change had already been made. from is '-' for making the change, '+' for
// undoing it. At the place where the hunk fits, the changed lines may also be found as part of the
// others, for example when a new test ends like the one before it; that does not count.
func misplaced(patch, text string, from byte) bool {
	text = "\n" + text
	return slices.ContainsFunc(hunks(patch), func(h hunk) bool {
		begin, end := 0, 0 // where the hunk fits
		if lines, fixed := h.side(from); !fixed {
			switch at := strings.Index(text, lines); {
			case at != strings.LastIndex(text, lines):
				return true
			case at >= 0:
				begin, end = at, at+len(lines)
			}
		}
		made, fixed := h.side('-' + '+' - from)
		first := strings.Index(text, made)
		return !fixed && first >= 0 && (first < begin || strings.LastIndex(text, made)+len(made) > end)
	})
}

// misplaced is the same for a patch and the present content of its file. A file that cannot be read
// counts as misplaced.
func (w Worktree) misplaced(f File, from byte) bool {
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return true
	}
	defer dir.Close()
	text, err := regularfile.ReadIn(dir, string(f.Path), maxEdited)
	if errors.Is(err, fs.ErrNotExist) {
		return false // the patch creates the file, or git refuses it
	}
	return err != nil || misplaced(f.Patch, string(text), from)
}
