package redact

import (
	"iter"
	"math/bits"
	"sync"
)

// set is a set of rules by their index.
type set [5]uint64

func (s *set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s *set) each() iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(w*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// trigger finds the marks of all rules in one pass over a text: by their first three bytes, then as a whole.
type trigger struct {
	heads [1 << 15]uint16 // by the low five bits of each byte, whatever the letter case: index into marks; 0 is none
	marks [][]mark
}

type mark struct {
	text string
	rule int
}

var triggers = sync.OnceValue(func() *trigger {
	t := &trigger{marks: [][]mark{nil}}
	for i := range rules() {
		for _, m := range rules()[i].marks {
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

// head is the index of the last three bytes.
func head(before uint16, c byte) uint16 { return (before<<5 | uint16(c&31)) & (1<<15 - 1) }

// scan is the set of rules of which a mark is in s.
func (t *trigger) scan(s string) (hits set) {
	if len(s) < 3 {
		return hits
	}
	h := head(head(0, s[0]), s[1])
	for i := 2; i < len(s); i++ {
		h = head(h, s[i])
		at := t.heads[h]
		if at == 0 {
			continue
		}
		for _, m := range t.marks[at] {
			if !hits.has(m.rule) && begins(s[i-2:], m.text) {
				hits.add(m.rule)
			}
		}
	}
	return hits
}

// begins reports whether s begins with lower-case text, whatever the letter case of s.
func begins(s, text string) bool {
	if len(s) < len(text) {
		return false
	}
	for i := 0; i < len(text); i++ {
		if low(s[i]) != text[i] {
			return false
		}
	}
	return true
}
