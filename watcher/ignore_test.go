package watcher

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
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
		"secret/k.go",
		"certs/a.pem", "gen/a.go", "vendor/x/y.go", "node_modules/x/index.js", "web/app.min.js",
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

func TestParseLsFilesKeepsOddRecordsOut(t *testing.T) {
	in := bytes.Join([][]byte{[]byte("? new\xff.go"), []byte("H 100644 0123 0\ta\tb.go"),
		[]byte("H 160000 0123 0\tmodule"),
		[]byte("S 100644 0123 0\tsparse.go"), []byte("H broken"), []byte("x"), []byte("? dir/"), []byte("? ../up"), nil}, []byte{0})
	if got, want := parseLsFiles(in, false), []event.Path{"new\xff.go", "a\tb.go"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
