package redact

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Private removes spans between <private> and </private>, including nested ones, in upper and lower
// case.
func Private(s string) string {
	const begin, end = "<private>", "</private>"
	if strings.IndexByte(s, '<') < 0 {
		return s
	}
	low := event.Lower(s)
	if !strings.Contains(low, begin) {
		return s
	}
	var b strings.Builder
	for depth := 0; low != ""; {
		open, shut := strings.Index(low, begin), strings.Index(low, end)
		cut := len(low)
		switch {
		case open >= 0 && (shut < 0 || open < shut):
			cut = open + len(begin)
			if depth == 0 {
				b.WriteString(s[:open])
			}
			depth++
		case shut >= 0:
			cut = shut + len(end)
			if depth == 0 {
				b.WriteString(s[:cut])
			}
			depth = max(0, depth-1)
		case depth == 0:
			b.WriteString(s)
		}
		s, low = s[cut:], low[cut:]
	}
	// What was removed may have separated two halves of another mark.
	return Private(b.String())
}
