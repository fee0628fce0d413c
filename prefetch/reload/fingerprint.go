package reload

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
)

// The types of triggers.
const (
	Prompt    = "prompt"    // a person's words
	Command   = "command"   // a slash command: Target is its name
	Scheduled = "scheduled" // a timer's words
	Resume    = "resume"    // a session that went on without a prompt: Target is how
)

// Trigger is what began a sequence.
type Trigger struct {
	Type   string `json:"triggerType"`
	Target string `json:"triggerTarget"`
}

// exact reports whether equal triggers alone say that it is the same request: every prompt is a prompt.
func (t Trigger) exact() bool { return t.Type != Prompt }

// Fingerprint is by what a sequence is found again.
type Fingerprint struct {
	Trigger
	State string // hash of the workspace's state: HEAD, branch, changed files; "" if unknown

	words  words
	grams  []gram
	vector []float32 // of Options.Embed, nil without one
}

func newFingerprint(t Trigger, text, state string, embed func(string) []float32) Fingerprint {
	f := Fingerprint{Trigger: t, State: state, words: read(text)}
	f.grams = f.words.grams()
	if embed != nil && len(f.grams) > 0 {
		f.vector = embed(text)
	}
	return f
}

// gram is one word, or two or three that are neighbours when the words are sorted: word order does not matter.
type gram struct {
	hash uint64
	size uint8 // words
	weak bool  // all of its words are weak
}

func (w words) grams() []gram {
	var out []gram
	for n := 1; n <= 3; n++ {
		for i := range len(w.bag) - n + 1 {
			g := gram{size: uint8(n), weak: true}
			h := fnv.New64a()
			for _, word := range w.bag[i : i+n] {
				_, _ = h.Write([]byte(word + " "))
				g.weak = g.weak && weak[word]
			}
			g.hash = h.Sum64()
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b gram) int { return cmp.Compare(a.hash, b.hash) })
	return slices.CompactFunc(out, func(a, b gram) bool { return a.hash == b.hash })
}

// Ngrams are the 2- and 3-grams in words, for export.
func (f Fingerprint) Ngrams() []string {
	out := []string{}
	for n := 2; n <= 3; n++ {
		for i := range len(f.words.bag) - n + 1 {
			out = append(out, strings.Join(f.words.bag[i:i+n], " "))
		}
	}
	return out
}

// differs reports whether something says that two prompts ask for different things, however many words they share:
// another negation, another task, opposite words, other files, names or numbers, a direction turned round. why is the word for it.
func (w words) differs(v words) (why string, yes bool) {
	switch {
	case !slices.Equal(w.negated, v.negated):
		return "negation", true
	case len(w.numbers)+len(v.numbers) > 0 && !slices.Equal(w.numbers, v.numbers):
		return "number", true
	case apart(w.files, v.files):
		return "file", true
	case apart(w.names, v.names):
		return "name", true
	case apart(w.tasks, v.tasks):
		return "task", true
	case w.turned(v):
		return "direction", true
	case w.opposed(v) || v.opposed(w):
		return "opposite", true
	}
	return "", false
}

// apart: both name something, and nothing in common.
func apart(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// turned: what the one comes from, the other goes to.
func (w words) turned(v words) bool {
	return slices.ContainsFunc(w.toward["from"], func(s string) bool {
		return slices.Contains(v.toward["to"], s) && !slices.Contains(v.toward["from"], s)
	}) ||
		slices.ContainsFunc(w.toward["to"], func(s string) bool {
			return slices.Contains(v.toward["from"], s) && !slices.Contains(v.toward["to"], s)
		}) ||
		slices.ContainsFunc(w.toward["before"], func(s string) bool { return slices.Contains(v.toward["after"], s) })
}

// opposed: w has a word whose opposite v has, and neither has both.
func (w words) opposed(v words) bool {
	for _, a := range w.bag {
		if has(v.bag, a) {
			continue
		}
		for _, b := range opposites[a] {
			if has(v.bag, b) && !has(w.bag, b) {
				return true
			}
		}
	}
	return false
}

func has(sorted []string, s string) bool {
	_, found := slices.BinarySearch(sorted, s)
	return found
}
