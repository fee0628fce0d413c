package event

import "strings"

// Clip cuts a text to at most n bytes, at the end of a character.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// ClipLine makes one line of a text and cuts it like Clip.
func ClipLine(s string, n int) string { return Clip(strings.Join(strings.Fields(s), " "), n) }

// Lower lowers ASCII only: byte offsets stay the same, which strings.ToLower does not promise. It
// copies a text that has capital letters.
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

// LowerByte is the small letter of an ASCII letter, and any other byte itself.
func LowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
