package index

import (
	"slices"
	"strings"
)

// Limits of the length of an identifier, in bytes.
const (
	minIdentifier = 6
	maxIdentifier = 64
)

// Identifiers returns the names in a text that may be identifiers of a program: runs of letters,
// digits and underscores of 6 to 64 bytes, in plain form (maxItems, max_items and MAX_ITEMS are
// one), each once, in the order of the text, at most max.
func Identifiers(text string, max int) []string {
	var names []string
	for token := range strings.FieldsFuncSeq(text, outsideIdentifier) {
		if len(names) == max {
			break
		}
		if len(token) >= minIdentifier && len(token) <= maxIdentifier {
			if name := plainIdentifier(token); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// outsideIdentifier reports whether a character cannot be part of an identifier.
func outsideIdentifier(r rune) bool {
	return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80)
}

// plainIdentifier returns the form that an identifier has in every naming style: lower case,
// without underscores.
func plainIdentifier(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
