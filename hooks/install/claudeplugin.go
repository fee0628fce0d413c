package install

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// claudeSettings is what Claude Code's settings say about hooks in addition to the hooks
// themselves.
type claudeSettings struct {
	Plugins  map[string]any `json:"enabledPlugins"`
	Disabled bool           `json:"disableAllHooks"`
}

// readClaude reads a settings file of Claude Code. If it cannot be read the result is empty.
func readClaude(file string) (s claudeSettings) {
	b, err := regularfile.Read(file, regularfile.FollowLinks, maxSettings)
	if err == nil {
		b, err = hujson.Standardize(b)
	}
	if err == nil {
		_ = json.Unmarshal(b, &s) // a member of another type is ignored
	}
	return s
}

// Plugin reports whether Claude Code's settings enable our plugin, and which file says so, or "".
// files are settings files in the order in which Claude Code reads them; a later one overrides an
// earlier one.
func Plugin(files ...string) (by string, enabled bool) {
	for _, file := range files {
		for name, on := range readClaude(file).Plugins {
			if strings.HasPrefix(name, "aoa@") {
				by, enabled = file, on == true
			}
		}
	}
	return by, enabled
}

// Disabled returns the first of some Claude Code settings files that switches off all hooks, "" if
// none does.
func Disabled(files ...string) string {
	i := slices.IndexFunc(files, func(file string) bool { return readClaude(file).Disabled })
	if i < 0 {
		return ""
	}
	return files[i]
}
