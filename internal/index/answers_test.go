package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestAnswers compares what an index answers with a golden file, after files were saved again and
// went.
func TestAnswers(t *testing.T) {
	c := NewContents()
	c.Set("gone.go", []byte("package gone\n\nfunc lookupRate() {}\n"))
	c.Set("tax/rate.go", []byte("package tax\n\nfunc renamedSince() {}\n"))
	var files []event.Path
	for _, f := range fault.Must(txtar.ParseFile("testdata/shop.txtar")).Files {
		files = append(files, event.Path(f.Name))
		c.Set(event.Path(f.Name), f.Data)
	}
	slices.Sort(files)
	c.Remove("gone.go", "never/there.go")
	var b strings.Builder
	values := func(all [Aspects]float64) (out string) {
		for _, v := range all {
			out += fmt.Sprintf(" %.4g", v)
		}
		return out
	}
	for _, text := range []string{"the tax rate of a country", "fix(tax): the rate is looked up twice", "lookupRate",
		"Total is wrong\n\nThe basket of web/session.ts has prices that sumPrices adds twice.\n\n  File \"tax/rounding.py\", line 3",
		"test the rate", "nothing of it", ""} {
		fmt.Fprintf(&b, "# %q\n", text)
		asked := ParseText(text)
		fits := c.Match(asked)
		slices.SortFunc(fits, func(x, y Fit) int { return strings.Compare(string(x.Path), string(y.Path)) })
		for _, f := range fits {
			fmt.Fprintf(&b, "%s (%v) said %q\n\tshare%s\n\tplace%s\n\tcover %.4g\n", f.Path, f.Kind, f.Words, values(f.Share),
				values(f.Place), c.Cover(f.Path, asked))
		}
	}
	hits := func(all []Hit) (out string) {
		for _, h := range all {
			out += fmt.Sprintf(" %s %.4g", h.Path, h.Weight)
		}
		return out
	}
	for _, f := range append(files, "gone.go") {
		fmt.Fprintf(&b, "%s has %v words, is like%s, calls%s\n", f, c.Size(f), hits(c.Alike(f, 5)), hits(c.Called(f, 5)))
	}
	fault.Golden(t, "testdata/answers.golden", b.String())
}

// TestLinks: imports of both directions, definitions of both directions, paths in texts, names and
// folders, each alone, before and after a file has gone.
func TestLinks(t *testing.T) {
	texts := map[event.Path][]byte{}
	w := World{Tree: NewTree(nil), Contents: NewContents(), Text: func(p event.Path) []byte { return texts[p] }}
	for _, f := range fault.Must(txtar.ParseFile("testdata/links.txtar")).Files {
		p := event.Path(f.Name)
		texts[p] = f.Data
		w.Tree.Add(p)
		w.Contents.Set(p, f.Data)
	}
	var b strings.Builder
	links := func(of event.Path) {
		found := w.Links(of)
		for _, p := range slices.Sorted(maps.Keys(found)) {
			fmt.Fprintf(&b, "%s to %s %.4g\n", of, p, *found[p])
		}
	}
	links("app/order.py")
	links("docs/guide.md")
	w.Tree.Remove("app/money.py")
	links("app/order.py")
	fault.Golden(t, "testdata/links.golden", b.String())
}
