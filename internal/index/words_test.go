package index

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWords asks what testdata/words.txt asks. The line with a tab below each is the answer (-update
// writes it).
//
//	request TEXT            what it names exactly, what it negates, and its words
//	difference A B          why B asks for another thing than A; none: it does not
//	nearly A B              whether one is the other misspelled
//	file NAME               without what stands beside the name of a file
//	abs NAME                in the folder /repo
//	definition LINE         without what stands before it
//	scope TITLE             the stems of the part of the program that a title names
//	kind FILE…              the kind of each file
func TestWords(t *testing.T) {
	fault.Replies(t, "testdata/words.txt", func(line string) []string {
		words := fault.Words(line)
		text := strings.Join(words[1:], " ")
		switch words[0] {
		case "request":
			r := NewRequest(text)
			return []string{fmt.Sprintf("files %v names %v numbers %v negated %v words %v", r.files, r.names, r.numbers, r.negated, r.words)}
		case "difference":
			return []string{fmt.Sprintf("%q", NewRequest(words[1]).Difference(NewRequest(words[2])))}
		case "nearly":
			one, other := nearly(words[1], words[2]), nearly(words[2], words[1])
			fault.Same(t, line+", the other way", other, one)
			return []string{fmt.Sprint(one)}
		case "file":
			return []string{fmt.Sprintf("%q", WithoutLine(text))}
		case "abs":
			return []string{fmt.Sprintf("%q", (&Locator{Cwd: "/repo"}).Abs(text, ""))}
		case "definition":
			return []string{fmt.Sprintf("%q", strings.TrimSpace(string(withoutAnnotations([]byte(text)))))}
		case "scope":
			var stems []string
			for _, w := range ParseText(text).Scope {
				stems = append(stems, w.Stem)
			}
			return []string{fmt.Sprint(stems)}
		case "kind":
			kinds := map[FileKind]bool{}
			for _, f := range words[1:] {
				kinds[KindOf(event.Path(f))] = true
			}
			return []string{fmt.Sprint(kinds)}
		}
		return nil
	})
	fault.Same(t, "in another folder", (&Locator{Cwd: "/repo"}).Abs("a.go", "/other"), "/other/a.go")
	fault.Same(t, "without a folder", (&Locator{}).Abs("a.go", ""), "")
}

// TestTexts: in testdata/texts.txt what is read in texts, names of files, documents and changes.
func TestTexts(t *testing.T) {
	var file [2]string
	fault.Replies(t, "testdata/texts.txt", func(line string) []string {
		verb, rest, _ := strings.Cut(line, " ")
		var of []string
		for verb != "#" && rest != "" {
			quoted := fault.Must(strconv.QuotedPrefix(rest))
			of = append(of, fault.Must(strconv.Unquote(quoted)))
			rest = strings.TrimSpace(rest[len(quoted):])
		}
		switch verb {
		case "text":
			return append([]string{fmt.Sprintf("terms       %q", Terms(of[0], 64)), fmt.Sprintf("first three %q", Terms(of[0], 3)),
				fmt.Sprintf("identifiers %q", Identifiers(of[0], 16)), fmt.Sprintf("tokens      %d", Tokens(of[0]))}, report(of[0])...)
		case "report":
			return report(of[0])
		case "path":
			return []string{fmt.Sprintf("path terms  %q", PathTerms(event.Path(of[0])))}
		case "document":
			return []string{fmt.Sprintf("%+v", Extract(event.Path(of[0]), []byte(of[1])))}
		case "file":
			file = [2]string(of)
		case "place":
			var d Differ
			d.Hunk([]byte(of[0]))
			d.Line(true, []byte(of[1]))
			weights := map[uint32]float64{}
			for _, h := range d.Places() {
				weights[h] = 1
			}
			return []string{PlaceOf(event.Path(file[0]), []byte(file[1]), weights).After(file[0])}
		case "sketch":
			k := SketchOf([]byte(of[0]), []byte(of[1]))
			marks := []string{"\x00added only", "\x00removed only", "\x00size 1"}
			words := slices.Compact(slices.Sorted(slices.Values(strings.Fields(strings.ToLower(of[0] + of[1])))))
			has := map[bool][]string{}
			for _, w := range append(words, marks...) {
				has[said(k, w)[0]] = append(has[said(k, w)[0]], w)
			}
			return []string{fmt.Sprintf("%d: %q, not %q", len(k), has[true], has[false])}
		}
		return nil
	})
}

// report is how a text is read as a report of a fault.
func report(text string) []string {
	p := ParseText(text)
	return []string{fmt.Sprint("title ", p.Title), fmt.Sprint("body ", p.Body),
		fmt.Sprintf("identifiers %q, of the title %q", p.Identifiers, p.TitleIdentifiers),
		fmt.Sprintf("frames %q dotted %q paths %q", p.Frames, p.Dotted, p.Paths),
		fmt.Sprintf("%d words, %d pairs", p.Words, len(p.Pairs))}
}
