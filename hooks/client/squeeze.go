package client

import (
	"bytes"
	"unicode/utf8"
)

// Bounds of a string of a payload, in bytes: of a longer one only the beginning and the end are kept. A prompt with a
// log in it says at its ends what is wanted.
const (
	keepHead = 48 << 10
	keepTail = 16 << 10
)

// squeezer passes a JSON text on, with two changes: the middle of very long strings is left out, and control characters
// in strings, which some agents leave there and no decoder takes, are escaped. It does not look at what the text says.
type squeezer struct {
	out      []byte
	inString bool
	escape   int    // bytes that the escape sequence still has
	size     int    // bytes of the string so far
	inTail   bool   // they are more than its head
	last     []byte // the bytes behind the head, in two parts of keepTail bytes or a little more, so that
	before   []byte // at least so many are there at the end
	cut      bool   // some of the string is left out
}

// write takes the next bytes of the text.
func (s *squeezer) write(text []byte) {
	for len(text) > 0 {
		n := 1
		switch c := text[0]; {
		case !s.inString:
			if n = bytes.IndexByte(text, '"') + 1; n == 0 {
				n = len(text)
			}
			s.inString = text[n-1] == '"'
			s.out = append(s.out, text[:n]...)
		case s.escape > 0:
			s.keep(c)
			if s.escape--; s.escape == 0 && c == 'u' {
				s.escape = -4 // four digits follow
			}
		case s.escape < 0:
			s.keep(c)
			s.escape++
		case c == '"':
			s.end()
		case c == '\\':
			s.begin()
			s.keep(c)
			s.escape = 1
		case c < ' ':
			s.begin()
			s.keep('\\', controls[c])
		default:
			n = plain(text)
			s.run(text[:n])
		}
		text = text[n:]
	}
}

// plain is how many bytes of a string are as they are meant.
func plain(text []byte) int {
	for i, c := range text {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(text)
}

// controls are the letters by which control characters are escaped. Others than these are no text.
var controls = func() (letters [' ']byte) {
	for c := range letters {
		letters[c] = 'n'
	}
	letters['\t'], letters['\r'] = 't', 'r'
	return letters
}()

// run takes bytes of a string that hold no escape. It may begin and end within a character.
func (s *squeezer) run(text []byte) {
	for len(text) > 0 {
		n := len(text)
		switch {
		case utf8.RuneStart(text[0]):
			s.begin()
			if s.inTail && len(text) > 2*keepTail { // most of it is left out
				n = len(text) - keepTail
				for !utf8.RuneStart(text[n]) && n > 0 {
					n--
				}
				s.cut = true
				s.before, s.last = s.before[:0], s.last[:0]
				text, n = text[n:], keepTail
			}
			if !s.inTail {
				n = min(n, keepHead-s.size)
			} else {
				n = min(n, keepTail-len(s.last))
			}
		default:
			n = 1
		}
		s.keep(text[:n]...)
		text = text[n:]
	}
}

// begin is called before a character: only there may a string be cut.
func (s *squeezer) begin() {
	s.inTail = s.inTail || s.size >= keepHead
	if len(s.last) >= keepTail {
		s.cut = s.cut || len(s.before) > 0
		s.before, s.last = s.last, s.before[:0]
	}
}

func (s *squeezer) keep(text ...byte) {
	if s.size += len(text); s.inTail {
		s.last = append(s.last, text...)
	} else {
		s.out = append(s.out, text...)
	}
}

// end ends a string.
func (s *squeezer) end() {
	if s.cut {
		s.out = append(s.out, `\n…\n`...)
	}
	s.out = append(append(append(s.out, s.before...), s.last...), '"')
	s.inString, s.inTail, s.size, s.cut = false, false, 0, false
	s.last, s.before = s.last[:0], s.before[:0]
}

// payload is what may be sent of the text.
func (s *squeezer) payload() []byte { return s.out[:min(len(s.out), maxBody)] }
