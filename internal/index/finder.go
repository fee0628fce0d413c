package index

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxMentioning is the number of bytes of a text that are searched for names of files.
const maxMentioning = 30 << 10

// maxSame is the largest number of files with one name that are compared with a token. In a large
// repository "index.ts" means nothing without its folder, and comparing thousands of files for each
// token would be the slowest step of all.
const maxSame = 200

// finder collects the files that a text names, each once, in order of appearance.
type finder struct {
	in    *Locator
	dirs  []string // absolute folders that names may be relative to
	names bool     // the text is a listing: any word may be a file
	seen  map[event.Path]bool
	out   []event.Path
}

// Mentions returns the files of the repository that text names, at most event.MaxSeen. It searches
// the first 30 KB. listing says that each line is a name or begins with one, as in the output of
// grep, find and ls; dirs are the folders that were listed. A name counts only if it leads to
// exactly one known file.
func (l *Locator) Mentions(text string, listing bool, dirs ...string) []event.Path {
	if l.Tree == nil || text == "" {
		return nil
	}
	f := finder{in: l, dirs: append(dirs[:len(dirs):len(dirs)], l.Cwd), names: listing, seen: map[event.Path]bool{}}
	text = event.Clip(text, maxMentioning)
	for line := range strings.SplitSeq(text, "\n") {
		if len(f.out) >= event.MaxSeen {
			break
		}
		f.line(strings.TrimRight(line, "\r"))
	}
	return f.out
}

// line searches a line for names: first the whole line, because names may contain spaces, then its
// words.
func (f *finder) line(line string) {
	if f.names {
		head, _, more := strings.Cut(line, ":")
		if f.find(strings.TrimSpace(head), Exact) || more && f.find(strings.TrimSpace(line), Exact) {
			return
		}
	}
	for word := range strings.FieldsFuncSeq(line, delimiter) {
		f.word(word)
	}
}

// delimiter reports whether a character ends a word. Brackets do not, because names of web routes
// contain them; they are trimmed off instead.
func delimiter(r rune) bool {
	switch r {
	case ' ', '\t', '\v', '\f', '\r', 0, '"', '\'', '`', ',', ';', '<', '>', '|', '=':
		return true
	}
	return false
}

// word tries one word of the text: "path", "path:12:text", "HEAD:path", "@path", "(path)",
// "path#L3".
func (f *finder) word(w string) {
	w = strings.TrimLeft(w, "@([{*!")
	w = strings.TrimRight(w, ")]}*.:!?")
	if len(w) < 3 || len(w) > event.MaxPath || strings.Contains(w, "://") {
		return
	}
	head, tail := cutLine(w)
	if !f.name(head) {
		f.name(tail)
	}
}

func (f *finder) name(name string) bool {
	bare, last := !strings.ContainsAny(name, `/\`), End
	if len(name) < 2 || bare && !f.names && !LooksNamed(name) {
		return false
	}
	same := f.in.Tree.Base(name[strings.LastIndexAny(name, `/\`)+1:])
	if len(same) == 0 {
		return false // most words end here
	}
	if len(same) > maxSame || bare && !LooksNamed(name) {
		last = Exact
	}
	return f.find(name, last)
}

// find adds the file that a name means by one of the rules up to last, and reports whether there is one.
func (f *finder) find(name string, last Rung) bool {
	p, at := f.in.Find(name, Exact, last, f.dirs...)
	if at != None && !f.seen[p] && !f.in.Ignored(p) && len(f.out) < event.MaxSeen {
		f.seen[p] = true
		f.out = append(f.out, p)
	}
	return at != None
}

// LooksNamed reports whether a bare word may be a file name: it has an extension that begins with a
// letter, or it is capitalised as Makefile and LICENSE are.
func LooksNamed(w string) bool {
	if i := strings.LastIndexByte(w, '.'); i >= 0 {
		return i+1 < len(w) && letter(w[i+1])
	}
	return len(w) >= 4 && w[0] >= 'A' && w[0] <= 'Z'
}
