package index

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// ladder are the files of the tests of names: a Rust workspace beside some programs.
var ladder = eventtest.Paths(strings.Fields(`axum/src/routing/mod.rs axum/src/routing/method_filter.rs
	axum/src/extract/mod.rs axum/src/handler/mod.rs axum/src/lib.rs web/server.go web/api/handler.go api/server.go api/handler.go
	cmd/aoa/main.go server/wire.go docs/protocol.md docs/README.md Makefile package.json py/models/user.py rs/queue.rs
	vendored/x/page.go tests/x.py`))

// TestFind: each rung of the ladder, from a folder of the repository.
func TestFind(t *testing.T) {
	tree := NewTree(ladder)
	for _, c := range []struct {
		name, from string
		want       event.Path
		at         Rung
	}{
		{"server.go", "web", "web/server.go", Exact},
		{"./api/handler.go", "web", "web/api/handler.go", Exact}, // the shell means this one
		{"/repo/api/handler.go", "web", "api/handler.go", Exact},
		{"server/wire.go", "web", "server/wire.go", Root},
		{"../web/server.go", "", "web/server.go", Root},
		{"handler.go", "web", "web/api/handler.go", Below},
		{"handler.go", "docs", "", None}, // which of two?
		{"routing/mod.rs", "", "axum/src/routing/mod.rs", End},
		{"main.go", "docs", "cmd/aoa/main.go", End},
		{"work/Makefile", "", "Makefile", Base},    // the only one
		{"repo/Makefile", "docs", "Makefile", End}, // the folder that the repository lies in
		{"wire.go:12", "", "server/wire.go", Line}, {"server/wire.go:12:3", "docs", "server/wire.go", Line},
		{"wire.go:12-20", "", "server/wire.go", Line}, {"wire.go#L12", "", "server/wire.go", Line},
		{"tests/x.py::test_a", "", "tests/x.py", Line}, {"Makefile:all", "", "Makefile", Line},
		{"HEAD:server/wire.go", "docs", "server/wire.go", Line}, {"routing/mod.rs:7", "", "axum/src/routing/mod.rs", Line},
		{"lost/wire.go", "", "server/wire.go", Base},
		{"lost/wire.go:7", "", "server/wire.go", Base},
		{"old/routing/mod.rs", "", "axum/src/routing/mod.rs", Base}, // it shares more than all others
		{"old/mod.rs", "", "", None},
		{"Server/Wire.go", "", "server/wire.go", Form},
		{"rs/queue/mod.rs", "", "rs/queue.rs", Form}, {"docs/protocol.rst", "", "docs/protocol.md", Form},
		{"axum/src/routng/mod.rs", "", "axum/src/routing/mod.rs", Spelling},
		{"axum/src/routng/mod.rs:40", "", "axum/src/routing/mod.rs", Spelling},
		{"routng/mod.rs", "axum/src", "axum/src/routing/mod.rs", Spelling},
		{"servr/wire.go", "", "server/wire.go", Base}, {"server/wires.go", "", "server/wire.go", Spelling},
		{"nofile.rs", "", "", None}, {"axum/src/routing/nofile.rs", "", "", None},
		{"node_modules/x/package.json", "", "", None}, // of a package that is installed
		{"/elsewhere/server/wire.go", "", "", None}, {"", "", "", None}, {"..", "", "", None}, {".", "web", "", None},
	} {
		l := NewLocator(tree, nil, path.Join("/repo", c.from), "/repo")
		if p, at := l.Find(c.name, Exact, Spelling); p != c.want || at != c.at {
			t.Errorf("%s from %q means %q on rung %d, want %q on %d", c.name, c.from, p, at, c.want, c.at)
		}
		if p, at := l.Find(c.name, Exact, c.at-1); c.at > Exact && at != None {
			t.Errorf("%s means %q on rung %d before %d", c.name, p, at, c.at)
		}
		if p, at := l.Find(c.name, c.at+1, Spelling); c.at >= Base && at != None && at <= c.at {
			t.Errorf("%s means %q on rung %d after %d", c.name, p, at, c.at)
		}
	}
	if p, at := (&Locator{}).Find("a.go", Exact, Spelling); at != None {
		t.Errorf("without files: %s", p)
	}
	if p, _ := NewLocator(tree, nil, "/repo", "/repo").Find("server.go", Exact, End, "/repo/docs", "/repo/web"); p != "web/server.go" {
		t.Errorf("in two folders: %q", p)
	}
}

// TestNear: what an unknown name is answered with.
func TestNear(t *testing.T) {
	l := NewLocator(NewTree(append(ladder, "src/report1.py", "src/report2.py", "src/Makefile.am")), nil, "/repo", "/repo")
	for name, want := range map[string]string{
		"axum/src/routng/mod.rs": "[axum/src/routing/mod.rs]", "mkae/wire": "[]", "routng/mod.rs": "[axum/src/routing/mod.rs]",
		"nofile.rs": "[]", "protocl": "[docs/protocol.md]", "login": "[]", "sevrer/wire.go": "[server/wire.go]",
		"old/mod.rs":      "[axum/src/extract/mod.rs axum/src/handler/mod.rs axum/src/routing/mod.rs]",
		"server/WIRES.go": "[server/wire.go]", "src/report3.py": "[src/report1.py src/report2.py]", "neww.go:3": "[]",
		"server/wire.go": "[]", "wire.go": "[server/wire.go]", "/elsewhere/wire.go": "[]", "mak": "[]", "wires.go:12": "[server/wire.go]",
		"axum/src/ruotnig/mod.rs": "[axum/src/extract/mod.rs axum/src/handler/mod.rs axum/src/routing/mod.rs]", // too many slips
	} {
		fault.Same(t, name, fmt.Sprint(l.Near(name, 3)), want)
	}
	fault.Same(t, "no files", len((&Locator{}).Near("a.go", 3)), 0)
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
