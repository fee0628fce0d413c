package index

import (
	"bytes"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxSignature is the number of bytes after a function's name in which its parameter list must end.
const maxSignature = 2 << 10

var (
	cTypes     = event.WordSet("struct union enum class namespace concept interface protocol implementation")
	cModifiers = event.WordSet(`static inline extern const constexpr virtual explicit friend typedef template export final
		abstract unsigned signed`)
)

// c finds what a line of C or a related language defines: functions and constants at the first
// column, methods inside of classes, macros and types.
func (d *definer) c(l definingLine) {
	line := l.text
	switch {
	case line[0] == '#':
		if word, after := identifier(bytes.TrimLeft(line[1:], " \t")); string(word) == "define" {
			name, value := identifier(bytes.TrimLeft(after, " \t"))
			guard := strings.TrimRight(string(name), "_")
			if len(value) > 0 || !strings.HasSuffix(guard, "_H") && !strings.HasSuffix(guard, "_HPP") {
				d.define(name)
			}
		}
	case line[0] == '}': // } name; ends a typedef
		before, name := lastIdentifier(bytes.TrimRight(line, "; "))
		if bytes.HasSuffix(line, []byte(";")) && len(bytes.Trim(before, "} \t*")) == 0 {
			d.define(name)
		}
	case line[0] == '-' || line[0] == '+': // a method of Objective-C
		if end := bytes.IndexByte(line, ')'); end > 0 && bytes.IndexByte(line, '(') < 4 {
			name, _ := identifier(bytes.TrimLeft(line[end+1:], " "))
			d.define(name)
		}
	case d.cType(l):
	case l.columns == 0 && identifierByte[line[0]]:
		d.cFunction(l)
	case d.enumerator(l):
	default:
		d.method(l, false)
	}
}

// enumerator defines an enumeration constant that is written as "name = value," on a line of its
// own. It reports whether the line is one.
func (d *definer) enumerator(l definingLine) bool {
	name, rest := identifier(l.body)
	rest = bytes.TrimLeft(rest, " \t")
	if len(name) == 0 || len(rest) < 2 || rest[0] != '=' || rest[1] == '=' || rest[len(rest)-1] != ',' {
		return false
	}
	d.define(name)
	return true
}

// cType defines the type on a line such as "struct name {", "enum class name : base", "typedef …
// name;" or "using name =". It reports whether the line defines one.
func (d *definer) cType(l definingLine) bool {
	word, rest := identifier(l.body)
	typedef := string(word) == "typedef"
	for cModifiers[string(word)] {
		rest = bytes.TrimLeft(rest, " \t")
		if string(word) == "template" {
			rest = bytes.TrimLeft(rest[max(0, closing(rest, '<', '>')):], " \t")
		}
		word, rest = identifier(rest)
	}
	switch {
	case string(word) == "using" && bytes.IndexByte(rest, '=') > 0:
		d.assigned(rest, "=")
		return true
	case cTypes[string(word)]:
		name, rest := identifier(bytes.TrimLeft(rest, " \t"))
		for len(name) > 0 && len(rest) > 1 && rest[0] == ' ' && identifierByte[rest[1]] &&
			!bytes.HasPrefix(rest, []byte(" final")) {
			name, rest = identifier(rest[1:]) // enum class name, class EXPORT name
		}
		rest = bytes.TrimPrefix(bytes.TrimSpace(rest), []byte("final"))
		if len(name) > 0 && (len(rest) == 0 || bytes.ContainsAny(rest[:1], "{: ") && !bytes.HasSuffix(rest, []byte(";"))) {
			d.define(name)
			return true
		}
	}
	if !typedef || l.text[len(l.text)-1] != ';' {
		return typedef
	}
	if at := bytes.Index(l.body, []byte("(*")); at > 0 { // a pointer to a function
		name, _ := identifier(l.body[at+2:])
		d.define(name)
	} else {
		d.assigned(l.body, ";")
	}
	return true
}

// cFunction defines the function or the constant whose definition begins on a line. A line that
// ends with a semicolon only declares a function, so it defines nothing.
func (d *definer) cFunction(l definingLine) {
	open, equals := bytes.IndexByte(l.text, '('), bytes.IndexByte(l.text, '=')
	if open < 0 || equals >= 0 && equals < open {
		if word, _ := identifier(l.text); cModifiers[string(word)] && equals > 0 {
			d.assigned(l.text, "=")
		}
		return
	}
	before, name := lastIdentifier(bytes.TrimRight(l.text[:open], " "))
	first, _ := identifier(before)
	macro := len(first) == 0 && bytes.Equal(name, bytes.ToUpper(name))
	if len(name) == 0 || blockWords[string(name)] || blockWords[string(first)] || macro {
		return
	}
	// l.rest begins where l.text ends, so the parameter list may go on in it.
	signature := append(bytes.Clone(l.text[open:]), l.rest[:min(len(l.rest), maxSignature)]...)
	end := closing(signature, '(', ')')
	if end < 0 {
		return
	}
	if at := bytes.IndexAny(signature[end:], "{;="); at >= 0 && signature[end+at] == '{' {
		d.member = bytes.HasSuffix(before, []byte("::"))
		d.define(name)
	}
}
