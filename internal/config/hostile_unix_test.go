//go:build unix

package config

import (
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestHostileFile: a settings file that never ends or never begins is an error that names it.
func TestHostileFile(t *testing.T) {
	environ, file := places(t, "", "x: 1\n")
	fault.Hostile(t, file, func(t *testing.T) {
		if _, _, err := Load(environ, file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("load: %v", err)
		}
	})
	fault.Check(t, os.WriteFile(file, nil, 0o600))
}
