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

// places counts the places in a text where git may find a hunk as it was before ('-') or after ('+')
// the change: 0, 1, or 2 for more than one. fixed means that git accepts it only at the beginning or
// the end of a file, because it begins the file or ends with a change; it is not looked for then.
func (h hunk) places(text string, sign byte) (n int, fixed bool) {
	at := h.from
	if sign == '+' {
		at = h.to
	}
	lines, last := "\n", byte(' ')
	for _, line := range h.lines {
		if last = line[0]; last == ' ' || last == sign {
			lines += line[1:]
		}
	}
	text = "\n" + text
	first := strings.Index(text, lines)
	switch {
	case h.ends || at <= 1 || last != ' ':
		return 1, true
	case first < 0:
		return 0, false
	case first == strings.LastIndex(text, lines):
		return 1, false
	}
	return 2, false
}

// misplaced reports whether git could make a change at another place of the text than intended: a
// hunk fits at two places, because the same lines often occur several times in a file, or another
// place looks as if the change had already been made. from is '-' for making the change, '+' for
// undoing it.
func misplaced(patch, text string, from byte) bool {
	to := '-' + '+' - from
	return slices.ContainsFunc(hunks(patch), func(h hunk) bool {
		fits, _ := h.places(text, from)
		made, fixed := h.places(text, to)
		return fits > 1 || made > 0 && !fixed
	})
}

// misplaced is the same for a patch and the file in the worktree. A file that cannot be read counts
// as misplaced.
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
