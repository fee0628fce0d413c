//go:build unix

package install

import (
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestHostileFiles: a repository can hold a settings file or an exclude file that never ends or never begins. None is
// waited for, and none is changed.
func TestHostileFiles(t *testing.T) {
	repo := t.TempDir()
	common := filepath.Join(repo, ".git")
	claude := agentOf(t, "claude")
	settings := filepath.Join(repo, ".claude", "settings.local.json")
	fileWith(t, filepath.Join(repo, ".claude", "beside"), "", 0o600)
	fileWith(t, filepath.Join(common, "info", "beside"), "", 0o600)
	fault.Hostile(t, settings, func(t *testing.T) {
		if _, enabled := Plugin(settings); enabled {
			t.Error("it enables the plugin")
		}
		if c, err := Add(claude, settings, Options{Within: repo}); err == nil {
			t.Errorf("install: %+v", c)
		}
		if c, err := Remove(claude, settings, Options{Within: repo}); err == nil {
			t.Errorf("remove: %+v", c)
		}
	})
	fault.Hostile(t, filepath.Join(common, "info", "exclude"), func(t *testing.T) {
		if c, err := Exclude(common, ".claude/settings.local.json"); err == nil {
			t.Errorf("exclude: %+v", c)
		}
	})
}
