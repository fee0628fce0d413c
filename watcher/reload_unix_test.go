//go:build unix

package watcher

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// gitThat makes a program git of a shell script, which calls the real one as "$git", and returns a
// PATH that begins with it.
func gitThat(t *testing.T, script string) string {
	t.Helper()
	real, err := exec.LookPath("git")
	fault.Check(t, err)
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
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	fault.Check(t, err)
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
	if _, err := mayGoOn.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	<-reloaded
	if r.Ignored("x.log") || !r.Ignored("x.txt") {
		t.Error("the new rules do not hold")
	}
}
