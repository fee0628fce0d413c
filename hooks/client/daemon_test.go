//go:build unix

package client

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestDaemonOf(t *testing.T) {
	dir, sock := repo(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", userState)
	t.Setenv("CLAUDE_PROJECT_DIR", "")
	tree := filepath.Join(filepath.Dir(dir), "linked")
	git(t, "-C", dir, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, "-C", dir, "worktree", "add", "-q", tree)
	sym := filepath.Join(filepath.Dir(dir), "symlink")
	fault.Check(t, os.Symlink(dir, sym))
	for _, from := range []string{dir, dir + "/", filepath.Join(dir, ".git"), tree, sym} {
		if d, ok := daemonOf(from); !ok || d.Socket != sock || d.Store != filepath.Dir(sock) {
			t.Errorf("daemonOf(%s) = %+v, %v", from, d, ok)
		}
	}
	for _, from := range []string{"", "relative", "/", filepath.Dir(dir)} {
		if d, ok := daemonOf(from); ok {
			t.Errorf("daemonOf(%q) found %+v", from, d)
		}
	}
	t.Setenv("CLAUDE_PROJECT_DIR", dir)
	if d, ok := daemonOf("/"); !ok || d.Socket != sock {
		t.Errorf("outside of any repository: %s, %v; want the project's", d.Socket, ok)
	}
	other, _ := repo(t)
	os.RemoveAll(filepath.Join(other, ".git", "aoa"))
	if d, ok := daemonOf(other); ok {
		t.Errorf("another repository without a store got %s", d.Socket)
	}
}

// TestSubmodule: work in a submodule belongs to the superproject where that has a store, else to
// the submodule's own.
func TestSubmodule(t *testing.T) {
	dir, sock := repo(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", userState)
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "AOA_STORE"} {
		t.Setenv(name, "")
	}
	inner, _ := repo(t)
	git(t, "-C", inner, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, "-C", dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "modules/sub")
	git(t, "-C", dir, "commit", "-q", "-m", "x")
	sub := filepath.Join(dir, "modules", "sub")
	if d, ok := daemonOf(sub); !ok || d.Socket != sock {
		t.Errorf("in the submodule: %s, %v; want the superproject's %s", d.Socket, ok, sock)
	}
	own := store(t, filepath.Join(dir, ".git", "modules", "modules", "sub"))
	if d, ok := daemonOf(sub); !ok || d.Socket != sock {
		t.Errorf("with a store of its own: %s, %v; want the superproject's %s", d.Socket, ok, sock)
	}
	fault.Check(t, os.RemoveAll(filepath.Dir(sock)))
	if d, ok := daemonOf(sub); !ok || d.Store != own {
		t.Errorf("without the superproject's store: %s, %v; want %s", d.Store, ok, own)
	}
	clone := filepath.Join(dir, "clone") // a repository of its own, only inside
	git(t, "clone", "-q", inner, clone)
	if d, ok := daemonOf(clone); ok {
		t.Errorf("a clone inside of a repository got its socket %s", d.Socket)
	}
}
