package index_test

import (
	"math"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestParseText(t *testing.T) {
	got := index.ParseText("\n# `tmpdir` fails in getUser() with caches\n<!-- a template\nof two lines -->\n**Describe the bug**\n" +
		"The `tmp_path_factory` uses os.path.join and self.cache_dir; see src/_pytest/tmpdir.py:12 and a::b::c, and/or Makefile.\n" +
		"Use --no-color (or \"foo\"). https://github.com/o/r/blob/main/lib/a.rb#L3 and https://x.org/b.py\n" +
		"```python\ndef f(x):\n    return maxItems[x]\n```\n- OS: Mac\nPython version: 3.8.2\nnumpy==1.21.0\npytest      6.2\n" +
		"- [x] I have searched\nSigned-off-by: A <a@b.c>\n")
	want := index.Text{
		Title: []index.Count{{"cach", 1}, {"fail", 1}, {"get", 1}, {"tmpdir", 1}, {"user", 1}},
		Body:  got.Body, Pairs: got.Pairs, Words: got.Words,
		Identifiers: []string{"tmpdir", "getuser", "tmppathfactory", "path", "join", "cachedir", "nocolor", "maxitems"},

		TitleIdentifiers: []string{"tmpdir", "getuser"},
		Frames:           []string{"src/_pytest/tmpdir.py"},
		Dotted:           []string{"os.path.join", "a::b::c", "and/or"},
		Paths:            []string{"src/_pytest/tmpdir.py", "Makefile", "lib/a.rb"},
	}
	fault.Same(t, "text", got, want)
	var words []string
	for _, c := range got.Body {
		words = append(words, c.Stem)
	}
	if got := strings.Join(words, " "); strings.Contains(got, "template") || strings.Contains(got, "mac") ||
		strings.Contains(got, "numpy") || strings.Contains(got, "search") {
		t.Errorf("boilerplate is in the words: %s", got)
	}
	for text, want := range map[string]int{"Upgrade pip to 20.3": 2, "python: fix caches": 3, "No": 0,
		"### Description\nfix caches": 2,
		"Summary\n":                   1, "Bump actions/checkout 4.1.0": 3, "Node 18.2.0": 1,
		"panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.open()": 2, "Traceback (most recent call last):\nKeyError: a": 2} {
		if p := index.ParseText(text); len(p.Title) != want {
			t.Errorf("the title of %q is %v", text, p.Title)
		}
	}
	if p := index.ParseText(strings.Repeat("日本語 ", 1<<20)); p.Words == 0 {
		t.Error("a long text has no words")
	}
}

func TestFrames(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"python": {"Traceback (most recent call last):\n  File \"/home/a/b.py\", line 3, in main\n    run()\n  File \"c.py\", line 4, in <module>\n    x\nKeyError: 1\n",
			"c.py, /home/a/b.py"},
		"chained": {"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n  File \"b.py\", line 2, in g\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"c.py\", line 3, in h\n",
			"b.py, a.py, c.py"},
		"ipython":   {"File ~/code/seaborn/_core/plot.py:265, in Plot._repr_png_(self)\n    263 def\n--> 265     x\n\nFile ~/code/seaborn/_stats/regression.py:41, in PolyFit.__call__(self)\n", "~/code/seaborn/_stats/regression.py, ~/code/seaborn/_core/plot.py"},
		"ipython 7": {"~/lib/a.py in run(self)\n----> 3 x\n", "~/lib/a.py"},
		"notebook":  {"[c:\\x\\a.py](file:///C:/x/a.py) in run(data, hue)\n", "c:/x/a.py"},
		"pytest":    {"tests/x.py:12: \n_ _ _\nsrc/a.py:30: ValueError\n", "src/a.py, tests/x.py"},
		"pytest short": {"tests/x.py:12: in test_a\n    f()\nsrc/a.py:30: in f\n    g()\nE   ValueError\nFAILED tests/x.py::TestA::test_a - ValueError\n",
			"src/a.py, tests/x.py, tests/x.py"},
		"go": {"panic: x\n\ngoroutine 1 [running]:\nmain.(*Store).Open(0xc000, 0x1)\n\t/home/me/x/store.go:12 +0x1d\nmain.main()\n\t/home/me/x/main.go:5 +0x20\n",
			"/home/me/x/store.go, /home/me/x/main.go"},
		"go build": {"./x.go:12:3: undefined: Foo\n--- FAIL: TestOpen (0.00s)\n    store_test.go:33: got 1\n",
			"x.go, , store_test.go"},
		"node": {"TypeError: x\n    at Object.parse (/app/lib/parse.js:10:5)\n    at async run (file:///app/index.mjs:3:1)\n    at /app/a.ts:7:9\n",
			"/app/lib/parse.js, /app/index.mjs, /app/a.ts"},
		"tsc":     {"src/a.ts(3,4): error TS2304: x\nsrc/b.ts:5:6 - error TS1\n", "src/a.ts, src/b.ts"},
		"firefox": {"parse@http://localhost:3000/src/parse.js:10:5\n", "/src/parse.js"},
		"rust": {"error[E0425]: x\n  --> src/lib.rs:10:5\nthread 'main' panicked at src/main.rs:3:4:\n   2: foo::bar\n             at ./src/bar.rs:9:1\n",
			"src/lib.rs, src/main.rs, src/bar.rs"},
		"java": {"java.lang.X: y\n\tat com.foo.Bar.run(Bar.java:12)\n\tat app//com.foo.Main.main(Main.kt:3)\nCaused by: z\n\tat com.foo.Baz$1.<init>(Baz.java:1)\n",
			"com/foo/Bar.java, com/foo/Main.kt, com/foo/Baz.java"},
		"kotlin": {"e: /a/b.kt: (12, 3): Unresolved\n", "/a/b.kt"},
		"c": {"src/x.c:12:3: error: y\n#0  0x00 in foo (a=1) at src/y.c:5\n#1  main () at z.c:7\n",
			"src/x.c, src/y.c, z.c"},
		"csharp": {"   at A.B.Run(Int32 a) in C:\\src\\B.cs:line 12\n   at A.Main() in /x/A.cs:line 3\n",
			"C:/src/B.cs, /x/A.cs"},
		"ruby":  {"lib/a.rb:3:in `run': x (E)\n\tfrom lib/b.rb:4:in 'Foo#call'\nrspec ./spec/a_spec.rb:12 # x\n", "lib/a.rb, lib/b.rb, spec/a_spec.rb"},
		"php":   {"PHP Fatal error: x in /a/b.php on line 3\n#0 /a/c.php(12): Foo->bar(1)\n", "/a/b.php, /a/c.php"},
		"swift": {"Sources/A.swift:12:3: error: y\nFatal error: z: file B.swift, line 4\n", "Sources/A.swift, B.swift"},
		"none":  {"at noon: 3:4, ratio 1:2, http://a.b:80/x (v1.2:3)\n", ""},
	} {
		fault.Same(t, name, strings.Join(index.ParseText(c.text).Frames, ", "), c.want)
	}
}

func TestFilesAndModules(t *testing.T) {
	tree := index.NewTree(eventtest.Paths(strings.Fields(`sphinx/ext/autodoc/__init__.py sphinx/ext/autodoc/mock.py tests/test_ext_autodoc.py setup.py src/a/b.rs
		src/m/mod.rs core/src/main/java/com/foo/Bar.java core/src/test/java/com/foo/BarTest.java src/requests/sessions.py web/index.ts
		a/index.ts b/index.ts c/index.ts d/index.ts lib/x/y.js docs/conf.py tests/conf.py rank/rank.go rank/rank_test.go package.json packages/ui/lib/y.js
		config/config.go lib/polynomial.py`)))
	for name, want := range map[string]string{
		"sphinx/ext/autodoc/mock.py": "sphinx/ext/autodoc/mock.py", "mock.py": "sphinx/ext/autodoc/mock.py",
		"/usr/lib/python3/site-packages/sphinx/ext/autodoc/__init__.py": "sphinx/ext/autodoc/__init__.py",
		"/env/site-packages/numpy/lib/polynomial.py":                    "",
		"/env/site-packages/requests/sessions.py":                       "src/requests/sessions.py",
		"/usr/lib/python3.8/json/conf.py":                               "",
		"/usr/lib/python9.1/x/rank/rank.go":                             "",
		"/usr/lib/python0.9/x/rank/rank.go":                             "",
		"/usr/lib/pythonic/x/rank/rank.go":                              "rank/rank.go",
		"/home/me/fork/src/requests/sessions.py":                        "src/requests/sessions.py",
		"/home/me/fork/setup.py":                                        "setup.py", "b/setup.py": "setup.py", "x/package.json": "", "node_modules/x/package.json": "",
		"index.ts": "", "a/index.ts": "a/index.ts", "conf.py": "docs/conf.py tests/conf.py", "../rank/rank.go": "rank/rank.go", `C:\me\rank\rank.go`: "rank/rank.go",
		"com/foo/Bar.java": "core/src/main/java/com/foo/Bar.java", "y.js": "lib/x/y.js packages/ui/lib/y.js", "node_modules/ui/lib/y.js": "packages/ui/lib/y.js",
		"nowhere.go": "", "": "", "/": "",
	} {
		fault.Same(t, "files named "+name, strings.Join(event.Strings((&index.Locator{Tree: tree}).Files(name)), " "), want)
	}
	for name, want := range map[string]string{
		"sphinx.ext.autodoc.Documenter": "sphinx/ext/autodoc/__init__.py", "sphinx.ext.autodoc.mock": "sphinx/ext/autodoc/mock.py",
		"com.foo.Bar.run": "core/src/main/java/com/foo/Bar.java", "crate::a::b::f": "src/a/b.rs", "crate::m": "src/m/mod.rs",
		"requests.sessions.Session": "src/requests/sessions.py", "rank.Score": "rank/rank.go", "lib/x/y": "lib/x/y.js", "os.path": "", "": "", "...": "",
		"foo#bar": "", "config.Load": "config/config.go",
	} {
		fault.Same(t, "module "+name, strings.Join(event.Strings(tree.Modules(name)), " "), want)
	}
}

// FuzzParseText: in any text the lists are bounded, and all names can be resolved.
func FuzzParseText(f *testing.F) {
	for _, text := range []string{"File \"a.py\", line 3, in f\n", "\tx.go:1 +0x1\n", "at a.b.C.m(C.java:12)", "<!-- ", "`x` --a-b a::b C:\\x.cs:3 HEAD:a.go a.go:", "```\n#0 x at y.c:1",
		"a->b $x.y() https://a/blob/b/c", "\xff:\xff.py:1", "99999999999999999999.go:99999999999999999999"} {
		f.Add(text)
	}
	tree := index.NewTree([]event.Path{"a/b/c.go", "a/__init__.py", "x.py"})
	f.Fuzz(func(t *testing.T, text string) {
		p := index.ParseText(text)
		for _, list := range [][]string{p.Identifiers, p.TitleIdentifiers, p.Dotted, p.Paths} {
			if len(list) > 512 {
				t.Fatalf("%d entries", len(list))
			}
			for _, name := range list {
				if name == "" || len((&index.Locator{Tree: tree}).Files(name)) > 3 || len(tree.Modules(name)) > 3 {
					t.Fatalf("%q names %q", text, name)
				}
			}
		}
		for i := range p.Body {
			if p.Body[i].N < 1 || i > 0 && p.Body[i-1].Stem >= p.Body[i].Stem {
				t.Fatalf("words of %q: %v", text, p.Body)
			}
		}
	})
}

func TestPhrases(t *testing.T) {
	text := index.ParseText("config: parse the retry budget\n\nkeep comments")
	want := [][2]string{{"config", "parse"}, {"parse", "retr"}, {"retr", "budget"}, {"keep", "comment"}}
	fault.Same(t, "pairs", text.Pairs, want)
	values := text.Phrases([][]byte{
		[]byte("budget := retry\n"), // in the other order
		[]byte("func retryBudgets() {}\n"),
		[]byte("retry\nbudget\n"), // in two lines
		[]byte("// the retry of a budget, and retry_budget again\nkeepComments(x)\n"),
		nil,
	})
	one, two := math.Log1p(5), math.Log1p(5./2)/math.Sqrt2
	for i, want := range []float64{0, two, 0, two + one, 0} {
		if math.Abs(values[i]-want) > 1e-12 {
			t.Errorf("file %d: %v, want %v", i, values[i], want)
		}
	}
	fault.Same(t, "a text without pairs", (index.Text{}).Phrases(make([][]byte, 2)), []float64{0, 0})
}

func TestScope(t *testing.T) {
	for title, want := range map[string]string{
		"fix(parser): keep comments": "parse", "feat(http/server)!: close": "http serv", "[lsp] complete names": "lsp",
		"net/http, tls: refuse old versions": "http net tls", "caddyhttp: Fix a panic": "caddyhttp", "\n  rt: wake once\n\nbody: text": "rt",
		"fix: keep comments": "", "[Feature] more": "", "Keep comments": "", "See https://x.org": "", "one two three four: text": "",
	} {
		var words []string
		for _, w := range index.ParseText(title).Scope {
			words = append(words, w.Stem)
		}
		fault.Same(t, title, strings.Join(words, " "), want)
	}
}
