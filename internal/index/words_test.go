package index

import (
	"fmt"
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
