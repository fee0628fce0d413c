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

// contexts has the numbers of lines around a change that a patch may show. The first one is used
// for which only one place of the file looks like that; if none is enough, all lines are shown.
var contexts = []int{3, 6, 12, 24, 48, 96}

// maxWidened is the number of bytes by which a patch may grow for that.
const maxWidened = 64 << 10

// noEnd is what a patch has after a last line without a line end.
const noEnd = "\n\\ No newline at end of file\n"

// part is one hunk of a patch.
type part struct {
	from, to int // the line where it begins, before and after the change; 0 or 1 at the beginning of the file
	lines    []string
}

// parts splits the hunks of a patch. A line without a line end is followed by noEnd.
func parts(hunks string) (out []part) {
	for line := range strings.Lines(hunks) {
		var p part
		n := len(out) - 1
		switch {
		case strings.HasPrefix(line, "@@ "):
			_, new, _ := strings.Cut(line, " +")
			_, _ = fmt.Sscanf(line, "@@ -%d", &p.from)
			_, _ = fmt.Sscanf(new, "%d", &p.to)
			out = append(out, p)
		case n < 0: // lines before the first hunk name the files
		case line[0] == '\\':
			if last := len(out[n].lines) - 1; last >= 0 {
				out[n].lines[last] = strings.TrimSuffix(out[n].lines[last], "\n") + noEnd
			}
		default:
			out[n].lines = append(out[n].lines, line)
		}
	}
	return out
}

// side returns the text of a hunk before ('-') or after ('+') the change. fixed means that git
// accepts it only at the beginning or the end of a file, because it begins the file or ends with a
// change.
func (p part) side(sign byte) (text string, fixed bool) {
	at := p.from
	if sign == '+' {
		at = p.to
	}
	var b strings.Builder
	last := byte(' ')
	for _, line := range p.lines {
		if last = line[0]; last == ' ' || last == sign {
			b.WriteString(line[1:])
		}
	}
	text, ends := strings.CutSuffix(b.String(), noEnd)
	return text, ends || at <= 1 || last != ' '
}

// places counts the places in a text where git may find one side of a hunk: 0, 1, or 2 for more
// than one.
func (p part) places(sign byte, text string) (n int) {
	lines, fixed := p.side(sign)
	if fixed {
		return 1
	}
	text, lines = "\n"+text, "\n"+lines
	for at := strings.Index(text, lines); at >= 0 && n < 2; n++ {
		next := strings.Index(text[at+1:], lines)
		if next < 0 {
			return n + 1
		}
		at += 1 + next
	}
	return n
}

// alone reports whether git can make a change, and undo it, only at the place where it was made.
func alone(hunks, before, after string) bool {
	return !slices.ContainsFunc(parts(hunks), func(p part) bool {
		return p.places('-', before) > 1 || p.places('+', after) > 1
	})
}

// misplaced reports whether git could make a change at another place of the text than intended: a
// hunk fits at two places, or another place looks as if the change had already been made, so that
// it could not be undone.
func misplaced(patch, text string) bool {
	return slices.ContainsFunc(parts(patch), func(p part) bool {
		if p.places('-', text) > 1 {
			return true
		}
		_, fixed := p.side('+')
		return !fixed && p.places('+', text) > 0
	})
}

// misplaced is the same for a patch and the file in the worktree. A file that cannot be read counts
// as misplaced.
func (w Worktree) misplaced(f filePatch) bool {
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return true
	}
	defer dir.Close()
	text, err := regularfile.ReadIn(dir, string(f.Path), maxEdited)
	if errors.Is(err, fs.ErrNotExist) {
		return false // the patch creates the file, or git refuses it
	}
	return err != nil || misplaced(f.Patch, string(text))
}

// widened returns the hunks with as many lines around the changes as are needed to fit only at one
// place. The same lines often occur several times in a file, and git looks for them everywhere.
func widened(hunks, before, after string) string {
	if alone(hunks, before, after) {
		return hunks
	}
	all := script(before, parts(hunks))
	for _, n := range contexts[1:] {
		if wide := around(all, n); alone(wide, before, after) {
			return wide
		}
	}
	return around(all, len(all))
}

// script returns a whole change: the lines of the hunks and those between them.
func script(before string, hunks []part) (all []string) {
	old := slices.Collect(strings.Lines(before))
	next := 0
	same := func(to int) {
		for ; next < to; next++ {
			line := " " + old[next]
			if !strings.HasSuffix(line, "\n") {
				line += noEnd
			}
			all = append(all, line)
		}
	}
	for _, p := range hunks {
		same(p.from - 1)
		for _, line := range p.lines {
			if line[0] != '+' {
				next++
			}
		}
		all = append(all, p.lines...)
	}
	same(len(old))
	return all
}

// around returns the hunks of a whole change, each with that many lines around it.
func around(all []string, context int) string {
	show := make([]bool, len(all))
	for i, line := range all {
		if line[0] == ' ' {
			continue
		}
		for k := max(0, i-context); k < min(len(all), i+context+1); k++ {
			show[k] = true
		}
		if context >= len(all) {
			break
		}
	}
	var b strings.Builder
	from, to := 1, 1
	for i := 0; i < len(all); {
		end, was, is := i, 0, 0
		for end < len(all) && show[end] == show[i] {
			if all[end][0] != '+' {
				was++
			}
			if all[end][0] != '-' {
				is++
			}
			end++
		}
		if show[i] {
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s", from, was, to, is, strings.Join(all[i:end], ""))
		}
		i, from, to = end, from+was, to+is
	}
	return b.String()
}
