package index

import (
	"bytes"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// definedName is a place where a program defines a name. Its Symbol is the name, after its type if that
// is known, as in AppContext.pop.
type definedName struct {
	event.Place
	last  string // the name without its type
	stems []string
	owner []string // stems of the name of the type that it belongs to
}

// Limits of the definitions in one file.
const (
	maxDefinitions = 2000 // definitions
	// The words of a name and its type that a text must contain if it does not write the name
	// itself.
	leastWords = 2
	// The share of the words of a name, weighted by rarity, that a text must contain.
	leastNamed = 0.5

	// The weight of a name that the text writes exactly; more than any sum of words can reach.
	identifierWeight = 20
)

// DefinitionFor returns the definition in a program that a text is most likely about: one that the
// text names as an identifier, else the one of whose words the text has the largest share, each
// word weighted by its rarity among the files. ok is false if the text has less than half of every
// name, or fewer than two words of a name and its type, because single words occur in too many
// prompts. It reads at most MaxEdited bytes.
func (c *Contents) DefinitionFor(p event.Path, program []byte, t Text) (d event.Place, ok bool) {
	best := 0.0
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, x := range definitionsIn(p, program) {
		worth := 0.0
		switch {
		case x.Symbol != x.last && slices.Contains(t.Dotted, x.Symbol):
			worth = 2 * identifierWeight
		case slices.Contains(t.Identifiers, plainIdentifier(x.last)):
			worth = identifierWeight
		}
		said, words := c.said(x.stems, t)
		if worth += said; worth > 0 {
			owner, more := c.said(x.owner, t) // prefer the definition whose type the text names, too
			worth, words = worth+owner, words+more
		}
		if worth > best && (words >= leastWords || worth >= identifierWeight) {
			best, d = worth, x.Place
		}
	}
	return d, best > 0
}

// said returns the sum of the rarities of the words in a name that a text contains, and the number
// of these words. The sum is 0 if it is less than half of the rarity of the whole name.
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

// DefinitionOf returns where a program defines a name. name is in plain form: lower case, without
// underscores.
func DefinitionOf(p event.Path, program []byte, name string) (event.Place, bool) {
	for _, x := range definitionsIn(p, program) {
		if plainIdentifier(x.last) == name {
			return x.Place, true
		}
	}
	return event.Place{}, false
}

// definitionsIn returns the definitions in a program, by line; none for any other file.
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
			len(out) > 0 && out[len(out)-1].Line == number { // only the first definition of each line
			return
		}
		columns := indentation(line.raw)
		for len(within) > 0 && within[len(within)-1].columns >= columns {
			within = within[:len(within)-1]
		}
		x := definedName{Place: event.Place{Line: number, Symbol: string(name)}, last: string(name),
			stems: slices.Compact(slices.Sorted(stemsOf(string(name))))}
		owner := receiver(lang, line.raw)
		if owner == "" && len(within) > 0 {
			owner = within[len(within)-1].name
		}
		if owner != "" && owner != x.Symbol {
			x.Symbol, x.owner = owner+"."+x.Symbol, slices.Compact(slices.Sorted(stemsOf(owner)))
		}
		within = append(within, level{columns, string(name)})
		out = append(out, x)
	}
	for number, line = range codeLines(lang, program, nil) {
		d.line(line)
	}
	return out
}

// indentation returns the number of columns before the text of a line. A tab counts as 4.
func indentation(line []byte) (columns int) {
	space := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	return len(space) + 3*bytes.Count(space, []byte{'\t'})
}

// receiver returns the receiver type of a Go method, "" for every other line.
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
