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
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestEndlessFiles: git is not started where it would read a file without an end, and the error
// names the file. The null device has an end.
func TestEndlessFiles(t *testing.T) {
	r := repotest.New(t)
	name := filepath.Join(r.Dir, ".git", "info", "attributes")
	p := Find(r.Env).Reading([]string{filepath.Join(r.Dir, "none")}, []string{name})
	fault.Hostile(t, name, func(t *testing.T) {
		if _, err := p.Run(t.Context(), r.Dir, "rev-parse", "--git-dir"); err != nil {
			t.Errorf("a command that does not read rules: %v", err)
		}
		_, err := p.Run(t.Context(), r.Dir, "status")
		folder := strings.HasSuffix(t.Name(), "folder") // git has an answer to that
		if errors.Is(err, ErrEndless) == folder || err != nil && !strings.Contains(err.Error(), name) {
			t.Error(err)
		}
	})
	fault.Check(t, os.Symlink(os.DevNull, name))
	if _, err := p.Run(t.Context(), r.Dir, "status"); err != nil {
		t.Errorf("the null device: %v", err)
	}
}

// TestEndlessSettings: a file that a setting names is read if it is a regular one. Whatever else it
// is, git answers without it.
func TestEndlessSettings(t *testing.T) {
	commands := [][]string{{"status", "--porcelain", "-uall"}, {"ls-files", "-o", "--exclude-standard"}, {"diff", "--cached"}}
	for _, key := range []string{"core.excludesFile", "core.attributesFile", "diff.orderFile"} {
		r := repotest.New(t)
		name := filepath.Join(t.TempDir(), "named")
		r.Write("a", "a")
		r.Git("add", "a")
		r.Git("commit", "-q", "-m", "first")
		r.Write("b", "b")
		r.Git("config", key, name)
		p := Find(r.Env)
		p.limit = 10 * time.Second
		fault.Hostile(t, name, func(t *testing.T) {
			for _, args := range commands {
				if out, err := p.Run(t.Context(), r.Dir, args...); err != nil || len(out) == 0 && args[0] != "diff" {
					t.Errorf("%s: git %q: %q, %v", key, args, out, err)
				}
			}
		})
		fault.Check(t, os.WriteFile(name, []byte("b\n"), 0o600))
		out, err := p.Run(t.Context(), r.Dir, "ls-files", "-o", "--exclude-standard")
		if ignored := len(out) == 0; err != nil || ignored != (key == "core.excludesFile") {
			t.Errorf("%s names a good file: untracked %q, %v", key, out, err)
		}
	}
}

// TestWaitingInclude: git ends in time, and its memory has a bound, where a file that it includes
// never begins or never ends.
func TestWaitingInclude(t *testing.T) {
	r := repotest.New(t)
	p := Find(r.Env)
	p.limit = time.Second
	pipe := filepath.Join(t.TempDir(), "pipe")
	fault.Check(t, syscall.Mkfifo(pipe, 0o600))
	r.Git("config", "include.path", pipe)
	for _, args := range [][]string{{"status"}, {"rev-parse", "HEAD"}, {"log"}, {"cat-file", "--batch-check"}} {
		if _, err := p.Run(t.Context(), r.Dir, args...); !errors.Is(err, errLate) {
			t.Errorf("git %q: %v", args, err)
		}
	}
	fault.Check(t, os.Remove(pipe))
	fault.Check(t, os.MkdirAll(filepath.Join(r.Dir, ".git", "info"), 0o755))
	fault.Check(t, os.Symlink("/dev/zero", filepath.Join(r.Dir, ".git", "info", "attributes")))
	r.Write("a", "a")
	r.Git("config", "--unset", "include.path")
	r.Git("update-index", "--add", "--cacheinfo", "100644,0123456789012345678901234567890123456789,a")
	p.limit = 2 * time.Minute // only the memory ends it
	if e, ok := errors.AsType[*Error](func() error { _, err := p.Run(t.Context(), r.Dir, "status"); return err }()); limited &&
		(!ok || !strings.Contains(e.Stderr, "emory")) {
		t.Errorf("endless attributes: %v", e)
	}
}
