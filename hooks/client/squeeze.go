package client

import (
	"bytes"
	"unicode/utf8"
)

// Limits of a string in a payload, in bytes. Of a longer string only the beginning and the end are
// kept: a prompt with a log in it tells at its ends what is wanted.
const (
	keepHead = 48 << 10
	keepTail = 16 << 10
)

// squeeze returns a JSON text with two changes: the middle of very long strings is left out, and
// control characters in strings are escaped, because some agents write them and no decoder accepts
// them. It does not interpret the text. The end of the text may be missing.
func squeeze(text []byte) (out []byte) {
	for {
		begin := bytes.IndexByte(text, '"') + 1
		if begin == 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:begin]...), text[begin:]
		end := 0
		for end < len(text) && text[end] != '"' {
			end += unit(text[end:])
		}
		said := escaped(text[:min(end, len(text))])
		if len(said) > keepHead+keepTail {
			out = append(append(out, said[:boundary(said, keepHead)]...), `\n…\n`...)
			said = said[boundary(said, len(said)-keepTail):]
		}
		if out = append(out, said...); end >= len(text) {
			return out
		}
		out, text = append(out, '"'), text[end+1:]
	}
}

// unit returns the number of bytes of the first character of a string. The character may be an
// escape sequence.
func unit(text []byte) int {
	switch {
	case text[0] == '\\' && len(text) > 1 && text[1] == 'u':
		return len(`\u0000`)
	case text[0] == '\\':
		return len(`\n`)
	case text[0] < utf8.RuneSelf:
		return 1
	}
	_, n := utf8.DecodeRune(text)
	return n
}

// boundary returns the first place between two characters of a string that has at least that many
// bytes before it.
func boundary(text []byte, least int) (at int) {
	for at < least {
		at += unit(text[at:])
	}
	return min(at, len(text))
}

// escaped escapes the control characters in a string, except those that end lines.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case c == '\t':
			out = append(out, `\t`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c < ' ':
			out = append(out, `\n`...)
		default:
			out = append(out, c)
		}
	}
	return out
}
