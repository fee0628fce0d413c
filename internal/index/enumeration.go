package index

import (
	"bytes"
	"iter"
)

// enumeration finds the constants that belong to a type and are used with its name, as in
// Color.RED: those of enumerations, and in Python those of classes. It also finds those that C uses
// without the name of the type.
type enumeration struct {
	lang    *language
	open    bool // the line is inside of an enumeration
	bare    bool // the constants of that enumeration are used without its name
	columns int  // indentation of the line that began it
	inside  int  // indentation of its constants, 0 before the first one
}

// constants yields the constants that a line of code defines.
func (e *enumeration) constants(code []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		columns, body := indentation(code), bytes.TrimSpace(code)
		switch {
		case len(body) == 0:
		case e.lang == python && columns > 0:
			for statement := range bytes.SplitSeq(body, []byte{';'}) {
				name, after := identifier(bytes.TrimSpace(statement))
				if !assigns(bytes.TrimLeft(after, " ")) || !bytes.Equal(name, bytes.ToUpper(name)) || !yield(name) {
					break
				}
			}
		case e.lang == python:
		case !e.open:
			if e.begins(body) {
				e.open, e.columns, e.inside = true, columns, 0
			}
		case body[0] == '}' && columns <= e.columns:
			e.open = false
		case e.inside != 0 && columns != e.inside || columns <= e.columns: // the body of a constant; a brace
		default:
			e.list(body, columns, yield)
		}
	}
}

// begins reports whether an enumeration begins on a line and goes on below it.
func (e *enumeration) begins(body []byte) bool {
	found := false
	for word := range names(body) {
		if found {
			e.bare = e.bare && string(word) != "class" && string(word) != "struct"
			break
		}
		found = string(word) == "enum"
		e.bare = found && e.lang == clike
	}
	return found && !bytes.ContainsAny(body, "};") && !(e.bare && bytes.ContainsAny(body, "(),=*"))
}

// list yields the constants of a line such as "RED, GREEN(1)," or "case Red;".
func (e *enumeration) list(body []byte, columns int, yield func([]byte) bool) {
	for part := range bytes.SplitSeq(body, []byte{','}) {
		name, after := identifier(bytes.TrimPrefix(bytes.TrimSpace(part), []byte("case ")))
		after = bytes.TrimLeft(after, " ")
		if len(name) == 0 || len(after) > 0 && bytes.IndexByte([]byte("=({;"), after[0]) < 0 {
			break
		}
		e.inside = columns
		if !yield(name) || len(after) > 0 {
			break
		}
	}
	if e.lang != php && bytes.HasSuffix(body, []byte(";")) { // Java: the methods follow
		e.open = false
	}
}
