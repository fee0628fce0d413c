package install

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// gitHome is an environment in which git sees only the test's own repository, and in which a script named aoa
// writes down how it was called.
type gitHome struct {
	t        *testing.T
	env      []string
	log, aoa string
}

func newGitHome(t *testing.T) *gitHome {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts")
	}
	top := t.TempDir()
	h := &gitHome{t: t, log: filepath.Join(top, "calls"), aoa: filepath.Join(top, "bin", "aoa")}
	fileWith(t, h.aoa, "#!/bin/sh\n"+`echo "$*|$(cat)" >>"`+h.log+"\"\nexit 7\n", 0o755)
	h.env = []string{"PATH=" + filepath.Dir(h.aoa) + ":" + os.Getenv("PATH"), "HOME=" + top,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	return h
}

func (h *gitHome) git(dir string, args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = h.env
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// repo is a repository and its post-commit hook.
func (h *gitHome) repo() (dir, hook string) {
	h.t.Helper()
	dir = h.t.TempDir()
	h.git(dir, "init", "-q", "-b", "main")
	return dir, filepath.Join(dir, ".git", "hooks", GitHook)
}

// at is a repository from one of its worktrees.
func (h *gitHome) at(dir, root string) GitRepo {
	return GitRepo{Root: root, CommonDir: filepath.Join(dir, ".git"), Env: h.env}
}

// called waits until the hook has called aoa: it does so in the background.
func (h *gitHome) called() {
	h.t.Helper()
	var b []byte
	fault.Until(h.t, time.Minute, "aoa is called", func() bool {
		b, _ = os.ReadFile(h.log)
		return bytes.HasSuffix(b, []byte("\n"))
	})
	fault.Same(h.t, "called as", string(b), "hook git post-commit|\n")
	os.Remove(h.log)
}

// TestGitHookFires makes real commits, also in a linked worktree and after aoa is gone.
func TestGitHookFires(t *testing.T) {
	h := newGitHome(t)
	dir, hook := h.repo()
	if c, err := AddGit(t.Context(), h.at(dir, dir), GitHook); err != nil || c.Done != Created || c.File != hook {
		t.Fatalf("%+v, %v", c, err)
	}
	h.git(dir, "commit", "-q", "--allow-empty", "-m", "one")
	h.called()
	tree := filepath.Join(t.TempDir(), "linked")
	h.git(dir, "worktree", "add", "-q", tree)
	h.git(tree, "commit", "-q", "--allow-empty", "-m", "two")
	h.called()
	if c, err := AddGit(t.Context(), h.at(dir, tree), GitHook); err != nil || c.Done != Unchanged {
		t.Errorf("again from the linked worktree: %+v, %v", c, err)
	}
	if st, err := ExamineGit(t.Context(), h.at(dir, tree)); err != nil || st.State != Installed {
		t.Errorf("%+v, %v", st, err)
	}
	os.Remove(h.aoa)
	h.git(dir, "commit", "-q", "--allow-empty", "-m", "without the binary")
	if c, err := RemoveGit(t.Context(), h.at(dir, dir), GitHook); err != nil || c.Done != Deleted {
		t.Errorf("remove: %+v, %v", c, err)
	}
	if _, err := os.Stat(hook); err == nil {
		t.Error("the hook is left")
	}
}

// TestGitHookShapes: hooks of other programs run with our block, and have their bytes and their mode afterwards.
func TestGitHookShapes(t *testing.T) {
	h := newGitHome(t)
	for name, before := range map[string]string{
		"plain":            "#!/bin/sh\necho mine\n",
		"exec":             "#!/bin/sh\nexec /bin/true\n",
		"only a shebang":   "#!/bin/sh\n",
		"no last line end": "#!/usr/bin/env bash\nset -eu\ntrue",
		"options":          "#!/usr/bin/env -S bash -eu\ntrue\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir, hook := h.repo()
			fileWith(t, hook, before, 0o750)
			if c, err := AddGit(t.Context(), h.at(dir, dir), GitHook); err != nil || c.Done != Changed {
				t.Fatalf("%+v, %v", c, err)
			}
			h.git(dir, "commit", "-q", "--allow-empty", "-m", "one")
			h.called()
			if c, err := RemoveGit(t.Context(), h.at(dir, dir), GitHook); err != nil || c.Done != Changed {
				t.Errorf("%+v, %v", c, err)
			}
			st, err := os.Stat(hook)
			if got := contentOf(t, hook); string(got) != before || err != nil || st.Mode().Perm() != 0o750 {
				t.Errorf("%q, %v, %v", got, st.Mode(), err)
			}
			if c, err := RemoveGit(t.Context(), h.at(dir, dir), GitHook); err != nil || c.Done != Absent {
				t.Errorf("again: %+v, %v", c, err)
			}
		})
	}
}

// TestGitHookOfAManager: what husky, lefthook and pre-commit write themselves gets no lines, because they would
// overwrite them. The words say where the command belongs.
func TestGitHookOfAManager(t *testing.T) {
	h := newGitHome(t)
	for name, c := range map[string]struct {
		file, snippet string
		make          func(dir, hook string)
	}{
		"husky": {".husky/pre-commit", "if command -v aoa >/dev/null; then aoa check --staged; fi\n", func(dir, _ string) { h.git(dir, "config", "core.hooksPath", ".husky/_") }},
		"lefthook": {"lefthook.yml", "pre-commit:\n  commands:\n    aoa:\n      run: aoa check --staged\n", func(_, hook string) {
			fileWith(t, hook, "#!/bin/sh\n\ncall_lefthook()\n{\n  lefthook \"$@\"\n}\n", 0o755)
		}},
		"pre-commit": {".pre-commit-config.yaml", "repos:\n  - repo: local\n    hooks:\n      - {id: aoa-check, name: aoa, " +
			"entry: aoa check --staged, language: system, pass_filenames: false, always_run: true}\n",
			func(_, hook string) {
				fileWith(t, hook, "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n", 0o755)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, hook := h.repo()
			hook = filepath.Join(filepath.Dir(hook), CheckHook)
			c.make(dir, hook)
			before, _ := os.ReadFile(hook)
			var refused *Refusal
			_, err := AddGit(t.Context(), h.at(dir, dir), CheckHook)
			if !errors.As(err, &refused) || refused.File != filepath.Join(h.at(dir, dir).Root, c.file) || refused.Snippet != c.snippet ||
				!strings.HasPrefix(refused.Why, name+" writes ") {
				t.Errorf("%v: %+v", err, refused)
			}
			if after, _ := os.ReadFile(hook); string(after) != string(before) {
				t.Errorf("it became %q", after)
			}
		})
	}
}

// TestGitHookRefused: what cannot take a block stays as it is, and the lines to add by hand are told.
func TestGitHookRefused(t *testing.T) {
	h := newGitHome(t)
	for name, c := range map[string]struct {
		why  string
		make func(dir, hook string)
	}{
		"python":         {"not a shell script", func(_, hook string) { fileWith(t, hook, "#!/usr/bin/env python3\n", 0o755) }},
		"binary":         {"not a shell script", func(_, hook string) { fileWith(t, hook, "#!/bin/sh\n\x00", 0o755) }},
		"carriage":       {"not a shell script", func(_, hook string) { fileWith(t, hook, "#!/bin/sh\r\ntrue\r\n", 0o755) }},
		"not executable": {"not executable", func(_, hook string) { fileWith(t, hook, "#!/bin/sh\n", 0o644) }},
		"link": {"not a regular file", func(_, hook string) {
			os.MkdirAll(filepath.Dir(hook), 0o755)
			os.Symlink("/dev/zero", hook)
		}},
		"linked folder": {"its folder is a symbolic link to ", func(_, hook string) {
			outside := t.TempDir()
			fileWith(t, filepath.Join(outside, GitHook), "#!/bin/sh\n"+commitBlock, 0o755) // of another repository
			os.RemoveAll(filepath.Dir(hook))
			os.Symlink(outside, filepath.Dir(hook))
		}},
		"husky": {"core.hooksPath is .husky", func(dir, _ string) { h.git(dir, "config", "core.hooksPath", ".husky") }},
	} {
		t.Run(name, func(t *testing.T) {
			dir, hook := h.repo()
			c.make(dir, hook)
			var refused *Refusal
			_, err := AddGit(t.Context(), h.at(dir, dir), GitHook)
			if !errors.As(err, &refused) || !strings.Contains(refused.Why, c.why) || refused.Snippet != commitBlock {
				t.Errorf("%v", err)
			}
			if st, err := ExamineGit(t.Context(), h.at(dir, dir)); err != nil || st.State != Refused {
				t.Errorf("%+v, %v", st, err)
			}
			if c, err := RemoveGit(t.Context(), h.at(dir, dir), GitHook); err != nil || c.Done != Absent {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}
