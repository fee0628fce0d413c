package watcher

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

func TestIgnored(t *testing.T) {
	g := repotest.New(t)
	g.Write("global", "*.global\n")
	g.Git("config", "core.excludesFile", filepath.Join(g.Dir, "global"))
	g.Write(".gitignore", "*.log\nbuild/\n")
	g.Write("sub/.gitignore", "!keep.log\n")
	g.Write(".git/info/exclude", "private.txt\n")
	g.Write(".aoaignore", "secret/\n*.pem\n!ok.pem\n!vendor/ours/\n!kept.pb.go\ngen/\n")
	g.Write("sub/x.go", "x")
	ignored := []event.Path{"x.log", "sub/y.log", "build/a.go", "deep/build/a/b.go", "private.txt", "a.global",
		"secret/k.go", "certs/a.pem", "gen/a.go", "vendor/x/y.go", "node_modules/x/index.js", "web/app.min.js",
		"go.sum", "sub/package-lock.json", "rpc/a.pb.go", "k8s/zz_generated.deepcopy.go", ".yarn/releases/yarn.js"}
	kept := []event.Path{"x.go", "sub/keep.log", "certs/ok.pem", "vendor/ours/z.go", "sub/kept.pb.go", "vendored.go",
		"distance/x.go", "go.mod", ".yarnrc"}
	r := open(g)
	for _, p := range ignored {
		if !r.Ignored(p) {
			t.Errorf("%s should be ignored", p)
		}
	}
	for _, p := range kept {
		if r.Ignored(p) {
			t.Errorf("%s should be kept", p)
		}
	}
	if !r.ignoredDir("build") || !r.ignoredDir("a/node_modules") || r.ignoredDir("sub") || r.ignoredDir("vendor/ours") {
		t.Error("folders")
	}
	if r.Excluded("x.log") || !r.Excluded("gen/a.go") {
		t.Error("a tracked log file is a file; a generated one is not")
	}
	g.Write(".gitignore", "")
	if !r.Ignored("x.log") {
		t.Error("rules are cached until loadRules")
	}
	if r.loadRules(); r.Ignored("x.log") {
		t.Error("after loadRules the new rules hold")
	}
}

func TestFiles(t *testing.T) {
	g := repotest.New(t)
	g.Write(".gitignore", "*.log\n")
	g.Write("forced.log", "tracked in spite of the rule")
	g.Git("add", "-f", "forced.log")
	g.Commit("first", "a.go", "gone.go", "vendor/v.go", "go.sum", "x/_.go")
	fault.Check(t, os.Remove(filepath.Join(g.Dir, "gone.go")))
	g.Write("new.go", "n")
	g.Write("ignored.log", "n")
	g.Write("x/new/y.go", "n")
	inner := g.At(filepath.Join(g.Dir, "inner"))
	fault.Check(t, os.Mkdir(inner.Dir, 0o755))
	inner.Git("init", "-q")
	inner.Write("theirs.go", "t")
	want := []event.Path{".gitignore", "a.go", "forced.log", "new.go", "x/_.go", "x/new/y.go"}
	r := open(g)
	if !r.Ignored("inner/theirs.go") || !r.ignoredDir("inner") || r.Ignored("x/new/y.go") {
		t.Error("a repository inside the repository is opaque, a new folder is not")
	}
	if got, err := r.Files(context.Background()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	tracked := []event.Path{".gitignore", "a.go", "forced.log", "gone.go", "x/_.go"}
	if got, err := r.Tracked(context.Background()); err != nil || !slices.Equal(got, tracked) {
		t.Errorf("tracked: %q %v, want %q", got, err, tracked)
	}
}

// ruleParts are parts of patterns, treeNames are names of files and folders that they may match.
var (
	ruleParts = []string{"a", "b", "ab", "x.c", "x.o", "ba", "*", "**", "?", "[ab]", "[!a]", "[^b]*", "*.o", "a*", "**/a",
		"a/**", `\a`,
		`*\.c`, "a**", "***", "**a", "*a*b", "[[:alpha:]]", "[[:upper:]]", "[[:digit:]", "[a-", "x.[a-c]", "[]]", "[!]]", "[]-a]", "[--a]",
		`[\]]`, "b ", `b\ `, "!a", `\!a`, "#a", `\#a`, "A", "ünï", "ÜNÏ", "ün?", "AB", "[A-Z]*", "*B", `\A`, "a\tb", `\`, `a\`, "..", "."}
	treeNames = []string{"a", "b", "ab", "x.c", "x.o", "ba", "abc", "]", "-", "A", "#a", "!a", "b ", "b", "ünï", "ÜnÏ",
		"a\tb", "aXb", "aB", "7"}
)

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// ruleLines makes lines of an ignore file.
func ruleLines(rng *rand.Rand) string {
	var b strings.Builder
	if rng.IntN(20) == 0 {
		b.WriteString("\ufeff")
	}
	for range 1 + rng.IntN(6) {
		b.WriteString(pick(rng, []string{"", "", "", "", "!", "/", "!/", "//", "#", " "}))
		for i := range 1 + rng.IntN(3) {
			if i > 0 {
				b.WriteByte('/')
			}
			b.WriteString(pick(rng, ruleParts))
		}
		b.WriteString(pick(rng, []string{"", "", "", "/", " ", "  ", "/**", "/*", "\t", "/ "}))
		b.WriteString(pick(rng, []string{"\n", "\n", "\n", "\r\n", "\n\n"}))
	}
	return b.String()
}

// ruleTree is a repository with generated files, folders and rules.
type ruleTree struct {
	*repotest.Repo
	files, folders []string
	rules          map[string]string // name of a rules file → what is in it
}

func newRuleTree(g *repotest.Repo, rng *rand.Rand, round int) *ruleTree {
	t := &ruleTree{Repo: g.At(filepath.Join(g.Dir, fmt.Sprint("tree", round))), rules: map[string]string{}}
	fault.Check(g, os.Mkdir(t.Dir, 0o755))
	t.Git("init", "-q")
	t.Git("config", "core.ignoreCase", fmt.Sprint(rng.IntN(4) == 0))
	t.Git("config", "core.excludesFile", filepath.Join(t.Dir, ".git", "global"))
	folders := []string{""}
	for range 3 + rng.IntN(8) {
		sub := pick(rng, folders) + pick(rng, treeNames) + "/"
		if !slices.Contains(folders, sub) {
			folders = append(folders, sub)
		}
	}
	all := map[string]bool{}
	for _, f := range folders {
		all[strings.TrimSuffix(f, "/")] = true
	}
	for range 40 {
		if name := pick(rng, folders) + pick(rng, treeNames); !all[name] {
			all[name] = true
			t.files = append(t.files, name)
			t.Write(name, "x")
		}
	}
	for _, f := range folders[1:] {
		fault.Check(g, os.MkdirAll(filepath.Join(t.Dir, filepath.FromSlash(f)), 0o755))
		t.folders = append(t.folders, strings.TrimSuffix(f, "/"))
	}
	add := func(name, text string) {
		t.rules[name] = text
		t.Write(name, text)
	}
	add(".gitignore", ruleLines(rng))
	add(".git/info/exclude", ruleLines(rng))
	add(".git/global", ruleLines(rng))
	for _, f := range folders[1:] {
		if rng.IntN(2) == 0 {
			add(f+".gitignore", ruleLines(rng))
		}
	}
	return t
}

func (t *ruleTree) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t.rules)) {
		fmt.Fprintf(&b, "%s: %q\n", name, t.rules[name])
	}
	return b.String()
}

// ask runs a git command that answers about paths in NUL-separated fields.
func (t *ruleTree) ask(paths []string, args ...string) []string {
	t.Helper()
	cmd := t.Command("git", args...)
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := cmd.Output()
	if err != nil && git.ExitCode(err) != 1 {
		t.Fatalf("git %v: %v\n%s", args, err, t)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestRulesEqualGit compares the rules of generated trees with git check-ignore.
func TestRulesEqualGit(t *testing.T) {
	t.Parallel()
	g := repotest.New(t)
	rng := rand.New(rand.NewPCG(15, 2))
	hits := 0
	for round := range fault.Size(12, 10+10*fault.Rounds()) {
		tree := newRuleTree(g, rng, round)
		r := open(tree.Repo)
		all := slices.Concat(tree.files, tree.folders)
		ignored := setOf(tree.ask(all, "check-ignore", "-z", "--stdin", "--no-index"))
		rs := r.ruleset()
		for i, p := range all {
			d := rs.dir(event.Path(p).Dir())
			got := d.ignored || rs.gitIgnored(d, p, event.Path(p).Base(), i >= len(tree.files))
			if got != ignored[p] {
				t.Fatalf("tree %d: %q ignored: %v, git says %v\n%s", round, p, got, ignored[p], tree)
			}
			if got {
				hits++
			}
		}
		fault.Check(t, os.RemoveAll(tree.Dir))
	}
	if hits < 20 {
		t.Errorf("the test shows little: %d ignored", hits)
	}
}
