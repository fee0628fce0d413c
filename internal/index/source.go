package index

import (
	"bytes"
	"iter"

	"github.com/aoa-dev/aoa/internal/event"
)

// Source has the names that the code of one version of a file defines and uses. It never changes
// once it is made.
type Source struct {
	lang    *language
	defines map[string]definition
	uses    map[string]bool // names in code; true for those that the code may also declare
	imports map[string]bool // names that it imports
	star    bool            // it imports all names of some module
	bases   map[string]bool // names from which its types inherit, as written
}

// definition is what is known about a name that a file defines.
type definition struct {
	member  bool   // the name is a member of a type, or local to a function
	private bool   // no other file can use it
	around  uint32 // hash of the line without the name; equal for a definition that only got another name
	// a member that is used with the name of its type; see enumeration
	constant bool
}

// components has the extensions of user interface components. Other files import a component as a whole,
// and the variables of its script only if they are exported.
var components = event.WordSet(".vue .svelte .astro")

// ReadSource reads one version of a file. It returns nil if the file is not a program or is larger
// than MaxEdited.
func ReadSource(p event.Path, text []byte) *Source {
	lang := languageOf(p)
	if lang == nil || unreadable(p, text) {
		return nil
	}
	s := &Source{lang: lang, defines: map[string]definition{}, uses: map[string]bool{},
		imports: map[string]bool{}, bases: map[string]bool{}}
	r := sourceReader{Source: s, component: components[p.Ext()], enumeration: enumeration{lang: lang}}
	r.definer = definer{lang: lang, define: r.found}
	im := importer{lang: lang}
	for number, l := range codeLines(lang, text, nil) {
		im.line(number, l)
		r.read(l)
	}
	for _, i := range im.out {
		s.star = s.star || i.all
		for _, n := range i.names {
			s.imports[n.name], s.imports[n.local] = true, true
		}
	}
	return s
}

// sourceReader reads a Source line by line.
type sourceReader struct {
	*Source
	component   bool // the file is a component, see components
	definer     definer
	enumeration enumeration
	line        codeLine
}

func (r *sourceReader) read(l codeLine) {
	r.line = l
	if export := bytes.TrimLeft(l.defining, " \t"); r.component && bytes.HasPrefix(export, []byte("export ")) {
		l.defining = export // the whole script may be indented
	}
	r.definer.line(l)
	bare := &r.enumeration.bare
	for name := range r.enumeration.constants(l.code) {
		if *bare || !r.has(string(name)) {
			r.define(name, definition{member: !*bare, constant: !*bare})
		}
	}
	for name := range names(l.code) {
		if len(name) >= minReference && !r.uses[string(name)] {
			at := cap(l.code) - cap(name)
			r.uses[string(name)] = mayDeclare(l.code, at, at+len(name))
		}
	}
	if base := baseIn(r.lang, l.code); base != "" {
		r.bases[base] = true
	}
}

// found notes a definition that the definer has found in the line.
func (r *sourceReader) found(name []byte) {
	if before, known := r.defines[string(name)]; known && !before.member { // a constructor is called like its class
		return
	}
	inside := r.component && !bytes.HasPrefix(bytes.TrimSpace(r.line.code), []byte("export"))
	r.define(name, definition{member: r.definer.member, private: r.definer.private || inside})
}

func (r *sourceReader) define(name []byte, d definition) {
	if len(name) > 0 {
		d.around = sketchHash(bytes.Replace(r.line.code, name, nil, 1))
		r.defines[string(name)] = d
	}
}

// mayDeclare reports whether a line of code may declare a name at this place: the name neither
// follows a dot nor is called, or a value is assigned to it.
func mayDeclare(code []byte, from, to int) bool {
	o := occurrenceOf(code, from, to)
	if o.dotted {
		return o.assigned()
	}
	return !bytes.HasPrefix(o.after, []byte("("))
}

// keeps reports whether this version still has a name that it used to define. If it does, the name
// was moved or means something else. But if the file only uses the name without importing it, the
// change probably forgot to rename it there; such a use does not count, unless anyUse is true.
func (s *Source) keeps(name string, anyUse bool) bool {
	return s.has(name) || s.mentions(name) && (anyUse || s.imports[name] || !looksLikeCode(name))
}

func (s *Source) has(name string) bool { _, ok := s.defines[name]; return ok }

// mentions reports whether the code has a name.
func (s *Source) mentions(name string) bool { _, has := s.uses[name]; return has }

// renames reports whether the definitions that were like d in the earlier version only got other
// names, so that none of them is missing.
func (s *Source) renames(d definition, before *Source) bool {
	n := s.newLike(d, before)
	return n > 0 && n >= before.newLike(d, s)
}

// newLike returns how many definitions are like d and have a name that the other version does not
// have.
func (s *Source) newLike(d definition, other *Source) (n int) {
	for name, is := range s.defines {
		if is == d && !other.has(name) {
			n++
		}
	}
	return n
}

// inheritsMore reports whether some type inherits from a type from which no type of the earlier
// version inherited. A removed member may now come from there.
func (s *Source) inheritsMore(before *Source) bool {
	for base := range s.bases {
		if !before.bases[base] {
			return true
		}
	}
	return false
}

var (
	inheritingWords = event.WordSet("class interface struct object record trait protocol")
	baseWords       = event.WordSet("extends implements include prepend")
)

// baseIn returns what a type inherits from according to a line of code, as it is written there, ""
// if nothing. In Go this is an embedded type of another package; types of the same package are in
// the repository anyway.
func baseIn(lang *language, code []byte) string {
	code = bytes.TrimSpace(code)
	if lang == golang {
		embedded := bytes.TrimPrefix(code, []byte("*"))
		_, alias, is := bytes.Cut(code, []byte(" = "))
		if is && bytes.HasPrefix(code, []byte("type ")) {
			embedded = alias
		}
		owner, name, dotted := bytes.Cut(embedded, []byte("."))
		if _, rest := identifier(name); dotted && len(rest) == 0 && len(name) > 0 {
			if _, rest := identifier(owner); len(rest) == 0 {
				return string(embedded)
			}
		}
		return ""
	}
	for word := range names(code) {
		after := code[cap(code)-cap(word)+len(word):]
		switch {
		case baseWords[string(word)]:
			return string(after)
		case inheritingWords[string(word)]:
			_, after = identifier(bytes.TrimSpace(after))
			return string(bytes.Trim(after, " \t{:;"))
		}
	}
	return ""
}

// MaxEdited is the largest size, in bytes, of a file whose versions are compared. Programs that
// people edit have up to 300,000 (fzf's src/terminal.go). Reading takes 14 µs per kilobyte, so two
// versions of the largest file take 15 of the 50 ms that a hook may take.
const MaxEdited = 1 << 19

// unreadable reports whether a file is binary, or too large.
func unreadable(p event.Path, text []byte) bool {
	return KindOf(p) == KindBinary || len(text) > MaxEdited || bytes.IndexByte(text, 0) >= 0
}

// codeLine is one line of a program.
type codeLine struct {
	raw      []byte // the whole line
	code     []byte // the line with spaces in place of comments and strings; valid until the next line
	defining []byte // the line up to its first comment; empty inside of a comment or a string
	rest     []byte // the text of the file after defining
}

// codeLines yields the lines of a program with their numbers, from 1 on. also is called for every
// piece of a line; it may be nil.
func codeLines(lang *language, text []byte, also func(text []byte, of piece)) iter.Seq2[int, codeLine] {
	return func(yield func(int, codeLine) bool) {
		var code []byte
		s := scanner{lang: lang, take: func(line []byte, from, to int, of piece) {
			if of == codePiece {
				copy(code[from:to], line[from:to])
			}
			if also != nil {
				also(line[from:to], of)
			}
		}}
		skipped := s.skipped(text)
		number := bytes.Count(text[:skipped], []byte{'\n'})
		for text = text[skipped:]; len(text) > 0; {
			raw, rest, _ := bytes.Cut(text, []byte{'\n'})
			raw = bytes.TrimRight(raw, "\r")
			code = append(code[:0], raw...)
			for i := range code {
				code[i] = ' '
			}
			defining := s.line(raw)
			number++
			if !yield(number, codeLine{raw, code, defining, text[len(defining):]}) {
				return
			}
			text = rest
		}
	}
}

// names yields the runs of identifier bytes of a text.
func names(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; i < len(text); {
			if !identifierByte[text[i]] {
				i++
				continue
			}
			start := i
			for i < len(text) && identifierByte[text[i]] {
				i++
			}
			if !yield(text[start:i]) {
				return
			}
		}
	}
}
