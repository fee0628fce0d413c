package index

import (
	"bytes"

	"github.com/aoa-dev/aoa/internal/event"
)

// definer finds the names that the lines of a program define.
type definer struct {
	lang   *language
	define func(name []byte)
	block  byte // for Go: 'v' inside of var ( … ), 'i' inside of an interface; for scripts: 'e' inside of export { … }

	// About the names that the current line defines:
	member  bool // they are members of a type, or local to a function
	private bool // no other file can use them
}

// definingLine is a line of code outside of comments, with everything that the rules of a language
// look at.
type definingLine struct {
	text     []byte // the line without a comment at its end and without trailing space
	rest     []byte // the text of the file after this line
	body     []byte // text, without indentation, annotations and modifiers
	columns  int    // width of the indentation; a tab counts 4
	modified bool   // the line begins with modifiers such as public or static
	found    bool   // a keyword defines a name
}

// maxNames is the number of words that are read up to and including the keyword of a definition.
const maxNames = 8

// line finds the names that a line defines, first by the keywords of the language, then by its
// other rules.
func (d *definer) line(line codeLine) {
	l := definingLine{text: bytes.TrimRight(line.defining, " \t"), rest: line.rest, columns: indentation(line.defining)}
	if l.body = withoutAnnotations(bytes.TrimLeft(l.text, " \t")); len(l.body) == 0 {
		return
	}
	d.member, d.private = l.columns > 0, d.lang == clike && bytes.HasPrefix(l.body, []byte("static "))
	for range maxNames {
		word, after := identifier(l.body)
		if !d.lang.modifiers[string(word)] || len(after) > 0 && bytes.IndexByte([]byte(".=;,"), after[0]) >= 0 {
			break
		}
		d.private = d.private || string(word) == "private"
		if len(after) > 0 && after[0] == '(' { // pub(crate)
			end := bytes.IndexByte(after, ')')
			if end < 0 {
				break
			}
			after = after[end+1:]
		}
		l.body, l.modified = withoutAnnotations(bytes.TrimLeft(after, " \t*")), true
		if len(l.body) > 0 && l.body[0] == '"' { // extern "C"
			l.body = bytes.TrimLeft(l.body[1+quoted(l.body):], " \t")
		}
	}
	if name := d.keyword(l); len(name) > 0 {
		d.define(name)
		l.found = true
	}
	if d.lang.more != nil {
		d.lang.more(d, l)
	}
}

// withoutAnnotations takes @Name, @Name(…) and [Name] off the beginning of a line.
func withoutAnnotations(line []byte) []byte {
	for len(line) > 1 && (line[0] == '@' || line[0] == '[' || line[0] == '#' && line[1] == '[') {
		switch name, after := identifier(line[1:]); {
		case line[0] != '@':
			end := bytes.IndexByte(line, ']')
			if end < 0 {
				return line
			}
			line = line[end+1:]
		case string(name) == "interface": // an annotation type of Java
			return line[1:]
		case len(after) > 0 && after[0] == '(':
			end := bytes.IndexByte(after, ')')
			if end < 0 {
				return nil
			}
			line = after[end+1:]
		default:
			line = bytes.TrimLeft(after, ".")
		}
		line = bytes.TrimLeft(line, " \t")
	}
	return line
}

// identifier returns the identifier at the beginning of a text, and the text after it. name is
// empty if the text begins with something else.
func identifier(text []byte) (name, rest []byte) {
	end := 0
	for end < len(text) && identifierByte[text[end]] {
		end++
	}
	return text[:end], text[end:]
}

// lastIdentifier returns the identifier at the end of a text, and the text before it.
func lastIdentifier(text []byte) (before, name []byte) {
	start := len(text)
	for start > 0 && identifierByte[text[start-1]] {
		start--
	}
	return text[:start], text[start:]
}

// keyword returns the name that follows the keyword at the beginning of a line, empty if there is
// none.
func (d *definer) keyword(l definingLine) []byte {
	rest := l.body
	for range 3 { // as in const enum Name
		word, after := identifier(rest)
		columns, known := d.lang.keywords[string(word)]
		if !known || l.columns > columns || len(after) == 0 {
			return nil
		}
		after = bytes.TrimLeft(after, " \t*&!")
		if d.lang == golang && len(after) > 0 && after[0] == '(' { // the receiver of a method
			end := bytes.IndexByte(after, ')')
			if end < 0 {
				return nil
			}
			after = bytes.TrimLeft(after[end+1:], " \t")
			d.member = true
		}
		d.member = d.member && !typeWords[string(word)]
		name := d.qualified(after)
		if string(name) == "mut" { // "mut" of Rust is not the name
			name = d.qualified(bytes.TrimLeft(after[len(name):], " "))
		}
		if _, known := d.lang.keywords[string(name)]; known {
			rest = after
			continue
		}
		if d.lang == dart && columns == top { // the type may precede the name
			before, _, _ := bytes.Cut(after, []byte("="))
			_, name = lastIdentifier(bytes.TrimRight(before, " ;"))
		}
		return name
	}
	return nil
}

// qualified returns the name at the beginning of a text. Where the language writes Type.name, it
// returns the last part.
func (d *definer) qualified(text []byte) []byte {
	if len(text) > 0 && text[0] == '<' && d.lang == kotlin { // fun <T> T.name()
		text = bytes.TrimLeft(text[1+max(0, bytes.IndexByte(text, '>')):], " \t")
	}
	name, after := identifier(text)
	for len(after) > 1 && d.lang.Joins != "" {
		if d.lang == kotlin {
			if end := bytes.Index(after, []byte(">.")); after[0] == '<' && end > 0 { // List<T>.name()
				after = after[end+1:]
			}
			after = bytes.TrimPrefix(after, []byte("?"))
		}
		next := bytes.TrimLeft(after, d.lang.Joins)
		part, more := identifier(next)
		if len(next) == len(after) || len(part) == 0 {
			break
		}
		name, after = part, more
	}
	return name
}

// blockWords are keywords after which nothing is defined although a colon, or a parenthesis and a
// brace, follow.
var blockWords = event.WordSet(`if elif else for foreach while switch catch with try finally do return except
	lambda match case class function def using lock fixed synchronized unless until when throw throws new await yield
	delete typeof goto assert import package super this default constructor require and or not in is sizeof elseif
	guard defer`)

// typeWords are keywords that define a type. Other files can use a type by its name alone, wherever
// it is defined.
var typeWords = event.WordSet("class interface struct enum trait record type object protocol module namespace " +
	"typealias union")
