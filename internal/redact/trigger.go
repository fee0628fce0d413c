package redact

import (
	"strings"
	"sync"
)

// trigger finds the keywords of all rules in one pass over a text: by their first three bytes, then
// as a whole.
type trigger struct {
	// By the low five bits of each byte, which are the same for upper and lower case: index into
	// marks; 0 for none.
	heads [1 << 15]uint16
	marks [][]mark
	long  []int // rules for lines with a word of at least longWord bytes
}

// longWord is the least length in bytes of a word to which Rule.Long applies, for tokens that begin
// with nothing known.
const longWord = 50

type mark struct {
	text string
	rule int
}

var triggers = sync.OnceValue(func() *trigger {
	t := &trigger{marks: [][]mark{nil}}
	for i, r := range known().rules {
		if r.Long {
			t.long = append(t.long, i)
		}
		for _, m := range r.Keywords {
			at := &t.heads[head(head(head(0, m[0]), m[1]), m[2])]
			if *at == 0 {
				*at = uint16(len(t.marks))
				t.marks = append(t.marks, nil)
			}
			t.marks[*at] = append(t.marks[*at], mark{m, i})
		}
	}
	return t
})

// head returns the index of the last three bytes.
func head(before uint16, c byte) uint16 { return (before<<5 | uint16(c&31)) & (1<<15 - 1) }

// scan appends each rule with a keyword in s to found. hits has an element for each rule, which is
// false before and after.
func (t *trigger) scan(s string, hits []bool, found []int) []int {
	if len(s) < 3 {
		return found
	}
	if hasLongWord(s) {
		found = append(found, t.long...)
	}
	h := head(head(0, s[0]), s[1])
	for i := 2; i < len(s); i++ {
		h = head(h, s[i])
		for _, m := range t.marks[t.heads[h]] {
			if rest := s[i-2:]; !hits[m.rule] && len(rest) >= len(m.text) && strings.EqualFold(rest[:len(m.text)], m.text) {
				hits[m.rule], found = true, append(found, m.rule)
			}
		}
	}
	for _, r := range found {
		hits[r] = false
	}
	return found
}

// hasLongWord reports whether s has a word of longWord bytes. It looks backwards from where such a
// word would end, so in ordinary text it reads few bytes.
func hasLongWord(s string) bool {
	for end := longWord; end <= len(s); {
		i := end
		for i > end-longWord && nameByte(s[i-1]) {
			i--
		}
		if i == end-longWord {
			return true
		}
		end = i + longWord
	}
	return false
}
