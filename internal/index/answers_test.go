package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// shop is a small repository in which words, names and calls lead from file to file.
var shop = map[event.Path]string{
	"README.md":            "# Shop\n\nThe shop computes the total of a basket, see docs/tax.md.\n",
	"docs/tax.md":          "# Tax\n\nThe rate of a country is looked up once, by lookupRate.\n",
	"basket/basket.go":     "// Package basket adds up prices.\npackage basket\n\n// Total is the price of a basket.\nfunc Total(b Basket) Money { return addTax(sumPrices(b), lookupRate(b.Country)) }\n",
	"basket/prices.go":     "package basket\n\n// sumPrices adds the prices of all items.\nfunc sumPrices(b Basket) Money { return b.Items.Sum() }\n",
	"basket/total_test.go": "package basket\n\nfunc TestTotal(t *testing.T) { check(t, Total(someBasket) == 12) }\n",
	"tax/rate.go":          "package tax\n\n// lookupRate finds the tax rate of a country in the table of rates.\nfunc lookupRate(country string) float64 { return rateTable[country] }\n",
	"tax/rate_test.go":     "package tax\n\nfunc TestLookupRate(t *testing.T) { check(t, lookupRate(\"DE\") > 0) }\n",
	"tax/table.go":         "package tax\n\nvar rateTable = map[string]float64{\"DE\": .19} // of each country\n",
	"tax/rounding.py":      "def add_tax(price, rate):\n    # rounds half up\n    return round_half(price * rate)\n",
	"web/handler.ts":       "export function showBasket(r) { render(total(loadBasket(r))) }\n",
	"web/session.ts":       "// keeps a basket between requests\nexport function loadBasket(r) { return r.session.basket }\n",
	"rates.json":           "{\"DE\": 0.19, \"FR\": 0.2}\n",
}

// TestAnswers compares what an index answers with a golden file, after files were saved again and
// went.
func TestAnswers(t *testing.T) {
	c := NewContents()
	c.Set("gone.go", []byte("package gone\n\nfunc lookupRate() {}\n"))
	c.Set("tax/rate.go", []byte("package tax\n\nfunc renamedSince() {}\n"))
	for f, text := range shop {
		c.Set(f, []byte(text))
	}
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
	for _, f := range append(slices.Sorted(maps.Keys(shop)), "gone.go") {
		fmt.Fprintf(&b, "%s has %v words, is like%s, calls%s\n", f, c.Size(f), hits(c.Alike(f, 5)), hits(c.Called(f, 5)))
	}
	fault.Golden(t, "testdata/answers.golden", b.String())
}
