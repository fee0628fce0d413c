package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestMeasure: a rename that mends its user is asked about without the user, which is named; one that leaves a user
// broken, which the next commit mends, speaks and was right.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	repo := filepath.Join(dir, "r")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	commit := func(files map[string]string) {
		t.Helper()
		for name, text := range files {
			fault.Check(t, os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600))
		}
		git("-C", repo, "add", ".")
		git("-C", repo, "commit", "-qm", "change")
	}
	git("init", "-q", repo)
	commit(map[string]string{"a.go": "package r\n\nfunc ParseConfig() int { return 1 }\n",
		"b.go": "package r\n\nvar x = ParseConfig()\n", "c.go": "package r\n\nvar y = 1\n"})
	commit(map[string]string{"a.go": "package r\n\nfunc ReadConfig() int { return 1 }\n",
		"b.go": "package r\n\nvar x = ReadConfig()\n"})
	commit(map[string]string{"a.go": "package r\n\nfunc LoadConfig() int { return 1 }\n"})
	commit(map[string]string{"b.go": "package r\n\nvar x = LoadConfig()\n"})
	h, err := read(t.Context(), filepath.Join(repo, ".git"), 400)
	fault.Check(t, err)
	fault.Check(t, h.measure())
	if want := (tally{commits: 3, out: 1, named: 1, spoke: 1, mended: 1}); h.tally != want {
		t.Errorf("%+v, want %+v", h.tally, want)
	}
}
