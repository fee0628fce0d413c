package reload

import (
	"bytes"
	"context"
	"fmt"
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

// patch returns the change of a file, "" if it is not known.
func (e *Entry) patch(p event.Path) string {
	for _, f := range e.Files {
		if f.Path == p {
			return f.Patch
		}
	}
	return ""
}
