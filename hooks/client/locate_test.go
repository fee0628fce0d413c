//go:build unix

package client

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
)

func TestLocate(t *testing.T) {
	dir, sock := repo(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("CLAUDE_PROJECT_DIR", "")
	t.Chdir(dir) // Locate moves about; this brings the test back
	tree := filepath.Join(filepath.Dir(dir), "linked")
	git(t, "-C", dir, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, "-C", dir, "worktree", "add", "-q", tree)
	sym := filepath.Join(filepath.Dir(dir), "symlink")
	if err := os.Symlink(dir, sym); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{dir, dir + "/", filepath.Join(dir, ".git"), tree, sym} {
		if store, s, ok := Locate(from); !ok || s != sock || store != filepath.Dir(sock) {
			t.Errorf("Locate(%s) = %s, %s, %v", from, store, s, ok)
		}
	}
	for _, from := range []string{"", "relative", "/", filepath.Dir(dir)} {
		if _, s, ok := Locate(from); ok {
			t.Errorf("Locate(%q) found %s", from, s)
		}
	}
	t.Setenv("CLAUDE_PROJECT_DIR", dir)
	if _, s, ok := Locate("/"); !ok || s != sock {
		t.Errorf("outside of any repository: %s, %v; want the project's", s, ok)
	}
	other, _ := repo(t)
	os.RemoveAll(filepath.Join(other, ".git", "aoa"))
	if _, s, ok := Locate(other); ok {
		t.Errorf("another repository without a store got %s", s)
	}
}

func TestLocateElsewhere(t *testing.T) {
	dir, _ := repo(t)
	t.Chdir(dir)
	common := filepath.Join(dir, ".git")
	sum := sha256.Sum256([]byte(common))
	hash := hex.EncodeToString(sum[:8])
	if err := os.Remove(filepath.Join(common, "aoa")); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(filepath.Dir(dir), "state")
	store := filepath.Join(state, "aoa", hash)
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", state)
	if s, sock, ok := Locate(dir); !ok || s != store || sock != filepath.Join(store, "sock") {
		t.Errorf("state folder: %s, %s, %v", s, sock, ok)
	}
	long := filepath.Join(filepath.Dir(dir), strings.Repeat("l", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AOA_STORE", long)
	if s, sock, ok := Locate(dir); !ok || s != long || sock != fmt.Sprintf("/tmp/aoa-%d/%s", os.Getuid(), hash) {
		t.Errorf("long path: %s, %s, %v", s, sock, ok)
	}
	link := filepath.Join(filepath.Dir(dir), "s")
	if err := os.Symlink(long, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AOA_STORE", link)
	if _, _, ok := Locate(dir); ok {
		t.Error("a store behind a symlink was trusted")
	}
	if os.Getuid() == 0 {
		if err := os.Chown(long, 12345, 12345); err != nil {
			t.Skip("cannot give a folder away here:", err)
		}
		t.Setenv("AOA_STORE", long)
		if _, _, ok := Locate(dir); ok {
			t.Error("a stranger's store was trusted")
		}
	}
}

// TestLocateAgreesWithTheDaemon: client and daemon must meet at the same socket, and share no code.
func TestLocateAgreesWithTheDaemon(t *testing.T) {
	dir, _ := repo(t)
	t.Chdir(dir)
	common, top := filepath.Join(dir, ".git"), filepath.Dir(dir)
	deep := filepath.Join(top, strings.Repeat("d", 100))
	git(t, "init", "-q", deep)
	if err := os.Mkdir(filepath.Join(deep, ".git", "aoa"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(top, "other")
	if err := os.MkdirAll(filepath.Join(other, "aoa"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{{"HOME=" + top}, {"HOME=" + top, "XDG_STATE_HOME=" + other}, {"AOA_STORE=" + other}} {
		for _, name := range []string{"HOME", "XDG_STATE_HOME", "AOA_STORE", "CLAUDE_PROJECT_DIR", "USERPROFILE"} {
			t.Setenv(name, "")
		}
		for _, kv := range env {
			name, value, _ := strings.Cut(kv, "=")
			t.Setenv(name, value)
		}
		for at, git := range map[string]string{dir: common, deep: filepath.Join(deep, ".git")} {
			want := api.Locate(git, env)
			store, sock, ok := Locate(at)
			if !ok || store != want.Store || sock != want.Socket {
				t.Errorf("%v, %.20s…: client %s, %s, %v; daemon %s, %s", env, at, store, sock, ok, want.Store, want.Socket)
			}
		}
	}
}

func TestFingerprint(t *testing.T) {
	for n := range 200 {
		s := strings.Repeat("é/x", n)[:n]
		sum := sha256.Sum256([]byte(s))
		if got, want := fingerprint(s), hex.EncodeToString(sum[:8]); got != want {
			t.Fatalf("fingerprint of %d bytes = %s, want %s", n, got, want)
		}
	}
}

// TestLocateInSubmodule: work in a submodule belongs to the superproject where that has a store, else to the submodule's own.
func TestLocateInSubmodule(t *testing.T) {
	dir, sock := repo(t)
	t.Chdir(dir)
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"XDG_STATE_HOME", "CLAUDE_PROJECT_DIR", "AOA_STORE"} {
		t.Setenv(name, "")
	}
	inner, _ := repo(t)
	git(t, "-C", inner, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, "-C", dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "modules/sub")
	git(t, "-C", dir, "commit", "-q", "-m", "x")
	sub := filepath.Join(dir, "modules", "sub")
	if _, s, ok := Locate(sub); !ok || s != sock {
		t.Errorf("in the submodule: %s, %v; want the superproject's %s", s, ok, sock)
	}
	own := filepath.Join(dir, ".git", "modules", "modules", "sub", "aoa")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, s, ok := Locate(sub); !ok || s != sock {
		t.Errorf("with a store of its own: %s, %v; want the superproject's %s", s, ok, sock)
	}
	if err := os.Remove(filepath.Dir(sock)); err != nil {
		t.Fatal(err)
	}
	if store, _, ok := Locate(sub); !ok || store != own {
		t.Errorf("without the superproject's store: %s, %v; want %s", store, ok, own)
	}
	clone := filepath.Join(dir, "clone") // a repository of its own, only inside
	git(t, "clone", "-q", inner, clone)
	if _, s, ok := Locate(clone); ok {
		t.Errorf("a clone inside of a repository got its socket %s", s)
	}
}
