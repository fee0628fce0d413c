package event

import (
	"fmt"
	"strings"
	"time"
)

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

// Ago returns an age in rounded form, for people who read at a glance.
func Ago(age time.Duration) string {
	switch {
	case age < time.Minute:
		return "just now"
	case age < time.Hour:
		return fmt.Sprintf("%d min ago", age/time.Minute)
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h ago", age/time.Hour)
	}
	return fmt.Sprintf("%d days ago", age/(24*time.Hour))
}
