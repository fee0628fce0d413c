package index

import (
	"bytes"
	"iter"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// occurrence is one place in a line of code where a name occurs.
type occurrence struct {
	before, after []byte // the code before and after the name
	owner         string // the identifier before the dot in front of it, "" if none exists
	dotted        bool
}

// lineAt is a line with a name in it.
type lineAt struct {
	number int // from 1 on
	raw    []byte
	at     int // the byte at which the name begins
	name   string
}

// occurrences yields the places in a program where it has a name that is wanted.
func occurrences(lang *language, text []byte, wanted func(name []byte) bool) iter.Seq2[lineAt, occurrence] {
	return func(yield func(lineAt, occurrence) bool) {
		var last []byte // the code of the line before
		for number, l := range codeLines(lang, text, nil) {
			for name := range names(l.code) {
				if !wanted(name) {
					continue
				}
				at := cap(l.code) - cap(name)
				o := occurrenceOf(l.code, at, at+len(name))
				if len(o.before) == 0 && bytes.HasSuffix(last, []byte(".")) { // Go breaks a chain of calls after the dot
					o = occurrenceOf(slices.Concat(last, l.code[at:]), len(last), len(last)+len(name))
				}
				if !yield(lineAt{number, l.raw, at, string(name)}, o) {
					return
				}
			}
			last = append(last[:0], bytes.TrimRight(l.code, " \t")...)
		}
	}
}

func occurrenceOf(code []byte, from, to int) occurrence {
	o := occurrence{before: bytes.TrimRight(code[:from], " \t"), after: bytes.TrimLeft(code[to:], " \t")}
	for _, dot := range [...]string{"?.", ".", "->", "::"} {
		if rest, found := bytes.CutSuffix(o.before, []byte(dot)); found && !bytes.HasSuffix(rest, []byte("..")) {
			_, owner := lastIdentifier(bytes.TrimRight(rest, " "))
			o.owner, o.dotted = string(owner), true
			break
		}
	}
	return o
}

var (
	// declaring has words that precede a name that they declare.
	declaring = event.WordSet(`var let const val def fn func fun function class struct interface type enum trait
		module object mut union macro namespace typedef define record protocol for as`)
	// usingWords precede a name that is used. Any other word before a name is its type.
	usingWords = event.WordSet(`return case new throw throws else in is typeof instanceof extends implements and or
		not await yield delete sizeof goto import from export default public private protected internal static final
		abstract sealed async override virtual readonly const do if elif unless while until when where with use using
		package raise assert then match out ref inline extern unsigned signed volatile struct enum union class include
		extend prepend insteadof defer go range select print echo super constexpr`)
)

// declares reports whether an occurrence declares the name in this file: as a variable, a
// parameter, a field or a function.
func (o occurrence) declares(lang *language) bool {
	_, word := lastIdentifier(o.before)
	next := byte(0)
	if len(o.after) > 0 {
		next = o.after[0]
	}
	switch {
	case string(word) == "as" && (lang.family() == java || lang == csharp): // a cast
		return false
	case declaring[string(word)] && !(lang.Typed && usingWords[string(word)]), o.inPattern():
		return true
	case bytes.HasSuffix(o.before, []byte(":")) && !bytes.HasSuffix(o.before, []byte("::")): // name: Type = value
		return false
	case next == ':' && !bytes.HasPrefix(o.after, []byte("::")) && lang != python &&
		!bytes.HasSuffix(o.before, []byte("case")):
		return !bytes.Contains(o.before, []byte("?"))
	case next == '=' && lang != golang && !bytes.HasPrefix(o.after, []byte("==")) &&
		!bytes.HasPrefix(o.after, []byte("=>")) && !bytes.HasPrefix(o.after, []byte("=~")):
		return true
	case lang == golang && bytes.Contains(o.after, []byte(":=")) && next == ',':
		return true
	case lang == golang && (identifierByte[next] || next == '*'):
		return true // name Type
	case lang.Typed && len(word) > 0 && !usingWords[string(word)]:
		return true // Type name
	case lang.Typed && len(o.before) > 0 && next != '(' && bytes.IndexByte([]byte("*&>]"), o.before[len(o.before)-1]) >= 0:
		return len(o.before) > 1 && o.before[len(o.before)-2] != ' '
	}
	return false
}

// assigned reports whether a value is assigned to the name.
func (o occurrence) assigned() bool { return assigns(o.after) }

// assigns reports whether a text begins with the sign of an assignment.
func assigns(text []byte) bool {
	return bytes.HasPrefix(text, []byte("=")) && !bytes.HasPrefix(text, []byte("=="))
}

// field reports whether a value is assigned to the member, perhaps with others or with a type.
func (o occurrence) field() bool {
	before, _, found := bytes.Cut(o.after, []byte("="))
	return o.assigned() || found && bytes.IndexByte([]byte(",:"), o.after[0]) >= 0 && !bytes.ContainsAny(before, "([{")
}

// created returns the type of the object in whose initializer the name stands, as in new Type(x) {
// name = 1.
func (o occurrence) created() string {
	at := bytes.LastIndex(o.before, []byte("new "))
	if at < 0 || bytes.IndexByte(o.before[at:], '{') < 0 {
		return ""
	}
	name, _ := identifier(o.before[at+4:])
	return string(name)
}

// inPattern reports whether an occurrence is in the pattern of a let: if let Some(name) = value.
func (o occurrence) inPattern() bool {
	_, pattern, found := bytes.Cut(o.before, []byte("let "))
	return found && !bytes.Contains(pattern, []byte("=")) && bytes.Contains(o.after, []byte("=")) &&
		!bytes.HasPrefix(o.after, []byte("("))
}
