package index

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestLinks: imports of both directions, definitions of both directions, paths in texts, names and
// folders, each alone.
func TestLinks(t *testing.T) {
	texts := map[event.Path]string{
		"app/order.py":             "from app.money import Amount\n\ndef settle_order(basket):\n    return convert_currency(basket)\n",
		"app/money.py":             "class Amount:\n    pass\n\ndef convert_currency(x):\n    return x\n",
		"app/web/pay.py":           "from app.order import settle_order\n\nsettle_order(1)\n",
		"checks/test_order.py":     "x = 1\n",
		"checks/order_refunds.py":  "y = 2\n",
		"docs/guide.md":            "The code is in `app/order.py`.\n",
		"docs/other.md":            "Nothing of it.\n",
		"examples/shop/unlike.cfg": "a = 1\n",
	}
	w := World{Tree: NewTree(nil), Contents: NewContents(), Text: func(p event.Path) []byte { return []byte(texts[p]) }}
	for p, text := range texts {
		w.Tree.Add(p)
		w.Contents.Set(p, []byte(text))
	}
	found := w.Links("app/order.py")
	for _, c := range []struct {
		what string
		file event.Path
		is   func(*Link) bool
	}{
		{"it imports a module", "app/money.py", func(l *Link) bool { return l.Imports == 1 }},
		{"it uses a definition", "app/money.py", func(l *Link) bool { return l.Uses >= 1 && l.Used == 0 }},
		{"it lies in a folder of two files", "app/money.py", func(l *Link) bool { return l.Sibling > .7 && l.Sibling < .71 }},
		{"another folder", "app/web/pay.py", func(l *Link) bool { return l.Sibling == 0 }},
		{"it is imported", "app/web/pay.py", func(l *Link) bool { return l.Imports == 1 }},
		{"its definition is used", "app/web/pay.py", func(l *Link) bool { return l.Used > 0 && l.Uses == 0 }},
		{"its path stands in a document", "docs/guide.md", func(l *Link) bool { return l.Path == 1 }},
		{"its name is a part of another", "checks/order_refunds.py", func(l *Link) bool { return l.Stem > .2 && l.Stem < .6 }},
	} {
		if l := found[c.file]; l == nil || !c.is(l) {
			t.Errorf("%s: %s: %+v", c.what, c.file, l)
		}
	}
	for _, p := range []event.Path{"app/order.py", "docs/other.md", "examples/shop/unlike.cfg"} {
		if found[p] != nil {
			t.Errorf("%s: %+v", p, found[p])
		}
	}
	if l := w.Links("docs/guide.md")["app/order.py"]; l == nil || l.Path != 1 {
		t.Errorf("a document names a path: %+v", l)
	}
	w.Tree.Remove("app/money.py")
	if l := w.Links("app/order.py")["app/money.py"]; l != nil {
		t.Errorf("a file that is gone: %+v", l)
	}
}
