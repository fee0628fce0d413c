package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// lexicon numbers the words that files use and knows who uses them. A word that no file uses any more is not kept, and its
// number is given to another word.
type lexicon struct {
	ids   map[string]uint32
	names []string
	users [][]use
	free  []uint32 // numbers of no word
}

// roomy is the number of words up to which a lexicon does not shrink.
const roomy = 4096

func newLexicon() lexicon { return lexicon{ids: map[string]uint32{}} }

// id is the number of a word, a new one if no file uses it.
func (l *lexicon) id(word string) uint32 {
	id, known := l.ids[word]
	if known {
		return id
	}
	word = strings.Clone(word) // it is a part of a text
	if last := len(l.free) - 1; last >= 0 {
		id, l.free = l.free[last], l.free[:last]
		l.names[id] = word
	} else {
		id = uint32(len(l.names))
		l.names, l.users = append(l.names, word), append(l.users, nil)
	}
	l.ids[word] = id
	return id
}

// take keeps the most telling of the words: count/(count+1.2) · ln(1 + files/(1+files with the word)), ties by name.
func (l *lexicon) take(file uint32, counts map[string]int, files, most int) []use {
	type weighed struct {
		word   string
		count  int
		weight float64
	}
	all := make([]weighed, 0, len(counts))
	for w, n := range counts {
		with := l.with(w)
		if common(with, files+1) {
			continue
		}
		all = append(all, weighed{w, n, float64(n) / (float64(n) + 1.2) * math.Log(1+float64(files+1)/float64(1+with))})
	}
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.word, b.word))
	})
	all = all[:min(len(all), most)]
	out := make([]use, len(all))
	for i, w := range all {
		out[i] = l.add(file, w.word, w.count)
	}
	return out
}

// enter keeps all of the names, in order.
func (l *lexicon) enter(file uint32, names []string) []use {
	out := make([]use, len(names))
	for i, name := range names {
		out[i] = l.add(file, name, 1)
	}
	return out
}

// add makes a file a user of a word.
func (l *lexicon) add(file uint32, word string, times int) use {
	id := l.id(word)
	l.users[id] = append(l.users[id], newUse(file, times))
	return newUse(id, times)
}

// drop takes the files that are gone out of the users of the words; uses is put in another order. It goes through the users of each word once.
func (l *lexicon) drop(uses []use, gone func(file uint32) bool) {
	slices.Sort(uses)
	for i, u := range uses {
		id := u.of()
		if i > 0 && uses[i-1].of() == id {
			continue
		}
		users := slices.DeleteFunc(l.users[id], func(x use) bool { return gone(x.of()) })
		switch {
		case len(users) == 0:
			delete(l.ids, l.names[id])
			l.names[id], users = "", nil
			l.free = append(l.free, id)
		case len(users) < cap(users)/4:
			users = slices.Clone(users)
		}
		l.users[id] = users
	}
}

// shrink numbers the words anew when less than a quarter of the numbers is in use, and returns the new number of each old
// one, nil if the numbers stay. A map that words were deleted from keeps its size, so it is made anew, too.
func (l *lexicon) shrink() []uint32 {
	if len(l.names) <= roomy || len(l.ids) >= len(l.names)/4 {
		return nil
	}
	moved := make([]uint32, len(l.names))
	small := lexicon{ids: make(map[string]uint32, len(l.ids)), names: make([]string, 0, len(l.ids)), users: make([][]use, 0, len(l.ids))}
	for old, name := range l.names {
		if len(l.users[old]) == 0 {
			continue
		}
		moved[old] = uint32(len(small.names))
		small.ids[name] = moved[old]
		small.names, small.users = append(small.names, name), append(small.users, l.users[old])
	}
	*l = small
	return moved
}

// renumber gives the words of a file their new numbers.
func renumber(words []use, moved []uint32) {
	for i, u := range words {
		words[i] = use(moved[u.of()]<<8) | u&255
	}
}

func (l *lexicon) with(word string) int {
	id, known := l.ids[word]
	if !known {
		return 0
	}
	return len(l.users[id])
}

// having are the files that have a name, none if it is unknown or more than most have it: then it tells nothing.
func (l *lexicon) having(name string, most int) []use {
	if id, known := l.ids[name]; known && len(l.users[id]) <= most {
		return l.users[id]
	}
	return nil
}

// common reports whether a word is in so many files that it tells nothing.
func common(with, files int) bool {
	return files > commonAtMost && float64(with) > commonShare*float64(files)
}
