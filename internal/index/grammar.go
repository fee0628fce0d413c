package index

import (
	"bytes"
	"strings"
)

func (d *definer) golang(l definingLine) {
	switch {
	case l.columns == 0:
		d.block = 0
		word, after := identifier(l.text)
		switch group := string(bytes.TrimSpace(after)); {
		case group == "(" && (string(word) == "const" || string(word) == "var" || string(word) == "type"):
			d.block = 'v'
		case string(word) == "type" && strings.HasSuffix(group, "interface {"):
			d.block = 'i'
		}
	case d.block != 0 && l.text[0] == '\t' && len(l.body) == len(l.text)-1:
		d.member = d.block == 'i'
		if name, after := identifier(l.body); d.block == 'v' || len(after) > 0 && after[0] == '(' {
			d.define(name)
		}
	}
}

// python defines the variables that are assigned at the top level of a module.
func (d *definer) python(l definingLine) {
	if l.columns > 0 || l.found {
		return
	}
	name, after := identifier(l.text)
	after = bytes.TrimLeft(after, " ")
	if len(after) < 2 || blockWords[string(name)] {
		return
	}
	if after[0] == '=' && after[1] != '=' || after[0] == ':' && bytes.IndexByte(after, '=') > 0 {
		d.define(name)
	}
}

// script defines the methods of JavaScript and TypeScript, and functions that are assigned: name =
// (…) =>, exports.name =, name: function.
func (d *definer) script(l definingLine) {
	if l.found || d.exportList(l) {
		return
	}
	rest := l.body
	for _, word := range [...]string{"const ", "let ", "var ", "#"} {
		rest = bytes.TrimPrefix(rest, []byte(word))
	}
	chain := 0
	for chain < len(rest) && (identifierByte[rest[chain]] || rest[chain] == '.' || rest[chain] == '$') {
		chain++
	}
	_, name := lastIdentifier(rest[:chain])
	after := bytes.TrimLeft(rest[chain:], " ")
	if len(name) == 0 || len(after) == 0 || blockWords[string(name)] {
		return
	}
	switch after[0] {
	case '=', ':':
		value := bytes.TrimLeft(after[1:], " ")
		owner := rest[:chain-len(name)]
		exported := string(owner) == "exports." || string(owner) == "module.exports." ||
			bytes.HasSuffix(owner, []byte(".prototype."))
		d.member = d.member || len(owner) > 0 && !bytes.HasSuffix(owner, []byte("exports."))
		if len(value) > 0 && value[0] != '=' && (isFunction(value) || exported && after[0] == '=') &&
			string(name) != "exports" {
			d.define(name)
		}
	case '(', '<':
		end := closing(after, '(', ')')
		opens := bytes.IndexByte([]byte("{}"), l.text[len(l.text)-1]) >= 0 && end > 0 && end < len(after) &&
			!bytes.Contains(after[:end], []byte("=>"))
		if opens {
			tail := bytes.TrimLeft(after[end:], " ")
			opens = tail[0] == '{' || tail[0] == ':'
		}
		if l.columns > 0 && (opens || l.modified && (end < 0 || bytes.HasSuffix(l.text, []byte(";")))) {
			d.define(name)
		}
	}
}

// exportList defines the names that a list such as export { a as b } gives to others. The names
// without "as" are defined elsewhere in the file, or imported. It reports whether the line belongs
// to such a list.
func (d *definer) exportList(l definingLine) bool {
	if after, exports := bytes.CutPrefix(l.text, []byte("export")); exports && bytes.HasPrefix(l.body, []byte{'{'}) &&
		!bytes.HasPrefix(bytes.TrimLeft(after, " "), []byte("default")) { // else it is an object
		d.block = 'e'
	}
	if d.block != 'e' {
		return false
	}
	list, _, ends := bytes.Cut(l.body, []byte{'}'})
	for part := range bytes.SplitSeq(list, []byte{','}) {
		if _, name, renamed := bytes.Cut(part, []byte(" as ")); renamed {
			name, _ = identifier(bytes.TrimLeft(name, " "))
			d.member = false
			d.define(name)
		}
	}
	if ends {
		d.block = 0
	}
	return true
}

// isFunction reports whether a value is a JavaScript function.
func isFunction(value []byte) bool {
	value = bytes.TrimLeft(bytes.TrimPrefix(value, []byte("async")), " ")
	if bytes.HasPrefix(value, []byte("function")) {
		return true
	}
	if len(value) > 0 && (value[0] == '(' || value[0] == '<') {
		return bytes.Contains(value, []byte("=>")) || value[len(value)-1] == '('
	}
	_, after := identifier(value)
	return bytes.HasPrefix(bytes.TrimLeft(after, " "), []byte("=>"))
}

// closing returns the index after the bracket that closes the first one of a text, -1 if there is
// none.
func closing(text []byte, open, shut byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// java defines methods and constants.
func (d *definer) java(l definingLine) {
	if !l.found && !d.method(l, true) && l.modified && bytes.Contains(l.text, []byte("static final")) {
		d.assigned(l.body, "=")
	}
}

// csharp defines methods, properties and constants.
func (d *definer) csharp(l definingLine) {
	if l.found || d.method(l, true) || !l.modified {
		return
	}
	switch {
	case bytes.Contains(l.text, []byte("const ")), bytes.Contains(l.text, []byte("static readonly ")):
		d.assigned(l.body, "=")
	case bytes.IndexByte(l.body, '(') < 0 || bytes.Index(l.body, []byte("=>")) > 0:
		if at := bytes.IndexAny(l.body, "{=;("); at > 0 && (l.body[at] == '{' || bytes.HasPrefix(l.body[at:], []byte("=>"))) {
			d.assigned(l.body, string(l.body[at:at+1]))
		}
	}
}

// assigned defines the name before mark, as in "name = value".
func (d *definer) assigned(text []byte, mark string) {
	if at := bytes.Index(text, []byte(mark)); at > 0 {
		left := bytes.TrimRight(text[:at], " \t")
		if open := bytes.IndexByte(left, '['); open > 0 { // an array of C
			left = left[:open]
		}
		_, name := lastIdentifier(left)
		d.define(name)
	}
}

// method defines the method on a line of the form "Type name(…) {", where modifiers or a type
// precede the name. If abstract is true, the line may end with a semicolon instead of a body.
func (d *definer) method(l definingLine, abstract bool) bool {
	open := bytes.IndexByte(l.body, '(')
	if open <= 0 {
		return false
	}
	before, name := lastIdentifier(bytes.TrimRight(l.body[:open], " "))
	// a generic method: Get<T>()
	if generic := bytes.TrimRight(l.body[:open], " "); len(name) == 0 && bytes.HasSuffix(generic, []byte(">")) {
		if at := bytes.LastIndexByte(generic, '<'); at > 0 {
			before, name = lastIdentifier(generic[:at])
		}
	}
	returns := bytes.TrimSpace(before)
	first, _ := identifier(returns)
	if blockWords[string(first)] || blockWords[string(name)] ||
		bytes.ContainsAny(returns, `="(;{}:`) && !bytes.Contains(returns, []byte("::")) {
		return false
	}
	switch last := l.text[len(l.text)-1]; {
	case len(returns) == 0 && !l.modified:
		return false
	case len(returns) > 0 && !identifierByte[returns[len(returns)-1]] &&
		!bytes.ContainsAny(returns[len(returns)-1:], ">]*&?"):
		return false // a call: a.b(…)
	case last == '{', last == '}', last == ')', last == ';' && abstract, l.modified:
	case bytes.Contains(l.text, []byte(") throws ")):
	default:
		return false
	}
	d.define(name)
	return true
}

// php defines the constants that a call of define makes.
func (d *definer) php(l definingLine) {
	if rest, found := bytes.CutPrefix(l.body, []byte("define(")); found {
		name, _ := identifier(bytes.TrimLeft(rest, " '\""))
		d.define(name)
	}
}

// ruby defines constants, and the methods that a call such as attr_reader makes.
func (d *definer) ruby(l definingLine) {
	name, after := identifier(l.body)
	switch string(name) {
	case "attr_reader", "attr_writer", "attr_accessor", "define_method", "alias_method", "delegate", "scope", "task",
		"alias":
		for symbol := range bytes.SplitSeq(after, []byte{','}) {
			symbol = bytes.TrimLeft(symbol, " (")
			if len(symbol) > 1 && symbol[0] == ':' {
				made, _ := identifier(symbol[1:])
				d.define(made)
			}
			// attr_reader and the like define all names that follow, other calls only the first
			if len(name) < 8 || name[0] != 'a' || name[1] != 't' {
				return
			}
		}
	default:
		after = bytes.TrimLeft(after, " ")
		constant := !l.found && isUpper(string(name))
		if constant && len(after) > 1 && after[0] == '=' && after[1] != '=' && after[1] != '~' {
			d.define(name)
		}
	}
}
