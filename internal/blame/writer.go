package blame

import (
	"context"
	"strings"
	"unicode"

	"github.com/aoa-dev/aoa/internal/event"
)

// edit is an edit of a file by an agent, with its texts.
type edit struct {
	event.Event
	swaps []swap
}

// swap is what a call replaced. Of a file that was written as a whole, before is what git had of it. later is what later
// calls made of the new text.
type swap struct {
	before, after, later lines
}

// read reads the texts of a call. A file that was written over another content is left out where git does not have
// that: which of its lines are new is not known.
func (f Finder) read(ctx context.Context, call event.Event) edit {
	e := edit{Event: call}
	c := call.Call()
	for _, s := range f.Texts(ctx, call.ID) {
		before := s.Old
		if c.Act == event.ActWrite && c.Before != event.NoBlob {
			old := f.Blob(ctx, c.Before)
			if old == nil {
				continue
			}
			before = string(old)
		}
		e.swaps = append(e.swaps, swap{before: newLines(before), after: newLines(s.New)})
	}
	return e
}

// evolve notes what later calls made of the texts of earlier ones.
func evolve(edits []edit) {
	for i, e := range edits {
		for k := range e.swaps {
			text := strings.Join(e.swaps[k].after.all, "\n") + "\n"
			for _, next := range edits[i+1:] {
				for _, s := range next.swaps {
					old, new := strings.Join(s.before.all, "\n"), strings.Join(s.after.all, "\n")
					if old != "" && strings.Count(text, old) == 1 {
						text = strings.Replace(text, old, new, 1)
					}
				}
			}
			e.swaps[k].later = newLines(text)
		}
	}
}

// writer is the id of the call that wrote line i, counted from 0, "" if that is not certain. It is certain if
//
//   - the call's text has the line, and more often than what it replaced,
//   - as many lines around it are the same there as here, as it takes that they are nowhere else in the file: all of
//     the text, as later calls left it, or at least certain letters and digits,
//   - no later call took such a line away,
//   - and no other session wrote the same as well. Of calls of one session the last one counts.
//
// White space is ignored.
func (e era) writer(now lines, i int) string {
	if i < 0 || i >= len(now.plain) {
		return ""
	}
	var all []candidate
	for _, call := range e.edits {
		for _, s := range call.swaps {
			switch was, is := s.before.count(now.plain[i]), s.after.count(now.plain[i]); {
			case is < was:
				all = nil
			case is > was:
				from, to, whole := now.shared(i, s.later)
				weight := now.weight(from, to)
				if weight >= certain || whole && weight >= least {
					all = append(all, candidate{call.Event, weight, now.places(from, to) == 1})
				}
			}
		}
	}
	var best candidate
	for _, c := range all {
		switch {
		case c.weight < best.weight:
		case c.weight == best.weight && c.Session != best.Session:
			best.alone = false
		default:
			best = c
		}
	}
	if !best.alone {
		return ""
	}
	return best.ID
}

// candidate is a call whose text has a line.
type candidate struct {
	event.Event
	weight int  // of the lines around it that the text has, too
	alone  bool // they stand at one place of the file, and no other session wrote as many
}

// Weights of lines, in letters and digits.
const (
	least   = 4  // fewer say nothing: a bracket, "end"
	certain = 12 // so many are found by chance at no other place of a file
)

// lines are those of a text.
type lines struct {
	all   []string
	plain []string // without white space
}

func newLines(text string) (l lines) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		l.all = append(l.all, line)
		l.plain = append(l.plain, strings.Join(strings.Fields(line), ""))
	}
	return l
}

// text is a line as it is, "" beyond the end.
func (l lines) text(i int) string {
	if i < 0 || i >= len(l.all) {
		return ""
	}
	return l.all[i]
}

func (l lines) count(plain string) (n int) {
	for _, line := range l.plain {
		if line == plain {
			n++
		}
	}
	return n
}

// shared are the lines around line i, up to to, which it does not include, that stand in another text in the same order:
// the most of them. whole says that this is all of the other text.
func (l lines) shared(i int, other lines) (from, to int, whole bool) {
	for j, line := range other.plain {
		if line != l.plain[i] {
			continue
		}
		up, down := 0, 1
		for i-up > 0 && j-up > 0 && l.plain[i-up-1] == other.plain[j-up-1] {
			up++
		}
		for i+down < len(l.plain) && j+down < len(other.plain) && l.plain[i+down] == other.plain[j+down] {
			down++
		}
		if l.weight(i-up, i+down) > l.weight(from, to) {
			from, to, whole = i-up, i+down, up+down == len(other.plain)
		}
	}
	return from, to, whole
}

// weight counts the letters and digits of lines.
func (l lines) weight(from, to int) (n int) {
	for _, line := range l.plain[from:to] {
		for _, r := range line {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
	}
	return n
}

// places counts where some lines stand in the text.
func (l lines) places(from, to int) (n int) {
	for at := 0; at+to-from <= len(l.plain); at++ {
		same := 0
		for same < to-from && l.plain[at+same] == l.plain[from+same] {
			same++
		}
		if same == to-from {
			n++
		}
	}
	return n
}
