package daemon_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestRemovedWorktreeLeavesNothing: of a worktree that was removed neither a goroutine nor the
// contents of its files are left.
func TestRemovedWorktreeLeavesNothing(t *testing.T) {
	d := newFixture(t)
	readers := func() int {
		stacks := make([]byte, 1<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "index.(*Reader).Run(")
	}
	before := readers()
	d.git("git worktree add -q ../linked")
	d.begin()
	linked := filepath.Join(filepath.Dir(string(d.o.Repo.Root)), "linked")
	_, err := api.Call(t.Context(), d.clientIn(linked), api.Status, api.None{})
	fault.Check(t, err)
	d.until("both are read", func() bool { return readers() == before+2 && len(d.contents()) == 2 })
	d.git("git worktree remove --force ../linked")
	d.until("one is left", func() bool { return readers() == before+1 && len(d.contents()) == 1 })
}

// TestFirstCallsListOnce: calls that arrive together from a new worktree list its files once.
func TestFirstCallsListOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the git of this test is a shell script")
	}
	real := fault.Must(exec.LookPath("git"))
	dir := t.TempDir()
	listed, release := filepath.Join(dir, "listed"), filepath.Join(dir, "release")
	script := fmt.Sprintf(`#!/bin/sh
case "$(pwd -P) $*" in */linked*ls-files*) echo x >>'%s'; read line <'%s';; esac
exec '%s' "$@"
`, listed, release, real)
	fault.Check(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	d := newFixture(t, "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	d.git("git worktree add -q ../linked; mkfifo " + release)
	open := fault.Must(os.OpenFile(release, os.O_RDWR, 0))
	defer open.Close()
	d.begin()
	linked := filepath.Join(filepath.Dir(string(d.o.Repo.Root)), "linked")
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if _, err := api.Call(d.Context(), d.clientIn(linked), api.Status, api.None{}); err != nil {
				d.Error(err)
			}
		})
	}
	count := func() int {
		out, _ := os.ReadFile(listed)
		return bytes.Count(out, []byte("x"))
	}
	d.until("the files are listed", func() bool { return count() > 0 })
	for range 50 { // time for the other calls to arrive
		call(d, api.Status, api.None{})
	}
	fault.Must(open.WriteString(strings.Repeat("\n", 8)))
	calls.Wait()
	fault.Same(t, "the files were listed", count(), 1)
}
