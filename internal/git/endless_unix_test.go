//go:build unix

package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestEndlessFiles: git is not started where it would read a file without an end, and the error names the file. The
// null device has an end.
func TestEndlessFiles(t *testing.T) {
	dir, env, _ := gitFolder(t)
	name := filepath.Join(dir, ".git", "info", "attributes")
	p := Find(env).Reading([]string{filepath.Join(dir, "none")}, []string{name})
	fault.Hostile(t, name, func(t *testing.T) {
		if _, err := p.Run(t.Context(), dir, "rev-parse", "--git-dir"); err != nil {
			t.Errorf("a command that does not read rules: %v", err)
		}
		_, err := p.Run(t.Context(), dir, "status")
		folder := strings.HasSuffix(t.Name(), "folder") // git has an answer to that
		if errors.Is(err, ErrEndless) == folder || err != nil && !strings.Contains(err.Error(), name) {
			t.Error(err)
		}
	})
	fault.Check(t, os.Symlink(os.DevNull, name))
	if _, err := p.Run(t.Context(), dir, "status"); err != nil {
		t.Errorf("the null device: %v", err)
	}
}

// TestEndlessSettings: a file that a setting names is read if it is a regular one. Whatever else it is, git answers
// without it.
func TestEndlessSettings(t *testing.T) {
	commands := [][]string{{"status", "--porcelain", "-uall"}, {"ls-files", "-o", "--exclude-standard"}, {"diff", "--cached"},
		{"log", "--raw", "--format=" + AuthorName}}
	for _, key := range []string{"core.excludesFile", "core.attributesFile", "diff.orderFile", "mailmap.file"} {
		dir, env, git := gitFolder(t)
		name := filepath.Join(t.TempDir(), "named")
		writeFile(t, filepath.Join(dir, "a"), "a")
		git("add", "a")
		git("commit", "-q", "-m", "first")
		writeFile(t, filepath.Join(dir, "b"), "b")
		git("config", key, name)
		p := Find(env)
		p.limit = 10 * time.Second
		fault.Hostile(t, name, func(t *testing.T) {
			for _, args := range commands {
				if out, err := p.Run(t.Context(), dir, args...); err != nil || len(out) == 0 && args[0] != "diff" {
					t.Errorf("%s: git %q: %q, %v", key, args, out, err)
				}
			}
		})
		writeFile(t, name, "b\n")
		out, err := p.Run(t.Context(), dir, "ls-files", "-o", "--exclude-standard")
		if ignored := len(out) == 0; err != nil || ignored != (key == "core.excludesFile") {
			t.Errorf("%s names a good file: untracked %q, %v", key, out, err)
		}
	}
}

// TestWaitingInclude: git ends in time, and its memory has a bound, where a file that it includes never begins or never
// ends.
func TestWaitingInclude(t *testing.T) {
	dir, env, git := gitFolder(t)
	p := Find(env)
	p.limit = time.Second
	pipe := filepath.Join(t.TempDir(), "pipe")
	fault.Check(t, syscall.Mkfifo(pipe, 0o600))
	git("config", "include.path", pipe)
	for _, args := range [][]string{{"status"}, {"rev-parse", "HEAD"}, {"log"}, {"cat-file", "--batch-check"}} {
		if _, err := p.Run(t.Context(), dir, args...); !errors.Is(err, errLate) {
			t.Errorf("git %q: %v", args, err)
		}
	}
	fault.Check(t, os.Remove(pipe))
	fault.Check(t, os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o755))
	fault.Check(t, os.Symlink("/dev/zero", filepath.Join(dir, ".git", "info", "attributes")))
	writeFile(t, filepath.Join(dir, "a"), "a")
	git("config", "--unset", "include.path")
	git("update-index", "--add", "--cacheinfo", "100644,0123456789012345678901234567890123456789,a")
	p.limit = 2 * time.Minute // only the memory ends it
	if e, ok := errors.AsType[*Error](func() error { _, err := p.Run(t.Context(), dir, "status"); return err }()); limited &&
		(!ok || !strings.Contains(e.Stderr, "emory")) {
		t.Errorf("endless attributes: %v", e)
	}
}
