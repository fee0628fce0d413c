package contexts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain makes a foreign text safe inside of a line of ours: one line, without characters that could
// end a quotation, begin a tag, move the cursor, hide text, or reorder it.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == '<':
			r = '‹'
		case r == '"', r == '“', r == '”', r == '„', r == '«', r == '»', r == '＂':
			r = '\''
		case r == utf8.RuneError, unicode.Is(unicode.C, r), unicode.Is(unicode.Variation_Selector, r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote returns plain text in quotation marks.
func quote(s string) string { return `"` + s + `"` }
