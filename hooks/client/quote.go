package client

const hexDigits = "0123456789abcdef"

// quote appends s as a JSON string. Bytes that are not UTF-8 go through as they are: decoders replace them.
func quote(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// unquote is the text of a JSON string that the scanner has passed, its quotes included.
func unquote(b []byte) string {
	if len(b) < 2 {
		return ""
	}
	b = b[1 : len(b)-1]
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r := hexRune(b[i+1:])
			i += 4
			if r >= 0xd800 && r < 0xdc00 && i+6 < len(b) && b[i+1] == '\\' && b[i+2] == 'u' {
				if low := hexRune(b[i+3:]); low >= 0xdc00 && low < 0xe000 {
					r, i = (r-0xd800)<<10+(low-0xdc00)+0x10000, i+6
				}
			}
			out = append(out, string(r)...)
		default: // " \ /
			out = append(out, b[i])
		}
	}
	return string(out)
}

func hexRune(b []byte) (r rune) {
	for _, c := range b[:4] {
		r = r<<4 | rune(hexValue(c))
	}
	return r
}

func hexValue(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0xff
}
