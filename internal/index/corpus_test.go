package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// commonWords are those of all programs and texts, the most frequent first.
var commonWords = strings.Fields(`return error string func value type name path file index time test data key list read write open close
	request response client server config option context buffer cache token parse format line count size node tree state event handler
	message queue session user group check build load store merge split match find remove update create delete start stop wait lock
	default missing empty first last next previous parent child left right begin end local remote public private static global`)

// generator makes the files of a repository that look real: some 10 KB with 190 different words and
// 65 identifiers, as those of Go libraries have. A fifth of the identifiers are new in each file.
// Modules of 20 files share words and call one another.
type generator struct {
	*rand.Rand
	words []string // all
}

func newGenerator(files int) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(3, uint64(files))), words: commonWords}
	syllables := strings.Fields("ba co di fu ga hel in jo kar lim mon nor op pel qua ris sor tam ul ver wex yal zon tra ple gri sto cur dep fal")
	for range 2000 + 5*files {
		word := ""
		for range 2 + g.IntN(3) {
			word += syllables[g.IntN(len(syllables))]
		}
		g.words = append(g.words, word)
	}
	return g
}

// common returns a word, frequent ones more often.
func (g *generator) common() string { return g.word(20) }

// word returns a word. The higher the skew, the more frequent it is in files.
func (g *generator) word(skew float64) string {
	return g.words[int(math.Pow(g.Float64(), skew)*float64(min(len(g.words), 3000)))]
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// name returns the name n of a module. Half of what its files define are such names.
func (g *generator) name(module, n int) string {
	r := rand.New(rand.NewPCG(uint64(module), uint64(n)))
	pool := 2000 + (module*97)%(len(g.words)-2000)
	word := func() string {
		if r.IntN(3) > 0 {
			return g.words[r.IntN(len(commonWords))]
		}
		return g.words[(pool+r.IntN(60))%len(g.words)]
	}
	return word() + title(word()) + title(word())
}

var layouts = []struct{ path, comment, define, end string }{
	{"internal/%s/%s.go", "// ", "func %s(ctx context.Context) error {", "}"},
	{"internal/%s/%s_test.go", "// ", "func Test%s(t *testing.T) {", "}"},
	{"src/%s/%s.py", "# ", "def %s(self):", ""},
	{"web/%s/%s.ts", "// ", "export function %s() {", "}"},
	{"docs/%s/%s.md", "", "## %s", ""},
}

// file returns file i.
func (g *generator) file(i int) (event.Path, []byte) {
	module := i / 20
	layout := layouts[i%4]
	if i%20 == 19 {
		layout = layouts[4]
	}
	p := fmt.Sprintf(layout.path, g.words[(2000+module*7)%len(g.words)]+fmt.Sprint(module),
		g.common()+title(g.words[(i*31)%len(g.words)])+fmt.Sprint(i))
	var b strings.Builder
	sentence := func(n int) {
		b.WriteString(layout.comment)
		for range n {
			b.WriteString(g.common() + " ")
		}
		b.WriteString("\n")
	}
	for k := range 13 + g.IntN(14) {
		own := g.name(module, 100*(i%20)+k)
		if k%2 == 1 {
			own = g.name(k%7, g.IntN(40)) // one that others define, too
		}
		sentence(10)
		fmt.Fprintf(&b, layout.define+"\n", own)
		for range 1 + g.IntN(5) {
			called := g.name(module, 100*g.IntN(20)+2*g.IntN(7))
			switch g.IntN(4) {
			case 0:
				called = g.name(g.IntN(50), g.IntN(20))
			case 1:
				called = g.common()
			}
			fmt.Fprintf(&b, "\t%s.%s(%s, %s)\n\tif err != nil {\n\t\treturn fmt.Errorf(\"%s %s: %%w\", err)\n\t}\n",
				g.common(), called, g.common(), own, g.common(), g.common())
		}
		b.WriteString(layout.end + "\n")
	}
	return event.Path(p), []byte(b.String())
}

// text returns a text of n words about a module.
func (g *generator) text(n, module int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s fails in %s %s\n\n", g.name(module, 3), g.word(3), g.word(3))
	for k := range n - 8 {
		switch k % 12 {
		case 3:
			b.WriteString(g.words[(2000+(module*97)%(len(g.words)-2000)+k)%len(g.words)])
		case 7:
			b.WriteString(g.name(module, 100*(k%20)+k%30))
		default:
			b.WriteString(g.word(3))
		}
		b.WriteString(" ")
	}
	return b.String()
}
