package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// asked is a word of the text that Match compares with the files: how much the word weighs, and
// which files have it.
type asked struct {
	word        string
	text, title float64
	with        [fields]int // number of files that have the word in each field
	lists       [][]byte    // the packed list of the word's files, for each segment
}

// weigh returns the words of a text, starting with those that the fewest bodies have. If there are
// more than maxTextWords, the most frequent ones are left out.
func (c *Contents) weigh(t Text) []asked {
	all := make([]asked, len(t.Body))
	for i, w := range t.Body {
		all[i] = asked{word: w.Stem, text: math.Sqrt(float64(w.N))}
	}
	for _, w := range t.Title { // the body has all words of the title
		if i, found := slices.BinarySearchFunc(t.Body, w.Stem, compareCount); found {
			all[i].title = math.Sqrt(float64(w.N))
		}
	}
	lists := make([][]byte, len(all)*len(c.segments))
	out := all[:0]
	for _, w := range all {
		w.lists, lists = lists[:len(c.segments)], lists[len(c.segments):]
		hash := termHash(w.word)
		for i, s := range c.segments {
			w.lists[i] = s.Words.find(hash)
			s.countFiles(w.lists[i], &w.with)
		}
		if w.with[bodyField]+w.with[pathField] > 0 {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b asked) int {
		return cmp.Or(cmp.Compare(a.with[bodyField], b.with[bodyField]), strings.Compare(a.word, b.word))
	})
	return out[:min(len(out), maxTextWords)]
}

// askedName is an identifier of the text that Match compares with the files, and the files that
// have it.
type askedName struct {
	name            string
	title           bool     // the title has it
	definers, files int      // number of files that define it, and of files that have it at all
	lists           [][]byte // the packed list of the name's files, for each segment
}

// ask looks up the identifiers of a text.
func (c *Contents) ask(t Text) []askedName {
	out := make([]askedName, len(t.Identifiers))
	for i, name := range t.Identifiers {
		n, hash := &out[i], termHash(name)
		*n = askedName{name: name, title: slices.Contains(t.TitleIdentifiers, name), lists: make([][]byte, len(c.segments))}
		for i, s := range c.segments {
			n.lists[i] = s.Names.find(hash)
			for l := (nameList{rest: n.lists[i]}); l.next(s.size()); {
				if s.isGone(l.file) {
					continue
				}
				n.files++
				if l.defines() {
					n.definers++
				}
			}
		}
	}
	return out
}
