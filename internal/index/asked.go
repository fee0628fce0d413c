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

// weigh returns the words of a text and of its title, starting with those that the fewest bodies
// have. If there are more than maxTextWords, the most frequent ones are left out.
func (c *Contents) weigh(t Text) []asked {
	all := make([]asked, 0, len(t.Body))
	for _, w := range t.Body {
		all = append(all, asked{word: w.Stem, text: math.Sqrt(float64(w.N))})
	}
	for _, w := range t.Title {
		if i, found := slices.BinarySearchFunc(t.Body, w.Stem, compareCount); found {
			all[i].title = math.Sqrt(float64(w.N))
		} else {
			all = append(all, asked{word: w.Stem, title: math.Sqrt(float64(w.N))})
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
	texts, titles := 0, 0
	for i := range out {
		w := &out[i]
		if w.text > 0 {
			if texts++; texts > maxTextWords {
				w.text = 0
			}
		}
		if w.title > 0 {
			if titles++; titles > maxTextWords {
				w.title = 0
			}
		}
	}
	return slices.DeleteFunc(out, func(w asked) bool { return w.text == 0 && w.title == 0 })
}

// askedName is an identifier of the text that Match compares with the files, and the files that
// have it.
type askedName struct {
	name            string
	title           bool
	text            bool
	definers, files int      // number of files that define it, and of files that have it at all
	lists           [][]byte // the packed list of the name's files, for each segment
}

// ask looks up the identifiers of a text.
func (c *Contents) ask(t Text) []askedName {
	var out []askedName
	for _, name := range t.Identifiers {
		out = append(out, askedName{name: name, text: true})
	}
	for _, name := range t.TitleIdentifiers {
		if i := slices.Index(t.Identifiers, name); i >= 0 {
			out[i].title = true
		} else {
			out = append(out, askedName{name: name, title: true})
		}
	}
	for i := range out {
		n := &out[i]
		hash := termHash(n.name)
		n.lists = make([][]byte, len(c.segments))
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
