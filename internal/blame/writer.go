package blame

import (
	"context"
	"strings"
	"unicode"

	"github.com/aoa-dev/aoa/internal/event"
)

// edit is an agent's edit of a file, with its texts.
type edit struct {
	event.Event
	swaps []swap
}

// swap is a replacement in a file. If the whole file was written, before is the version that git
// has.
type swap struct{ before, after lines }

// read reads the texts of a call. A call that overwrote a whole file is left out if git does not
// have the earlier content, because it is not known which lines are new.
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

// writer returns the ID of the call that wrote line i (counted from 0), or "" if that is not
// certain. It is certain if
//
//   - the text of the call has the line, and more often than the text that it replaced,
//   - the lines around it are the same in the call's text as in the file, and these lines occur
//     nowhere else in the file and have enough letters and digits (the constant certain),
//   - no later call removed such a line,
//   - and no other session wrote the same lines. If several calls of one session did, the last
//     one is the writer.
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
				from, to := now.shared(i, s.after)
				if weight := now.weight(from, to); weight >= certain {
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
	weight int  // letters and digits of the surrounding lines that the text has, too
	alone  bool // the lines occur once in the file, and no other session wrote as many of them
}

// certain is the number of letters and digits from which on a match elsewhere by chance is
// unlikely.
const certain = 12

// lines are the lines of a text.
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

// text returns line i unchanged, or "" beyond the end.
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

// shared returns the lines [from, to) around line i that also follow each other in the other text.
// If line i occurs there several times, it returns the run with the most letters and digits.
func (l lines) shared(i int, other lines) (from, to int) {
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
			from, to = i-up, i+down
		}
	}
	return from, to
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

// places returns how often a run of lines occurs in the text.
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
