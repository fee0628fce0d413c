package index

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestNames: testdata/names.txt has small repositories, and what names mean in them.
func TestNames(t *testing.T) {
	rungs := map[string]Rung{"none": None, "exact": Exact, "root": Root, "below": Below, "end": End, "line": Line, "base": Base,
		"form": Form, "spelling": Spelling}
	var tree *Tree
	for line := range strings.Lines(string(fault.Must(os.ReadFile("testdata/names.txt")))) {
		text, _, _ := strings.Cut(" "+line, " # ")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		for i, w := range words {
			words[i] = strings.TrimPrefix(w, "-")
		}
		name := words[1]
		l := NewLocator(tree, nil, "/repo", "/repo")
		switch what := words[0]; what {
		case "tree":
			tree = NewTree(eventtest.Paths(words[1:]))
		case "also":
			tree.Add(eventtest.Paths(words[1:])...)
		case "find":
			l = NewLocator(tree, nil, path.Join("/repo", words[2]), "/repo")
			found(t, l, name, event.Path(words[3]), rungs[words[4]])
		case "near":
			fault.Same(t, name, fmt.Sprint(l.Near(name, 3)), fmt.Sprint(words[2:]))
		case "files":
			fault.Same(t, what+" "+name, fmt.Sprint((&Locator{Tree: tree}).Files(name)), fmt.Sprint(words[2:]))
		case "module":
			fault.Same(t, what+" "+name, fmt.Sprint(tree.Modules(name)), fmt.Sprint(words[2:]))
		default:
			t.Fatalf("a line that begins with %s", what)
		}
	}
	if p, at := (&Locator{}).Find("a.go", Exact, Spelling); at != None || len((&Locator{}).Near("a.go", 3)) > 0 {
		t.Errorf("without files: %s", p)
	}
	tree = NewTree(eventtest.Paths([]string{"web/server.go", "api/server.go"}))
	if p, _ := NewLocator(tree, nil, "/repo", "/repo").Find("server.go", Exact, End, "/repo/docs", "/repo/web"); p != "web/server.go" {
		t.Errorf("in two folders: %q", p)
	}
}

// found checks that a name means a file on one rung, and on none before it or after it.
func found(t *testing.T, l *Locator, name string, want event.Path, rung Rung) {
	t.Helper()
	if p, at := l.Find(name, Exact, Spelling); p != want || at != rung {
		t.Errorf("%s means %q on rung %d, want %q on %d", name, p, at, want, rung)
	}
	if p, at := l.Find(name, Exact, rung-1); rung > Exact && at != None {
		t.Errorf("%s means %q on rung %d before %d", name, p, at, rung)
	}
	if p, at := l.Find(name, rung+1, Spelling); rung >= Base && at != None && at <= rung {
		t.Errorf("%s means %q on rung %d after %d", name, p, at, rung)
	}
}

// TestWithoutLine: what stands beside the name of a file.
func TestWithoutLine(t *testing.T) {
	for name, want := range map[string]string{"a.go": "a.go", "a.go:12": "a.go", "a.go:12:3": "a.go", "a.go:3: text": "a.go",
		"a.go:func": "a.go", "Makefile:12": "Makefile", "Makefile:all": "Makefile:all", "a.md#part": "a.md", "a.go#L3-L9": "a.go",
		"Foo#bar": "Foo#bar", "HEAD:a.go": "a.go", "HEAD:a.go:12": "a.go", "a::b": "a::b", "x.py::test_a": "x.py::test_a",
		`C:/x/a.go:12`: "C:/x/a.go", "C:/x/a.go": "C:/x/a.go", "": "", ":": ":", "#a": "#a"} {
		fault.Same(t, name, WithoutLine(name), want)
	}
}

// TestNearly: which names are one name misspelled.
func TestNearly(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"basket", "basket", false}, {"basket", "baskets", true}, {"box", "boxes", true}, {"entry", "entries", true},
		{"bo", "bos", false},
		{"box", "bex", false}, {"book", "bock", true}, {"book", "boo", false}, {"books", "boks", true}, {"book",
			"obok", true},
		{"book", "koob", false}, {"page1", "page2", false}, {"part", "parted", false}, {"part", "partes", true}, {"part", "parties", false},
		{"basket", "bxsxet", false}, {"abcdef", "abdcxef", false},
	} {
		if nearly(c.a, c.b) != c.want || nearly(c.b, c.a) != c.want {
			t.Errorf("%s and %s: %v, and %v the other way", c.a, c.b, nearly(c.a, c.b), nearly(c.b, c.a))
		}
	}
}
