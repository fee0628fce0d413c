package index

import (
	"path"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxMentioning bounds the text that is searched for names, in bytes.
const maxMentioning = 30 << 10

// maxSame bounds how many files of one name are compared with a token: "index.ts" in a large repository
// says nothing without its folder, and comparing thousands for each token would be the slowest step of all.
const maxSame = 200

// finder collects the files that a text names, each once, in order of appearance.
type finder struct {
	in    *Locator
	dirs  []string // folders that names may be relative to, absolute
	names bool     // the text is a listing: any word may be a file
	seen  map[event.Path]bool
	out   []event.Path
}

// Mentions finds the files of the repository that text names, at most event.MaxSeen, looking at its first
// 30 KB. listing says that lines are names or begin with one, as in the output of grep, find and ls; dirs
// are the folders that were listed. A name counts when it leads to exactly one known file.
func (l *Locator) Mentions(text string, listing bool, dirs ...string) []event.Path {
	if l.Tree == nil || text == "" {
		return nil
	}
	f := finder{in: l, dirs: append(dirs, l.Cwd), names: listing, seen: map[event.Path]bool{}}
	text = event.Clip(text, maxMentioning)
	for len(text) > 0 && len(f.out) < event.MaxSeen {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		f.line(strings.TrimRight(line, "\r"))
	}
	return f.out
}

// line looks at a whole line first (names may hold spaces), then at its words.
func (f *finder) line(line string) {
	if f.names {
		head, _, more := strings.Cut(line, ":")
		if f.exact(strings.TrimSpace(head)) || more && f.exact(strings.TrimSpace(line)) {
			return
		}
	}
	start := 0
	for i := 0; i < len(line) && len(f.out) < event.MaxSeen; i++ {
		if delimiter[line[i]] {
			f.word(line[start:i])
			start = i + 1
		}
	}
	f.word(line[start:])
}

// delimiter bytes end a word. Brackets do not: they occur inside names of web routes and are trimmed instead.
var delimiter = func() (d [256]bool) {
	for _, c := range []byte(" \t\v\f\r\x00\"'`,;<>|=") {
		d[c] = true
	}
	return d
}()

func (f *finder) exact(name string) bool {
	if name == "" || len(name) > event.MaxPath || !f.possible(name) {
		return false
	}
	for _, dir := range f.dirs {
		if p, ok := f.in.Known(name, dir); ok {
			f.add(p)
			return true
		}
	}
	return false
}

// word tries one word of the text: "path", "path:12:text", "HEAD:path", "@path", "(path)", "path#L3".
func (f *finder) word(w string) {
	w = strings.TrimLeft(w, "@([{*!")
	w = strings.TrimRight(w, ")]}*.:!?")
	if len(w) < 3 || len(w) > event.MaxPath || strings.Contains(w, "://") {
		return
	}
	if i := strings.IndexByte(w, '#'); i > 0 {
		w = w[:i]
	}
	head, tail := w, ""
	from := 0
	if drive(w) {
		from = 2
	}
	if i := strings.IndexByte(w[from:], ':'); i >= 0 {
		head, tail = w[:from+i], w[from+i+1:]
	}
	if p, ok := f.name(head); ok {
		f.add(p)
		return
	}
	if i := strings.IndexByte(tail, ':'); i >= 0 {
		tail = tail[:i]
	}
	if p, ok := f.name(tail); ok {
		f.add(p)
	}
}

func (f *finder) name(name string) (event.Path, bool) {
	bare := !strings.ContainsAny(name, `/\`)
	if len(name) < 2 || bare && !f.names && !LooksNamed(name) || !f.possible(name) {
		return "", false
	}
	for _, dir := range f.dirs {
		if p, ok := f.in.Known(name, dir); ok {
			return p, true
		}
	}
	if bare && !LooksNamed(name) {
		return "", false
	}
	return f.in.Resolve(name)
}

// possible reports whether any file has the last part of the name: most words end here, before anything is
// taken apart or put together.
func (f *finder) possible(name string) bool {
	return len(f.in.Tree.Base(name[strings.LastIndexAny(name, `/\`)+1:])) > 0
}

func (f *finder) add(p event.Path) {
	if !f.seen[p] && !f.in.Ignored(p) && len(f.out) < event.MaxSeen {
		f.seen[p] = true
		f.out = append(f.out, p)
	}
}

// LooksNamed reports whether a bare word may be a file name: it has an extension that begins with a letter,
// or it is capitalised as Makefile and LICENSE are.
func LooksNamed(w string) bool {
	if i := strings.LastIndexByte(w, '.'); i >= 0 {
		return i+1 < len(w) && letter(w[i+1])
	}
	return len(w) >= 4 && w[0] >= 'A' && w[0] <= 'Z'
}

// Resolve finds the one file that a name in a text means (see Tree.Files). Absolute names must lie in a worktree, if
// the worktrees are known. A longer name means a file at the root only if its folders are those that the repository
// lies in.
func (l *Locator) Resolve(name string) (event.Path, bool) {
	if p, ok := l.Known(name, ""); ok {
		return p, true
	}
	if l.Tree == nil || name == "" || len(l.roots) > 0 && IsAbs(Slash(name)) {
		return "", false
	}
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	dirs, base := path.Split(clean)
	if n := len(l.Tree.Base(base)); n == 0 || n > maxSame {
		return "", false
	}
	found := l.Tree.Files(clean)
	if dirs = strings.TrimSuffix(dirs, "/"); len(found) == 0 && dirs != "" && l.above(dirs) &&
		l.Tree.Has(event.Path(base)) {
		return event.Path(base), true
	}
	if len(found) != 1 || found[0].Dir() == "" && IsAbs(clean) {
		return "", false
	}
	return found[0], true
}

// above reports whether the folders are the ones that the repository itself lies in: "aoa/README.md" in the
// words of someone who works beside aoa.
func (l *Locator) above(dirs string) bool {
	for _, root := range l.roots {
		if strings.HasSuffix(root, "/"+dirs) {
			return true
		}
	}
	return strings.Trim(dirs, "./") == ""
}
