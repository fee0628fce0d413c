package index

import (
	"cmp"
	"hash/fnv"
	"path"
	"slices"
	"strings"
	"unicode"
)

// maxRequestWords is the number of words of a request that are compared.
const maxRequestWords = 96

// Request is a prompt in a form in which other wordings of the same request are equal: word order,
// inflection and common synonyms do not matter. It also records what makes two requests different
// even if most of their words agree. All lists are sorted and have each entry once.
type Request struct {
	words   []string
	grams   []gram   // sorted by hash
	kind    []gram   // like grams, but without numbers, versions and identifiers
	negated []string // words that follow a negation
	files   []string // base names of files
	names   []string // identifiers in plain form
	numbers []string //
	// For "from", "to", "before" and the like: the words that follow it, in the order of the text.
	directed map[string][]string
	tasks    []string // classes of the tasks that it asks for
	question bool     // it wants to know something
}

// NewRequest returns the Request of a prompt. A word ends at every character that is not a letter,
// digit or apostrophe. Names of files and identifiers also count as a whole.
func NewRequest(text string) Request {
	r := Request{directed: map[string][]string{}}
	negation, direction := false, ""
	var kind []string
	for _, token := range strings.Fields(strings.ReplaceAll(text, "’", "'")) {
		literal := literalName().MatchString(token)
		token = strings.Trim(token, ".,;:!?()[]{}<>\"'`*“”‘…—-")
		value := r.addName(token, literal)
		for word := range split(token, true) {
			if len(r.words) >= maxRequestWords {
				break
			}
			word = strings.ToLower(word)
			if negations[word] {
				negation = true
				continue
			}
			if d := directions[word]; d != "" {
				direction = d
				continue
			}
			word = fold(word)
			if word == "" {
				continue
			}
			if negation {
				r.negated, negation = append(r.negated, word), false
			}
			if direction != "" {
				r.directed[direction], direction = append(r.directed[direction], word), ""
			}
			r.words = append(r.words, word)
			if !value {
				kind = append(kind, word)
			}
			if task := tasks[word]; task != "" {
				r.tasks = append(r.tasks, task)
			}
		}
	}
	if negation {
		r.negated = append(r.negated, "")
	}
	for _, list := range []*[]string{&r.words, &kind, &r.negated, &r.files, &r.names, &r.numbers, &r.tasks} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	r.grams, r.kind = grams(r.words), grams(kind)
	r.question = asks(text, r.tasks)
	return r
}

// asks reports whether a text is a question: it begins as one, or it ends as one and neither names a
// task nor is a polite request ("can you bump the version?").
func asks(text string, tasks []string) bool {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "’", "'")))
	for len(words) > 1 && openings[strings.Trim(words[0], ",.!…")] {
		words = words[1:]
	}
	if len(words) == 0 || questions[strings.Trim(words[0], ",?")] {
		return len(words) > 0
	}
	named := slices.ContainsFunc(tasks, func(class string) bool { return class != looking })
	return strings.HasSuffix(words[len(words)-1], "?") && !named && !polite[words[0]]
}

// versionNumber matches versions with letters, such as v1.2.0 and 1.2.0-rc1.
var versionNumber = LazyRegexp(`^[vV]?[0-9]+(\.[0-9]+)*([-.]?(alpha|beta|dev|pre|rc|a|b)[-.]?[0-9]*)?$`)

// literalName matches a token that is a name whatever its letters are: an option of a command, or code in
// backquotes.
var literalName = LazyRegexp("^[(\"']?`?--[A-Za-z]|^[(]?`[^`]+`[).,;:!?]*$")

// addName adds the file, the identifier or the number that a token is, if it is one. If literal is
// true and the token is neither a file nor a number, it is an identifier. value is true for an
// identifier and for a number.
func (r *Request) addName(token string, literal bool) (value bool) {
	digits, letters, prev := 0, 0, rune(0)
	identifier := literal || strings.Contains(token, "_")
	for _, c := range token {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsLetter(c):
			letters++
		}
		identifier = identifier || unicode.IsUpper(c) && unicode.IsLower(prev)
		prev = c
	}
	ext := path.Ext(token)
	switch {
	case digits > 0 && letters == 0:
		r.numbers, value = append(r.numbers, strings.Trim(token, "#.,")), true
	case versionNumber().MatchString(token):
		r.numbers, value = append(r.numbers, strings.ToLower(strings.TrimLeft(token, "vV"))), true
	case len(ext) > 1 && len(ext) <= 6 && letters > 0 && !strings.Contains(token, "://"):
		r.files = append(r.files, strings.ToLower(path.Base(token)))
	case identifier:
		name, _, _ := strings.Cut(strings.NewReplacer("(", "", ")", "").Replace(token), "=")
		r.names, value = append(r.names, plainIdentifier(name)), true
	}
	return value
}

// fold returns the form that a word shares with its inflections and synonyms, "" for a stop word.
// The word is in lower case.
func fold(word string) string {
	word = strings.TrimSuffix(word, "'s")
	if requestStops[word] {
		return ""
	}
	word = Stem(word)
	if s, ok := synonyms[word]; ok {
		return s
	}
	return word
}

// Len returns the number of different words in the request.
func (r Request) Len() int { return len(r.words) }

// gram is a word of a request, or two or three neighbors in the sorted list of its words.
type gram struct {
	hash uint64
	size uint8 // number of words
	weak bool  // all of its words are weakWords
	task bool  // it is a word that tells the kind of task
}

func grams(words []string) []gram {
	var out []gram
	for n := 1; n <= 3; n++ {
		for i := range len(words) - n + 1 {
			g := gram{size: uint8(n), weak: true}
			h := fnv.New64a()
			for _, word := range words[i : i+n] {
				_, _ = h.Write([]byte(word + " "))
				g.weak = g.weak && weakWords[word]
				g.task = n == 1 && (!weakWords[word] || word == "test") && !countedWords[word]
			}
			g.hash = h.Sum64()
			out = append(out, g)
		}
	}
	slices.SortFunc(out, compareGram)
	return slices.CompactFunc(out, func(a, b gram) bool { return a.hash == b.hash })
}

func compareGram(a, b gram) int { return cmp.Compare(a.hash, b.hash) }

// Difference names the reason why two requests ask for different things although they share most
// words; "" if none exists.
type Difference string

// OtherNumber and OtherName are differences of values: the second request may be the same task with
// another number, or the same task for another thing of the same kind.
const (
	OtherNumber Difference = "number" // or another version
	OtherName   Difference = "name"   // another identifier
)

// OfValues reports whether requests differ in nothing but numbers, versions and identifiers.
func (d Difference) OfValues() bool { return d == OtherNumber || d == OtherName }

// Difference returns the first difference between two requests: another negation, task or file,
// opposite words, or a reversed direction; if none of these exists, another number or name.
func (r Request) Difference(s Request) Difference {
	switch {
	case !slices.Equal(r.negated, s.negated):
		return "negation"
	case disjoint(r.files, s.files):
		return "file"
	case disjoint(r.tasks, s.tasks), r.question && !s.looks(), s.question && !r.looks():
		return "task"
	case r.reverses(s):
		return "direction"
	case r.opposes(s) || s.opposes(r):
		return "opposite"
	case !slices.Equal(r.numbers, s.numbers):
		return OtherNumber
	case disjoint(r.names, s.names):
		return OtherName
	}
	return ""
}

// looks reports whether a request only wants to know something. Such a request may mean the same as
// a question.
func (r Request) looks() bool { return r.question || slices.Contains(r.tasks, looking) }

// disjoint reports whether both lists have entries but none in common.
func disjoint(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// reverses reports whether a word that follows "from" or "before" in one request follows "to" or
// "after" in the other.
func (r Request) reverses(s Request) bool {
	swaps := func(from, to string) bool {
		return slices.ContainsFunc(r.directed[from], func(word string) bool {
			return slices.Contains(s.directed[to], word) && !slices.Contains(s.directed[from], word)
		})
	}
	return swaps("from", "to") || swaps("to", "from") || swaps("before", "after") || swaps("after", "before")
}

// opposes reports whether r has a word and s its opposite, and neither has both.
func (r Request) opposes(s Request) bool {
	for _, word := range r.words {
		if s.has(word) {
			continue
		}
		for _, opposite := range opposites[word] {
			if s.has(opposite) && !r.has(opposite) {
				return true
			}
		}
	}
	return false
}

func (r Request) has(word string) bool {
	_, found := slices.BinarySearch(r.words, word)
	return found
}
