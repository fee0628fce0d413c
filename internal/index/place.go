package index

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Places are hashes of lines by which the place of a diff is found again in a later version of its
// file: for each hunk the line that its header quotes, and the first line that it added. All
// numbers count as equal, so that the line of a version number is found again after the version was
// raised.
type Places []uint32

// Hunk begins a hunk. head is the text after the ranges of its header: the last line before it that
// looks like the beginning of a function or of a section, cut to 80 bytes.
func (d *Differ) Hunk(head []byte) {
	d.begun = true
	d.place(head)
}

// place takes in a line that says where the diff is. It reports false for one that says nothing, as
// a bracket.
func (d *Differ) place(line []byte) bool {
	h, ok := lineHash(line)
	if ok && len(d.places) < mostPlaces && !slices.Contains(d.places, h) {
		d.places = append(d.places, h)
	}
	return ok
}

// Places are those of the hunks so far.
func (d *Differ) Places() Places { return slices.Clip(d.places) }

// Bounds of a line that says where a diff is.
const (
	leastLetters = 4  // letters that it must have: "else {" and "import (" are in many places, and are found twice
	mostHead     = 80 // bytes that count: git cuts what a header quotes
)

// lineHash is the hash of a line without the spaces around it. ok is false if it has too few
// letters.
func lineHash(line []byte) (h uint32, ok bool) {
	line = bytes.TrimSpace(line)
	line = bytes.TrimSpace(line[:min(len(line), mostHead)])
	plain, letters := make([]byte, 0, len(line)), 0
	for _, c := range line {
		switch {
		case c < '0' || c > '9':
			plain = append(plain, c)
		case len(plain) == 0 || plain[len(plain)-1] != '0':
			plain = append(plain, '0')
		}
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 {
			letters++
		}
	}
	return sketchHash(plain), letters >= leastLetters
}

// PlaceOf finds the definition or the heading of a file under which earlier diffs of it were:
// weights are those of their Places. It is found if it has half of the weight of all that the file
// still has, of two such ones the first. With any share, 15 of 29 places in 40 commits of caddy
// were right, with half 13 of 17. A line that stands under two of them says nothing. A heading that
// the document has twice is no place: each version of a changelog has its own, and what comes next
// belongs to a newer one. In a file without any, the line itself is the place; the imports of a
// program are none. It reads at most MaxEdited bytes.
func PlaceOf(p event.Path, text []byte, weights map[uint32]float64) (out event.Place) {
	if len(weights) == 0 || unreadable(p, text) {
		return out
	}
	sections := sectionsIn(p, text)
	headings := map[string]int{} // how often the document has each
	for _, s := range sections {
		if s.Heading {
			headings[s.Symbol]++
		}
	}
	at, number := map[uint32]event.Place{}, 0 // zero: under several
	var now event.Place
	for line := range bytes.Lines(text) {
		number++
		for len(sections) > 0 && sections[0].Line <= number {
			now, sections = sections[0], sections[1:]
		}
		h, _ := lineHash(line)
		if weights[h] == 0 {
			continue
		}
		x := now
		switch {
		case x.Line == 0 && languageOf(p) != nil:
			continue
		case x.Line == 0:
			x.Line = number
		}
		if other, known := at[h]; known && other != x {
			x = event.Place{}
		}
		at[h] = x
	}
	sums := map[event.Place]float64{}
	for _, h := range slices.Sorted(maps.Keys(at)) { // a fixed order: sums are the same to the digit
		sums[at[h]] += weights[h]
	}
	delete(sums, event.Place{})
	all := 0.0
	for _, h := range slices.Sorted(maps.Keys(at)) {
		if at[h] != (event.Place{}) {
			all += weights[h]
		}
	}
	best := 0.0
	for x, sum := range sums {
		if sum >= all/2 && (sum > best || sum == best && x.Line < out.Line) {
			out, best = x, sum
		}
	}
	if headings[out.Symbol] > 1 && out.Heading {
		return event.Place{}
	}
	return out
}

// sectionsIn are the definitions of a program, or the headings of a document, in the order of their
// lines.
func sectionsIn(p event.Path, text []byte) (out []event.Place) {
	for _, d := range definitionsIn(p, text) {
		out = append(out, event.Place{Line: d.Line, Symbol: d.Name})
	}
	if KindOf(p) != KindProse && p.Ext() != ".md" {
		return out
	}
	var last []byte
	number, fenced := 0, false
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimRight(line, " \t\r\n")
		fence := string(bytes.TrimLeft(line, " "))
		if strings.HasPrefix(fence, "```") || strings.HasPrefix(fence, "~~~") {
			fenced = !fenced
		}
		if h, before := headingAt(line, last); h != nil && !fenced && len(out) < maxDefinitions {
			out = append(out, event.Place{Line: number, Symbol: headingText(h), Heading: true})
			if before {
				out[len(out)-1].Line--
			}
		}
		last = line
	}
	return out
}

// maxHeading is how many bytes of a heading are named.
const maxHeading = 60

// headingText is a heading without its marks, on one line.
func headingText(h []byte) string {
	text := string(bytes.Join(bytes.Fields(bytes.Trim(h, "#*` \t")), []byte{' '}))
	return event.Clip(text, maxHeading)
}
