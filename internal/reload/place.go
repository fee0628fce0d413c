package reload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// hunk is one hunk of a patch.
type hunk struct {
	from, to int // the line where it begins, before and after the change; 0 or 1 at the beginning of the file
	lines    []string
	ends     bool // it ends with a last line without a line end
}

// hunks splits a patch.
func hunks(patch string) (out []hunk) {
	for line := range strings.Lines(patch) {
		n := len(out) - 1
		switch {
		case strings.HasPrefix(line, "@@ "):
			var h hunk
			_, new, _ := strings.Cut(line, " +")
			_, _ = fmt.Sscanf(line, "@@ -%d", &h.from)
			_, _ = fmt.Sscanf(new, "%d", &h.to)
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

// span is a part of a text, in bytes.
type span struct{ from, to int }

// holds reports whether another part lies within this one.
func (s span) holds(o span) bool { return s.from <= o.from && o.to <= s.to }

// places counts the places in a text, outside of a part, where git may find a hunk as it was before
// ('-') or after ('+') the change: 0, 1, or 2 for more than one. at is the first of them. fixed means
// that git accepts it only at the beginning or the end of a file, because it begins the file or ends
// with a change; it is not looked for then.
func (h hunk) places(text string, sign byte, outside span) (at span, n int, fixed bool) {
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
	if h.ends || begins <= 1 || last != ' ' {
		return at, 1, true
	}
	text = "\n" + text
	for i := 0; n < 2; {
		next := strings.Index(text[i:], lines)
		if next < 0 {
			break
		}
		found := span{i + next, i + next + len(lines)}
		i += next + 1
		if outside.holds(found) {
			continue
		}
		if n++; n == 1 {
			at = found
		}
	}
	return at, n, false
}

// misplaced reports whether git could make a change at another place of the text than intended: a
// hunk fits at two places, because the same lines often occur several times in a file, or another
// place looks as if the change had already been made. from is '-' for making the change, '+' for
// undoing it. At the place where the hunk fits, the changed lines may also be found as part of the
// others, for example when a new test ends like the one before it; that does not count.
func misplaced(patch, text string, from byte) bool {
	to := '-' + '+' - from
	return slices.ContainsFunc(hunks(patch), func(h hunk) bool {
		here, fits, _ := h.places(text, from, span{})
		_, made, fixed := h.places(text, to, here)
		return fits > 1 || made > 0 && !fixed
	})
}

// misplaced is the same for a patch and the present content of its file. A file that cannot be read
// counts as misplaced.
func (w Worktree) misplaced(f filePatch, from byte) bool {
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
