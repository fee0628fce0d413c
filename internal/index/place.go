package index

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Places are hashes of lines that help to find the place of a diff again in a later version of its
// file: for each hunk, the line that its header quotes and the first line that it added. Digits are
// ignored, so that a line with a version number is found again after the number was raised.
type Places []uint32

// Hunk begins a hunk. head is the text that git prints after the line numbers in the hunk's header:
// the last line above the hunk that looks like the beginning of a function or a section, cut to 80
// bytes.
func (d *Differ) Hunk(head []byte) {
	d.begun = true
	d.place(head)
}

// place records a line that may identify the place of a diff. It returns false for a line that
// cannot, such as a single bracket.
func (d *Differ) place(line []byte) bool {
	h, ok := lineHash(line)
	if ok && len(d.places) < mostPlaces && !slices.Contains(d.places, h) {
		d.places = append(d.places, h)
	}
	return ok
}

// Places returns the places of the hunks so far.
func (d *Differ) Places() Places { return slices.Clip(d.places) }

// Limits for a line that identifies the place of a diff.
const (
	// Letters that it must have. Lines such as "else {" and "import (" are in many places.
	leastLetters = 4
	// Bytes of the line that are compared, because git cuts the line in a hunk's header.
	mostHead = 80
)

// lineHash returns the hash of a line without the spaces around it. ok is false if the line has too
// few letters.
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

// PlaceOf returns the definition or the heading of a file under which earlier diffs changed it.
// weights has the weight of each of their Places.
//
// A definition is returned if the lines below it have at least half of the weight of all lines that
// the file still has; of two such definitions, the first. (In 40 commits of caddy, 13 of 17 places
// were right with this bound, and 15 of 29 with none.) A line that occurs under two definitions
// counts for none. A heading that occurs twice in the document is never a place: each version in a
// changelog has its own "Fixed", and the next change belongs to a newer one. In a file without
// definitions and headings the line itself is the place, unless it is an import. PlaceOf reads at
// most MaxEdited bytes.
func PlaceOf(p event.Path, text []byte, weights map[uint32]float64) (out event.Place) {
	if len(weights) == 0 || unreadable(p, text) {
		return out
	}
	sections := sectionsIn(p, text)
	headings := map[string]int{} // how often the document has each heading
	for _, s := range sections {
		if s.Heading {
			headings[s.Symbol]++
		}
	}
	at, number := map[uint32]event.Place{}, 0 // the zero place: the line is under several sections
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
	sums, all := map[event.Place]float64{}, 0.0
	for _, h := range slices.Sorted(maps.Keys(at)) { // in a fixed order, so that sums are equal to the last digit
		if x := at[h]; x != (event.Place{}) {
			sums[x] += weights[h]
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

// sectionsIn returns the definitions of a program or the headings of a document, by line.
func sectionsIn(p event.Path, text []byte) (out []event.Place) {
	for _, d := range definitionsIn(p, text) {
		out = append(out, d.Place)
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

// maxHeading is the largest number of bytes of a heading that are shown.
const maxHeading = 60

// headingText returns a heading as one line without its marks.
func headingText(h []byte) string {
	text := string(bytes.Join(bytes.Fields(bytes.Trim(h, "#*` \t")), []byte{' '}))
	return event.Clip(text, maxHeading)
}
