//go:build unix

package watcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		".gitattributes", ".mailmap", ".gitignore",
		".git/info/exclude"} {
		r, file := open(g), filepath.Join(g.Dir, filepath.FromSlash(name))
		before, err := os.ReadFile(file)
		fault.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		fault.Hostile(t, file, func(t *testing.T) {
			_, _, head := r.Head(t.Context())
			_, listed := r.Files(t.Context())
			_, changed := r.Changed(t.Context())
			_, branch := r.Branch(t.Context())
			read := r.History(t.Context(), HistoryOptions{}, func([]event.Event, map[string]string) error { return nil })
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
