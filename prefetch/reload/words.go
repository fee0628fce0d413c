package reload

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// maxWords bounds the words of a prompt that count.
const maxWords = 96

// words is what a prompt says, folded so that word order, inflection and common synonyms do not matter; and what
// makes two prompts different although most of their words are the same.
type words struct {
	bag     []string            // folded words, sorted, each once
	negated []string            // words that a negation stands before, sorted
	files   []string            // base names of files, sorted
	names   []string            // identifiers of the code, sorted, without letter case and underscores
	numbers []string            // sorted
	toward  map[string][]string // "from", "to": the word behind it
	tasks   []string            // what is to be done, in classes, sorted
}

// read takes a text apart. Words are cut at everything that is no letter, digit or apostrophe; names of files and of
// the code count as a whole too.
func read(text string) words {
	w := words{toward: map[string][]string{}}
	negation, direction := false, ""
	for _, token := range tokens(text) {
		w.name(token)
		for _, raw := range split(token) {
			if len(w.bag) >= maxWords {
				break
			}
			low := strings.ToLower(raw)
			if negations[low] {
				negation = true
				continue
			}
			if directions[low] != "" {
				direction = directions[low]
				continue
			}
			word := fold(low)
			if word == "" {
				continue
			}
			if negation {
				w.negated, negation = append(w.negated, word), false
			}
			if direction != "" {
				w.toward[direction], direction = append(w.toward[direction], word), ""
			}
			w.bag = append(w.bag, word)
			if task := tasks[word]; task != "" {
				w.tasks = append(w.tasks, task)
			}
		}
	}
	if negation {
		w.negated = append(w.negated, "")
	}
	for _, list := range []*[]string{&w.bag, &w.negated, &w.files, &w.names, &w.numbers, &w.tasks} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return w
}

// tokens are the parts of a text between white space, without punctuation at their ends.
func tokens(text string) []string {
	out := strings.Fields(text)
	for i, t := range out {
		out[i] = strings.Trim(t, ".,;:!?()[]{}<>\"'`*“”‘’…—-")
	}
	return out
}

// name notes what a token names exactly: a file, something of the code, a number.
func (w *words) name(token string) {
	digits, letters := 0, 0
	for _, r := range token {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	ext := path.Ext(token)
	switch {
	case digits > 0 && letters == 0:
		w.numbers = append(w.numbers, strings.Trim(token, "#.,"))
	case len(ext) > 1 && len(ext) <= 6 && letters > 0 && !strings.Contains(token, "://"):
		w.files = append(w.files, strings.ToLower(path.Base(token)))
	case strings.Contains(token, "_") || mixed(token):
		w.names = append(w.names, strings.ToLower(strings.NewReplacer("_", "", "(", "", ")", "").Replace(token)))
	}
}

// mixed reports a capital behind a small letter.
func mixed(s string) bool {
	small := false
	for _, r := range s {
		if small && unicode.IsUpper(r) {
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

// split cuts a token into words: at what is no letter, digit or apostrophe, and where camelCase turns. A character
// of a script without spaces is a word.
func split(token string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	small := false
	for _, r := range token {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			out = append(out, string(r))
		case r == '’':
			b.WriteByte('\'')
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'':
			if small && unicode.IsUpper(r) {
				flush()
			}
			b.WriteRune(r)
		default:
			flush()
		}
		small = unicode.IsLower(r)
	}
	flush()
	return out
}

// fold brings a word in small letters to the form that its inflections and synonyms share; "" for words that say
// nothing about the task.
func fold(word string) string {
	word = strings.TrimSuffix(word, "'s")
	if stopped[word] {
		return ""
	}
	s := stem(word)
	if as, ok := synonyms[s]; ok {
		return as
	}
	return s
}

// endings are cut off, the longest first, if enough of the word stays: three letters before an inflection, four before
// what makes another word of it. What is left loses a final e and a doubled consonant.
var endings = []struct {
	end  string
	stay int
}{{"ations", 4}, {"ation", 4}, {"ating", 4}, {"ators", 4}, {"ments", 4}, {"ator", 4}, {"ates", 4}, {"ated", 4}, {"able", 4}, {"ment", 4}, {"ions", 4}, {"ings", 4}, {"ures", 4},
	{"ate", 4}, {"ion", 4}, {"ing", 3}, {"ers", 4}, {"ors", 4}, {"ure", 4}, {"ies", 3}, {"ied", 3}, {"er", 4}, {"or", 4}, {"es", 3}, {"ed", 3}, {"ly", 3}, {"s", 3}, {"y", 4}}

// stem takes at most two endings off: refactorings, refactoring, refactor are one.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'")
	if !ascii(w) {
		return w
	}
	for range 2 {
		w = shorter(w)
	}
	return w
}

func shorter(w string) string {
	if len(w) < 4 {
		return w
	}
	for _, e := range endings {
		root, found := strings.CutSuffix(w, e.end)
		if found && len(root) >= e.stay && !(e.end == "s" && strings.HasSuffix(root, "s")) {
			w = root
			break
		}
	}
	w = strings.TrimSuffix(w, "e")
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		w = w[:n-1]
	}
	return w
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
