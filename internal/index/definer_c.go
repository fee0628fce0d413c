package index

import "bytes"

// maxSignature is the number of bytes in which the parameters of a function of C end.
const maxSignature = 2 << 10

var (
	cTypes     = wordSet("struct union enum class namespace concept interface protocol implementation")
	cModifiers = wordSet("static inline extern const constexpr virtual explicit friend typedef template export final abstract unsigned signed")
)

// c defines functions and constants at the first column, methods inside of classes, macros and types.
func (d *definer) c(l definingLine) {
	line := l.text
	switch {
	case line[0] == '#':
		if word, after := identifier(bytes.TrimLeft(line[1:], " \t")); string(word) == "define" {
			name, _ := identifier(bytes.TrimLeft(after, " \t"))
			d.define(name)
		}
	case line[0] == '}': // } name; ends a typedef
		if before, name := lastIdentifier(bytes.TrimRight(line, "; ")); len(line) > 1 && line[len(line)-1] == ';' && len(bytes.Trim(before, "} \t*")) == 0 {
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
	default:
		d.method(l, false)
	}
}

// cType defines the type that a line begins: struct name {, enum class name : base, typedef … name;, using name =.
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
		var name []byte
		for name == nil || cTypes[string(name)] || len(name) > 0 && len(rest) > 1 && rest[0] == ' ' && identifierByte[rest[1]] && !bytes.HasPrefix(rest, []byte(" final")) {
			name, rest = identifier(bytes.TrimLeft(rest, " \t")) // enum class, class EXPORT name
			if len(name) == 0 {
				break
			}
		}
		rest = bytes.TrimSpace(rest)
		if len(name) > 0 && (len(rest) == 0 || rest[0] == '{' || rest[0] == ':' && !bytes.HasSuffix(rest, []byte(";")) || bytes.HasPrefix(rest, []byte("final"))) {
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

// cFunction defines the function or the constant that a line begins. A declaration, which ends with a semicolon, defines nothing.
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
	if len(name) == 0 || blockWords[string(name)] || blockWords[string(first)] || len(first) == 0 && string(name) == string(bytes.ToUpper(name)) {
		return // a call of a macro
	}
	// The text after the line follows it in memory, but for what the line is cut at.
	signature := append(bytes.Clone(l.text[open:]), l.rest[:min(len(l.rest), maxSignature)]...)
	end := closing(signature, '(', ')')
	if end < 0 {
		return
	}
	if at := bytes.IndexAny(signature[end:], "{;="); at >= 0 && signature[end+at] == '{' {
		d.define(name)
	}
}
