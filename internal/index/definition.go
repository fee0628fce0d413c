package index

import (
	"bytes"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Definition is where a program defines a name.
type Definition struct {
	Line int    // from 1 on
	Name string // with the type that it belongs to, if that is known: AppContext.pop
}

// definedName is a definition as it is found.
type definedName struct {
	Definition
	last  string // the name alone
	stems []string
	owner []string // stems of the type
}

// Limits for one file.
const (
	maxDefinitions = 2000 // definitions
	leastWords     = 2    // words of a name and its type that a text must say that does not write the name
	leastNamed     = 0.5  // share of the words of a name, by rarity, that a text must say

	identifierWeight = 20 // of a name as the text writes it: more than words have
)

// DefinitionFor returns the definition of a program that a text speaks of: one that the text names
// as an identifier, else the one with the largest share of its words said, each word by its rarity
// among the files. ok is false when the text says less than half of every name, or no two words of
// a name and its type: one word is in too many prompts. It reads at most MaxEdited bytes.
func (c *Contents) DefinitionFor(p event.Path, program []byte, t Text) (d Definition, ok bool) {
	best := 0.0
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, x := range definitionsIn(p, program) {
		worth := 0.0
		switch {
		case x.Name != x.last && slices.Contains(t.Dotted, x.Name):
			worth = 2 * identifierWeight
		case slices.Contains(t.Identifiers, plainIdentifier(x.last)):
			worth = identifierWeight
		}
		said, words := c.said(x.stems, t)
		if worth += said; worth > 0 {
			owner, more := c.said(x.owner, t) // the type that the text names has this one, not another
			worth, words = worth+owner, words+more
		}
		if worth > best && (words >= leastWords || worth >= identifierWeight) {
			best, d = worth, x.Definition
		}
	}
	return d, best > 0
}

// said is the rarity of the words of a name that a text says, and how many they are; 0 if it says
// less than half of them by their rarity.
func (c *Contents) said(stems []string, t Text) (said float64, words int) {
	all := 0.0
	for _, stem := range stems {
		r := Rarity(len(c.files), int(c.named[stem]))
		all += r
		if _, found := slices.BinarySearchFunc(t.Body, stem, compareCount); found {
			said += r
			words++
		}
	}
	if said <= leastNamed*all {
		return 0, 0
	}
	return said, words
}

// DefinitionOf returns where a program defines a name, in plain form.
func DefinitionOf(p event.Path, program []byte, name string) (Definition, bool) {
	for _, x := range definitionsIn(p, program) {
		if plainIdentifier(x.last) == name {
			return x.Definition, true
		}
	}
	return Definition{}, false
}

// definitionsIn returns the definitions of a program in the order of their lines, none for what is
// no program.
func definitionsIn(p event.Path, program []byte) (out []definedName) {
	lang := languageOf(p)
	if lang == nil || unreadable(p, program) {
		return nil
	}
	type level struct {
		columns int
		name    string
	}
	var within []level
	var line codeLine
	number := 0
	d := &definer{lang: lang}
	d.define = func(name []byte) {
		if len(name) < 2 || len(name) > maxName || len(out) == maxDefinitions ||
			len(out) > 0 && out[len(out)-1].Line == number { // of a line, the first
			return
		}
		columns := indentation(line.raw)
		for len(within) > 0 && within[len(within)-1].columns >= columns {
			within = within[:len(within)-1]
		}
		x := definedName{Definition: Definition{number, string(name)}, last: string(name), stems: slices.Compact(slices.Sorted(stemsOf(string(name))))}
		owner := receiver(lang, line.raw)
		if owner == "" && len(within) > 0 {
			owner = within[len(within)-1].name
		}
		if owner != "" && owner != x.Name {
			x.Name, x.owner = owner+"."+x.Name, slices.Compact(slices.Sorted(stemsOf(owner)))
		}
		within = append(within, level{columns, string(name)})
		out = append(out, x)
	}
	for number, line = range codeLines(lang, program, nil) {
		if len(line.defining) > 0 {
			d.line(line.defining, line.rest)
		}
	}
	return out
}

// indentation is the columns before a line; a tab is 4.
func indentation(line []byte) (columns int) {
	for _, c := range line {
		switch c {
		case '\t':
			columns += 4
		case ' ':
			columns++
		default:
			return columns
		}
	}
	return columns
}

// receiver is the type of a method of Go, "" for every other line.
func receiver(lang *language, line []byte) string {
	rest, method := bytes.CutPrefix(line, []byte("func ("))
	if lang != golang || !method {
		return ""
	}
	rest, _, _ = bytes.Cut(rest, []byte{')'})
	rest, _, _ = bytes.Cut(rest, []byte{'['})
	fields := bytes.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '*' })
	if len(fields) == 0 {
		return ""
	}
	return string(fields[len(fields)-1])
}
