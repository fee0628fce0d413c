package event_test

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestSweep(t *testing.T) {
	many := func(n int) (out []event.Path) {
		for i := range n {
			out = append(out, event.Path(fmt.Sprintf("pkg%d/file.go", i)))
		}
		return out
	}
	within := func(folders int) (out []event.Path) {
		for i := range 8 {
			out = append(out, event.Path(fmt.Sprintf("pkg%d/file%d.go", i%folders, i)))
		}
		return out
	}
	pair := []event.Path{"doc/man.go", "doc/man_test.go"}
	for _, c := range []struct {
		subject string
		files   []event.Path
		want    bool
	}{
		{"Update to latest go-md2man", []event.Path{"go.mod", "go.sum"}, false},
		{"Update to latest go-md2man", []event.Path{"go.mod", "go.sum", "doc/man.go"}, false},
		{"chore(deps): bump x from 1 to 2", []event.Path{"requirements-dev.txt", ".github/workflows/test.yml"}, false},
		{"refactor: apply golangci-lint autofixes", many(12), true},
		{"Fix linter", pair, false}, // a small one is work on these files
		{"add missing license headers", many(38), true},
		{"update copyright year (#1927)", many(5), true},
		{"modernize the loops", many(8), true}, {"modernize the loops", many(7), false},
		{"modernize the loops", within(3), true}, {"modernize the loops", within(2), false},
		{"parse the version of a module", many(4), false},
		{"Release 1.2", many(9), false}, // the files of a release belong together,
		{"Use the correct man page section", many(30), false},
		{"", []event.Path{"yarn.lock", "package.json"}, false},
		{"", pair, false},
		{"", nil, false},
		{"Bumpy road: circuits", many(9), false}, // neither "bump" nor "ci"
	} {
		e := event.Commit{Text: c.subject, Paths: c.files}
		fault.Same(t, c.subject+" is a sweep", e.Sweep(), c.want)
	}
}

func TestUpkeep(t *testing.T) {
	for p, want := range map[event.Path]bool{
		"go.mod": true, "web/yarn.lock": true, ".github/workflows/ci.yml": true, "CHANGELOG.md": true, "CHANGES": true, "docs/changes.rst": true,
		"HISTORY.md": true, "requirements-dev.txt": true, "requirements/test.txt": true, "history.go": false, "src/changes.py": false,
		"News.vue": false, "docs/notes.txt": false, "requirements.py": false, "README.md": false,
	} {
		fault.Same(t, string(p)+" is upkeep", p.Upkeep(), want)
	}
}

func TestTopics(t *testing.T) {
	terms := []string{"build", "dep", "bump", "certificate"}
	for _, c := range []struct {
		subject string
		files   []event.Path
		want    []string
	}{
		{"build(deps): bump example.com/certificates from 1 to 2", []event.Path{"go.mod", "go.sum"}, []string{"dep", "bump"}},
		{"Bump certificates", []event.Path{"requirements/test.txt"}, []string{"dep", "bump"}},
		{"build(deps): bump example.com/certificates", []event.Path{"go.mod", "tls.go"}, terms},
		{"chore(deps): bump actions/checkout", []event.Path{".github/workflows/ci.yml"}, terms}, // it says which job uses it
		{"Run go mod tidy", []event.Path{"go.mod"}, terms},
	} {
		e := event.Commit{Text: c.subject, Paths: c.files, Terms: terms}
		fault.Same(t, c.subject, e.Topics(), c.want)
	}
}

func TestPairStem(t *testing.T) {
	for _, c := range []struct {
		a, b event.Path
		want bool
	}{
		{"rank/rank.go", "rank/rank_test.go", true}, {"src/a.ts", "test/a.spec.ts", true}, {"x/a.c", "include/a.h", true},
		{"a/index.ts", "b/index.ts", false}, {"a/doc.go", "b/doc.go", false}, {"README.md", "docs/README.md", false},
		{"a/__init__.py", "b/__init__.py", false}, {"a/mod.rs", "b/mod.rs", false}, {"a/utils.py", "b/utils.py", false},
		{"a/utils.py", "a/test_utils.py", true}, {"a/utils.py", "b/test_utils.py", false}, {"a/index.ts", "a/index.test.ts",
			true},
		{"a/x.go", "a/y.go", false},
	} {
		fault.Same(t, fmt.Sprintf("%s and %s are a pair", c.a, c.b), c.a.PairStem() == c.b.PairStem(), c.want)
	}
}
