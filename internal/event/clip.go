package event

import "strings"

// Clip cuts a text to at most n bytes, at the end of a character.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
