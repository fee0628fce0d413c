package watcher

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// ignoredByGit asks git about many paths at once, without looking at the index.
func ignoredByGit(t *testing.T, g *repository, paths []string) map[string]bool {
	t.Helper()
	cmd := exec.Command("git", "check-ignore", "-z", "--stdin", "--no-index")
	cmd.Dir, cmd.Env, cmd.Stdin = g.dir, g.env, strings.NewReader(strings.Join(paths, "\x00")+"\x00")
	out, err := cmd.Output()
	if err != nil && exitCode(err) != 1 {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		set[p] = true
	}
	return set
}

// TestIgnoredEqualsGit compares random rules and random paths with git check-ignore.
func TestIgnoredEqualsGit(t *testing.T) {
	g := newRepository(t)
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	parts := []string{"a", "b", "ab", "x.c", "x.o", "ba", "*", "**", "?", "[ab]", "[!a]", "[^b]*", "*.o", "a*", "**/a", "a/**", `\a`, `*\.c`, "a**", "[[:alpha:]]", "[a-", "x.[a-c]", "[]]", "b ", "!a", "#a"}
	names := []string{"a", "b", "ab", "x.c", "x.o", "ba", "abc", "]", "A", "#a", "!a", "b "}
	line := func() string {
		s := pick([]string{"", "", "", "!", "/", "!/"})
		for i := range 1 + rng.IntN(3) {
			if i > 0 {
				s += "/"
			}
			s += pick(parts)
		}
		return s + pick([]string{"", "", "", "/", " ", "/**"})
	}
	var paths []string
	for range 400 {
		p := pick(names)
		for range rng.IntN(4) {
			p += "/" + pick(names)
		}
		paths = append(paths, p)
	}
	hits := 0
	for round := range 60 {
		for _, f := range []string{".gitignore", "a/.gitignore", "a/b/.gitignore", ".git/info/exclude"} {
			var b strings.Builder
			for range 1 + rng.IntN(5) {
				b.WriteString(line() + pick([]string{"\n", "\n", "\r\n"}))
			}
			g.write(f, b.String())
		}
		r := g.open()
		want := ignoredByGit(t, g, paths)
		for _, p := range paths {
			rs := r.ruleset()
			d := rs.dir(event.Path(p).Dir())
			got := d.ignored || rs.gitIgnored(d, p, event.Path(p).Base(), false)
			if got != want[p] && !onDiskDir(g, p) {
				rules := ""
				for _, f := range []string{".gitignore", "a/.gitignore", "a/b/.gitignore", ".git/info/exclude"} {
					text, _ := os.ReadFile(filepath.Join(g.dir, f))
					rules += f + ":\n" + string(text)
				}
				t.Fatalf("round %d: %q ignored: %v, git says %v\n%s", round, p, got, want[p], rules)
			}
			if got {
				hits++
			}
		}
	}
	if hits < 1000 {
		t.Errorf("only %d paths were ignored: the test shows nothing", hits)
	}
}

func onDiskDir(g *repository, p string) bool {
	st, err := os.Stat(filepath.Join(g.dir, p))
	return err == nil && st.IsDir()
}

func TestIgnored(t *testing.T) {
	g := newRepository(t)
	g.write("global", "*.global\n")
	g.git("config", "core.excludesFile", filepath.Join(g.dir, "global"))
	g.write(".gitignore", "*.log\nbuild/\n")
	g.write("sub/.gitignore", "!keep.log\n")
	g.write(".git/info/exclude", "private.txt\n")
	g.write(".aoaignore", "secret/\n*.pem\n!ok.pem\n")
	g.write(".gitattributes", "gen/** linguist-generated\nvendor/ours/** -linguist-vendored\n\"quo ted.go\" linguist-generated=true\napi.go linguist-generated\n")
	g.write("sub/.gitattributes", "api.go !linguist-generated\nthird.go linguist-vendored\n")
	g.write("sub/x.go", "x")
	ignored := []event.Path{"x.log", "sub/y.log", "build/a.go", "deep/build/a/b.go", "private.txt", "a.global", "secret/k.go",
		"certs/a.pem", "gen/a.go", "vendor/x/y.go", "quo ted.go", "api.go", "sub/third.go", "node_modules/x/index.js", "web/app.min.js",
		"go.sum", "sub/package-lock.json", "rpc/a.pb.go", "k8s/zz_generated.deepcopy.go", ".yarn/releases/yarn.js"}
	kept := []event.Path{"x.go", "sub/keep.log", "certs/ok.pem", "vendor/ours/z.go", "sub/api.go", "vendored.go", "distance/x.go", "go.mod", ".yarnrc"}
	r := g.open()
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
	if !r.IgnoredDir("build") || !r.IgnoredDir("a/node_modules") || r.IgnoredDir("sub") || r.IgnoredDir("vendor/ours") {
		t.Error("folders")
	}
	if r.Excluded("x.log") || !r.Excluded("gen/a.go") {
		t.Error("a tracked log file is a file; a generated one is not")
	}
	g.write(".gitignore", "")
	if !r.Ignored("x.log") {
		t.Error("rules are cached until Reload")
	}
	if r.Reload(); r.Ignored("x.log") {
		t.Error("after Reload the new rules hold")
	}
}

func TestFiles(t *testing.T) {
	g := newRepository(t)
	g.write(".gitignore", "*.log\n")
	g.write("forced.log", "tracked in spite of the rule")
	g.git("add", "-f", "forced.log")
	g.commit("first", "a.go", "gone.go", "vendor/v.go", "go.sum", "x/_.go")
	if err := os.Remove(filepath.Join(g.dir, "gone.go")); err != nil {
		t.Fatal(err)
	}
	g.write("new.go", "n")
	g.write("ignored.log", "n")
	g.write("x/new/y.go", "n")
	inner := g.at(filepath.Join(g.dir, "inner"))
	if err := os.Mkdir(inner.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	inner.git("init", "-q")
	inner.write("theirs.go", "t")
	want := []event.Path{".gitignore", "a.go", "forced.log", "new.go", "x/_.go", "x/new/y.go"}
	for _, r := range []*Repo{g.open(), without(t, g)} {
		if !r.Ignored("inner/theirs.go") || !r.IgnoredDir("inner") || r.Ignored("x/new/y.go") {
			t.Error("a repository inside the repository is opaque, a new folder is not")
		}
		got, err := r.Files(context.Background())
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("git %v: %q %v, want %q", r.HasGit(), got, err, want)
		}
	}
	tracked := []event.Path{".gitignore", "a.go", "forced.log", "gone.go", "x/_.go"}
	if got, err := g.open().Tracked(context.Background()); err != nil || !slices.Equal(got, tracked) {
		t.Errorf("tracked: %q %v, want %q", got, err, tracked)
	}
	if got, err := without(t, g).Tracked(context.Background()); err != nil || !slices.Equal(got, want) {
		t.Errorf("tracked, without git: %q %v, want all: %q", got, err, want)
	}
}

func TestParseLsFilesKeepsOddRecordsOut(t *testing.T) {
	in := bytes.Join([][]byte{[]byte("? new\xff.go"), []byte("H 100644 0123 0\ta\tb.go"), []byte("H 160000 0123 0\tmodule"),
		[]byte("S 100644 0123 0\tsparse.go"), []byte("H broken"), []byte("x"), []byte("? dir/"), []byte("? ../up"), nil}, []byte{0})
	if got, want := parseLsFiles(in), []event.Path{"new\xff.go", "a\tb.go"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
