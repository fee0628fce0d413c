package index_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// answer is what an index says to one question.
type answer struct {
	Question      string
	Fits          []index.Fit   `json:",omitempty"` // by path
	Covers        []index.Cover `json:",omitempty"` // of some files
	Size          float64       `json:",omitempty"`
	Alike, Called []index.Hit   `json:",omitempty"`
}

// answers asks about texts and files of a generated repository.
func answers(c *index.Contents, g *generator, files []event.Path) (out []answer) {
	ask := func(question string, t index.Text) {
		a := answer{Question: question, Fits: c.Match(t)}
		slices.SortFunc(a.Fits, func(a, b index.Fit) int { return strings.Compare(string(a.Path), string(b.Path)) })
		for _, p := range files[:10] {
			a.Covers = append(a.Covers, c.Cover(p, t))
		}
		out = append(out, a)
	}
	for i := range 12 {
		text := g.text([]int{6, 40, 300}[i%3], i)
		ask(text, index.ParseText(text))
	}
	ask("words", index.TextOf([]string{"cache", "nothing"}, []string{strings.ToLower(g.name(1, 2))}))
	for i := 0; i < len(files); i += 17 {
		p := files[i]
		out = append(out, answer{Question: string(p), Size: c.Size(p), Alike: c.Alike(p, 8), Called: c.Called(p, 8)})
	}
	return out
}

// TestGoldenAnswers: the answers about 300 files are those that are recorded, to the noise of
// floating point.
func TestGoldenAnswers(t *testing.T) {
	g, c := newGenerator(300), index.NewContents()
	var files []event.Path
	for i := range 300 {
		p, text := g.file(i)
		c.Set(p, text)
		files = append(files, p)
	}
	for i := 0; i < 300; i += 3 { // saved again
		p, text := g.file(i)
		c.Set(files[i], append(text, "\nfunc savedAgain() {}\n"...))
		_ = p
	}
	c.Remove(files[290:]...)
	got := answers(c, g, files[:290])
	const name = "testdata/answers.json.gz"
	if fault.Update() {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fault.Check(t, json.NewEncoder(z).Encode(got))
		fault.Check(t, z.Close())
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil { // test data
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open(name)
	fault.Check(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	fault.Check(t, err)
	raw, err := io.ReadAll(z)
	fault.Check(t, err)
	var want []answer
	fault.Check(t, json.Unmarshal(raw, &want))
	for i := range want {
		fault.Same(t, want[i].Question, got[i], want[i], cmpopts.EquateApprox(1e-6, 1e-12), cmpopts.EquateEmpty())
	}
}
