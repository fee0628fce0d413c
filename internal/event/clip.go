package event

import "strings"

// Clip cuts a text to at most n bytes, between two characters.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// ClipLine turns a text into one line and cuts it like Clip.
func ClipLine(s string, n int) string { return Clip(strings.Join(strings.Fields(s), " "), n) }

// Lower converts only ASCII letters to lower case. Byte offsets stay the same, which
// strings.ToLower does not promise.
func Lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = LowerByte(b[i])
			}
			return string(b)
		}
	}
	return s
}

// LowerByte returns the lower case of an ASCII letter, and any other byte unchanged.
func LowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
