package index

import (
	"slices"
	"strings"
)

// posting is an entry of an index in 32 bits: 24 of a number, 8 of a count, at most 255. In the list of a word the number is that of a
// file that has it; in the list of a file it is that of a word.
type posting uint32

func newPosting(number uint32, count int) posting {
	return posting(number<<8 | uint32(min(count, 255)))
}
func (p posting) number() uint32 { return uint32(p) >> 8 }
func (p posting) count() float64 { return float64(p & 255) }

// vocabulary is an inverted index: the words that files have, numbered, each with the list of its files. A word that no file has any
// more is dropped, and its number is used again.
type vocabulary struct {
	max     int // words
	numbers map[string]uint32
	words   []string
	files   [][]posting // of each word, by number of the file
	free    []uint32    // numbers of no word
}

// minShrink is the number of words up to which a vocabulary does not shrink.
const minShrink = 4096

func newVocabulary(max int) vocabulary { return vocabulary{max: max, numbers: map[string]uint32{}} }

// number returns the number of a word, a new one if no file has it. ok is false if there are max other words.
func (v *vocabulary) number(word string) (n uint32, ok bool) {
	if n, ok = v.numbers[word]; ok {
		return n, true
	}
	word = strings.Clone(word) // it is a part of a text
	switch last := len(v.free) - 1; {
	case last >= 0:
		n, v.free = v.free[last], v.free[:last]
		v.words[n] = word
	case len(v.words) < v.max:
		n = uint32(len(v.words))
		v.words, v.files = append(v.words, word), append(v.files, nil)
	default:
		return 0, false
	}
	v.numbers[word] = n
	return n, true
}

// addAll enters a file under words, each with its count.
func (v *vocabulary) addAll(file uint32, counts map[string]int) []posting {
	list := make([]posting, 0, len(counts))
	for word, n := range counts {
		list = v.add(list, file, word, n)
	}
	return list
}

// addNames enters a file under all of the names.
func (v *vocabulary) addNames(file uint32, names []string) []posting {
	list := make([]posting, 0, len(names))
	for _, name := range names {
		list = v.add(list, file, name, 1)
	}
	return list
}

// add enters a file under a word and appends the word to the list of the file. A new word is left out if there are max others.
func (v *vocabulary) add(list []posting, file uint32, word string, count int) []posting {
	n, ok := v.number(word)
	if !ok {
		return list
	}
	v.files[n] = append(v.files[n], newPosting(file, count))
	return append(list, newPosting(n, count))
}

// remove takes the files that are gone off the lists of the words, and changes the order of words. It reads each list once, however
// many files are gone.
func (v *vocabulary) remove(words []posting, gone func(file uint32) bool) {
	slices.Sort(words)
	for i, w := range words {
		n := w.number()
		if i > 0 && words[i-1].number() == n {
			continue
		}
		files := slices.DeleteFunc(v.files[n], func(f posting) bool { return gone(f.number()) })
		switch {
		case len(files) == 0:
			delete(v.numbers, v.words[n])
			v.words[n], files = "", nil
			v.free = append(v.free, n)
		case len(files) < cap(files)/4:
			files = slices.Clone(files)
		}
		v.files[n] = files
	}
}

// shrink gives the words new numbers if less than a quarter of the numbers is in use, and returns the new number of each old one,
// nil if the numbers stay. The map is made again, because a map keeps its size when words are deleted.
func (v *vocabulary) shrink() (numbers []uint32) {
	if len(v.words) <= minShrink || len(v.numbers) >= len(v.words)/4 {
		return nil
	}
	numbers = make([]uint32, len(v.words))
	small := vocabulary{max: v.max, numbers: make(map[string]uint32, len(v.numbers)), words: make([]string, 0, len(v.numbers)),
		files: make([][]posting, 0, len(v.numbers))}
	for old, word := range v.words {
		if len(v.files[old]) == 0 {
			continue
		}
		numbers[old] = uint32(len(small.words))
		small.numbers[word] = numbers[old]
		small.words, small.files = append(small.words, word), append(small.files, v.files[old])
	}
	*v = small
	return numbers
}

// renumber gives the words of a file their new numbers, if there are new ones.
func renumber(words []posting, numbers []uint32) {
	if numbers == nil {
		return
	}
	for i, w := range words {
		words[i] = posting(numbers[w.number()]<<8) | w&255
	}
}

// having returns the files that have a word.
func (v *vocabulary) having(word string) []posting {
	if n, known := v.numbers[word]; known {
		return v.files[n]
	}
	return nil
}

// atMost returns the files that have a word, none if more than most have it.
func (v *vocabulary) atMost(word string, most int) []posting {
	if files := v.having(word); len(files) <= most {
		return files
	}
	return nil
}

// common reports whether so many files have a word that it does not distinguish them.
func common(with, files int) bool {
	return files > commonAtMost && float64(with) > commonShare*float64(files)
}
