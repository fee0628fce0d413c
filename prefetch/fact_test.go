package prefetch

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestRescue(t *testing.T) {
	r := Rescuer{
		Tree: index.NewTree([]event.Path{"cmd/app/main.go", "internal/api/server.go", "internal/mcp/server.go",
			"web/src/App.tsx", "web/src/ui/index.ts",
			"web/src/ui/button.tsx", "docs/Guide.md", "pkg/one/only.go", "new/name.go", "a/rank/rank.go", "a/rank/rank_test.go", "a/rank/other.go",
			"pkg/id/short.go", "pkg/id/short_test.go", "pkg/many/a.go", "pkg/many/b.go", ".env.example", "deploy/compose.yml", "deploy/run.sh",
			"tools/ext/util.ts", "README.md", "docs/api.md", ".eslintrc.js", "lib/point.c", "lib/point.h", "lib/Makefile",
			"py/models/user.py", "py/tools/__init__.py", "py/basket.py", "py/report1.py", "py/report2.py", "rs/pool/mod.rs", "rs/queue.rs",
			"web/forms/index.tsx", "web/wizard.tsx", "docs/setup.rst", "py/query.py", "py/jar.py", "py/views.py", "py/entries.py"}),
		Renamed: func(p event.Path) (event.Path, bool) {
			to, ok := map[event.Path]event.Path{"old/name.go": "new/name.go", "old/gone.go": "nowhere.go"}[p]
			return to, ok
		},
	}
	for _, c := range []struct {
		wrong event.Path
		why   string
		want  event.Path
	}{
		{"app/main.go", "missing", "cmd/app/main.go"},                       // the only one of that name
		{"src/internal/api/server.go", "missing", "internal/api/server.go"}, // the nearer of two
		{"server.go", "missing", ""},                                        // which of two?
		{"web/src/App.js", "missing", "web/src/App.tsx"},                    // another extension
		{"docs/guide.md", "missing", "docs/Guide.md"},                       // another case
		{"deploy/compose.yaml", "missing", "deploy/compose.yml"},            // another extension of the same language
		{"lib/point.hpp", "missing", "lib/point.h"},                         // a header, not the source
		// the only one, of a name that any folder may have
		{"src/util.ts", "missing", ""},
		{"src/ext/util.ts", "missing", "tools/ext/util.ts"}, // and of the same folder
		{"tools/util.ts", "missing", ""}, {"tools/ext/deep/util.ts", "missing", "tools/ext/util.ts"},
		{"documentation/README.md", "missing", "README.md"}, // at the root
		{".env.staging", "missing", ""},                     // not .env.example
		{".eslintrc.cjs", "missing", ""},                    // a dotfile
		{".env", "missing", ""}, {"deploy/run.py", "missing", ""}, {"docs/api.json", "missing", ""}, {"deploy/compose",
			"missing", ""},
		{"py/model/user.py", "missing", "py/models/user.py"}, {"py/baskt.py", "missing", "py/basket.py"}, // one letter
		{"py/bakset.py", "missing", "py/basket.py"}, {"py/baskets.py", "missing", "py/basket.py"},
		{"py/view.py", "missing", "py/views.py"}, {"py/entry.py", "missing", "py/entries.py"},
		{"py/report3.py", "missing", ""}, {"py/report.py", "missing", ""}, {"py/bar.py", "missing", ""}, {"py/car.py", "missing", ""},
		{"py/basket.go", "missing", ""}, {"py/queue.py", "missing", ""}, // another language, another word
		{"py/tools.py", "missing", "py/tools/__init__.py"}, {"rs/pool.rs", "missing", "rs/pool/mod.rs"}, // a module as a folder
		{"rs/queue/mod.rs", "missing", "rs/queue.rs"}, {"web/forms.ts", "missing", "web/forms/index.tsx"},
		{"web/wizard/index.tsx", "missing", "web/wizard.tsx"}, {"docs/setup.md", "missing", "docs/setup.rst"},
		{"internol/mcp/server.go", "missing", "internal/mcp/server.go"}, {"cnd/app/main.go", "missing", "cmd/app/main.go"},
		{"wib/wizard.tsx", "missing", "web/wizard.tsx"}, {"pkgs/one/only.go", "missing", "pkg/one/only.go"},
		{"lib/src/wizard.jsx", "missing", "web/wizard.tsx"}, // the only one of that name, in another form
		{"old/name.go", "missing", "new/name.go"},           // renamed
		{"old/gone.go", "missing", ""},                      // renamed, then gone
		{"web/src/ui", "isdir", "web/src/ui/index.ts"},      // the folder's entrance
		{"pkg/one", "isdir", "pkg/one/only.go"},             // its only file
		{"a/rank", "isdir", "a/rank/rank.go"},               // named like it
		{"web/src", "isdir", "web/src/App.tsx"},             // its only file, folders aside
		{"pkg/id", "isdir", "pkg/id/short.go"},              // its only file, tests aside
		{"pkg/many", "isdir", ""},                           // which of two?
		{"cmd/app/main.go", "missing", ""},                  // it exists: something else is wrong
		{"nothing.xyz", "missing", ""}, {"app/main.go", "denied", ""}, {"", "missing", ""},
	} {
		s, ok := r.Rescue(c.wrong, event.Failure(c.why))
		if s.File != c.want || ok != (c.want != "") {
			t.Errorf("%s (%s): got %q, want %q", c.wrong, c.why, s.File, c.want)
		}
		if ok && (!strings.Contains(s.Reasons[0].Text, c.wrong.Display()) || s.Reasons[0].With != c.wrong || s.Reasons[0].Value != 1 ||
			s.Reasons[0].Weight != 1 || s.Score != 1) {
			t.Errorf("%s: the reason does not say what was wrong: %s", c.wrong, s.Reasons[0].Text)
		}
	}
}

// TestDistantNames: of a path in a folder that does not exist, one name may be misspelled, and not
// two.
func TestDistantNames(t *testing.T) {
	for wrong, want := range map[event.Path]event.Path{"serverr/parser/table.go": "server/parser/table.go",
		"server/parsel/table.go": "server/parser/table.go", "serverr/parsel/table.go": "", "server/table.go": ""} {
		files := []event.Path{"server/parser/table.go", "other/table.go", "third/one/table.go"}
		f, _ := (&index.Locator{Tree: index.NewTree(files)}).Find(string(wrong), index.Spelling, index.Spelling)
		fault.Same(t, string(wrong), f, want)
	}
}

// TestRescueMisspelled guesses paths of this repository wrong, in the ways in which agents do. A
// wrong answer is worse than none.
func TestRescueMisspelled(t *testing.T) {
	var files []event.Path
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if rel, ok := strings.CutPrefix(filepath.ToSlash(name), "../"); ok && err == nil && d.Type().IsRegular() &&
			!strings.HasPrefix(rel, ".git/") {
			files = append(files, event.Path(rel))
		}
		return err
	})
	if err != nil || len(files) < 500 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	r := Rescuer{Tree: index.NewTree(files)}
	right, wrong, silent := 0, 0, 0
	for i, f := range files {
		dir, base := f.Dir(), f.Base()
		trunk := strings.TrimSuffix(base, path.Ext(base))
		at := 1 + i%max(1, len(trunk)-2) // a letter within the name
		for _, guess := range []string{"src/" + string(f), strings.TrimPrefix(string(f), strings.SplitN(string(f), "/", 2)[0]+"/"),
			path.Join(dir, base[:at]+base[min(at+1, len(base)):]), path.Join(dir, base[:at]+"x"+base[at:]),
			path.Join(path.Dir(dir), base), path.Join(dir+"s", base), path.Join(dir, strings.ToUpper(base[:1])+base[1:]),
			path.Join(dir, trunk+"s"+path.Ext(base)), path.Join("internal", dir, base)} {
			p := event.Path(guess)
			if r.Tree.Has(p) {
				continue
			}
			switch s, ok := r.Rescue(p, event.FailMissing); {
			case !ok:
				silent++
			case s.File == f:
				right++
			default:
				wrong++
				if wrong%20 == 0 {
					t.Logf("%s for %s: %s", p, f, s.File)
				}
			}
		}
	}
	t.Logf("%d right, %d wrong, %d silent", right, wrong, silent)
	if 100*wrong > right+wrong+silent || 2*right < right+wrong+silent {
		t.Errorf("%d right, %d wrong, %d silent", right, wrong, silent)
	}
}
