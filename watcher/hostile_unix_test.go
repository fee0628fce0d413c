//go:build unix

package watcher

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestHostileRules: files of rules and settings that never end or never begin have no rules. Nothing waits for them.
func TestHostileRules(t *testing.T) {
	g := newRepository(t)
	g.write("sub/a.go", "x")
	g.commit("first")
	for _, name := range []string{".gitignore", ".aoaignore", "sub/.gitignore", ".git/info/exclude",
		".git/shallow", ".git/config.worktree"} {
		file := filepath.Join(g.dir, filepath.FromSlash(name))
		fault.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		fault.Hostile(t, file, func(t *testing.T) {
			r := g.open()
			if r.Ignored("sub/b.go") || r.Excluded("sub/b.go") || r.Shallow() || r.Nested("sub/b.go") != "" {
				t.Errorf("%s has rules", name)
			}
		})
	}
}

// TestHostileRulesAndGit: git itself waits for a pipe. It is not started, and the error names the file.
func TestHostileRulesAndGit(t *testing.T) {
	g := newRepository(t)
	g.write("a.go", "x")
	g.commit("first")
	for _, name := range []string{".gitignore", ".git/info/exclude"} {
		file := filepath.Join(g.dir, filepath.FromSlash(name))
		fault.Hostile(t, file, func(t *testing.T) {
			files, err := g.open().Files(t.Context())
			if err == nil && !slices.Contains(files, event.Path("a.go")) {
				t.Errorf("%s: files %q", name, files)
			}
		})
	}
}
