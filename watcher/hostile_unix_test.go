//go:build unix

package watcher

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestHostileGitDir: where a file that git or go-git reads never ends or never begins, every
// question ends, with an answer or an error.
func TestHostileGitDir(t *testing.T) {
	g := repotest.New(t)
	g.Write("a.go", "x")
	g.Commit("first")
	g.Git("pack-refs", "--all")
	for _, name := range []string{".git/HEAD", ".git/index", ".git/config", ".git/packed-refs",
		".git/refs/remotes/origin/HEAD", ".git/info/attributes", ".git/objects/info/alternates", ".git/commondir",
		".gitattributes", ".mailmap", ".gitignore", ".git/info/exclude"} {
		r, file := open(g), filepath.Join(g.Dir, filepath.FromSlash(name))
		before, err := os.ReadFile(file)
		fault.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		fault.Hostile(t, file, func(t *testing.T) {
			_, _, head := r.Head(t.Context())
			_, listed := r.Files(t.Context())
			_, changed := r.Changed(t.Context())
			_, branch := r.Branch(t.Context())
			read := r.History(t.Context(), nil, unseen, func([]event.Event, map[string]string) error { return nil })
			_, opened := OpenRepo(t.Context(), g.Dir, repotest.Env(t.TempDir()))
			for _, err := range []error{head, listed, changed, branch, read, opened} {
				if err != nil && strings.Contains(err.Error(), "printed nothing") {
					t.Errorf("%s: git was started: %v", name, err)
				}
				if errors.Is(err, ErrMissing) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
		if err == nil {
			fault.Check(t, os.WriteFile(file, before, 0o600))
		}
	}
}

// gitThat makes a program git of a shell script, which calls the real one as "$git", and returns a
// PATH that begins with it.
func gitThat(t *testing.T, script string) string {
	t.Helper()
	real := fault.Must(exec.LookPath("git"))
	dir := t.TempDir()
	fault.Check(t, os.WriteFile(filepath.Join(dir, "git"),
		[]byte("#!/bin/sh\ngit="+real+"\n"+script+"\nexec \"$git\" \"$@\"\n"),
		0o755))
	return dir + string(filepath.ListSeparator) + os.Getenv("PATH")
}

// fifo makes a named pipe that can be opened without a partner.
func fifo(t *testing.T) (name string, f *os.File) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "pipe")
	fault.Check(t, syscall.Mkfifo(name, 0o600))
	f = fault.Must(os.OpenFile(name, os.O_RDWR, 0))
	t.Cleanup(func() { f.Close() })
	return name, f
}

// TestLoadRulesHoldsNobodyUp: while loadRules waits for git, the old rules answer.
func TestLoadRulesHoldsNobodyUp(t *testing.T) {
	g := repotest.New(t)
	g.Write(".gitignore", "*.log\n")
	asked, isAsked := fifo(t)
	goOn, mayGoOn := fifo(t)
	block := filepath.Join(t.TempDir(), "block")
	path := gitThat(t, `case "$*" in *core.excludesFile*) if [ -e '`+block+`' ]; then echo >'`+asked+`'; read x <'`+goOn+`'; fi;; esac`)
	g.Env = append(g.Env, "PATH="+path)
	r := open(g)
	if !r.Ignored("x.log") {
		t.Fatal("x.log is not ignored")
	}
	g.Write(".gitignore", "*.txt\n")
	fault.Check(t, os.WriteFile(block, nil, 0o600))
	reloaded := make(chan struct{})
	go func() {
		defer close(reloaded)
		r.loadRules()
	}()
	fault.Check(t, isAsked.SetReadDeadline(time.Now().Add(patience)))
	if _, err := isAsked.Read(make([]byte, 1)); err != nil {
		t.Fatalf("loadRules did not ask git: %v", err)
	}
	if !r.Ignored("x.log") || r.Ignored("x.txt") {
		t.Error("the old rules do not hold")
	}
	select {
	case <-reloaded:
		t.Error("loadRules did not wait for git")
	default:
	}
	fault.Must(mayGoOn.WriteString("\n"))
	<-reloaded
	if r.Ignored("x.log") || !r.Ignored("x.txt") {
		t.Error("the new rules do not hold")
	}
}
