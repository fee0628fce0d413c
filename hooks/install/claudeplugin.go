package install

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Plugin reports whether Claude Code's settings enable our plugin, and which file says so, or "".
// files are settings files in the order in which Claude Code reads them; a later one overrides an
// earlier one. A file that cannot be read is skipped.
func Plugin(files ...string) (by string, enabled bool) {
	for _, file := range files {
		b, err := regularfile.Read(file, regularfile.FollowLinks, maxSettings)
		if err != nil {
			continue
		}
		if b, err = hujson.Standardize(b); err != nil {
			continue
		}
		var settings struct {
			Plugins map[string]any `json:"enabledPlugins"`
		}
		_ = json.Unmarshal(b, &settings)
		for name, on := range settings.Plugins {
			if strings.HasPrefix(name, "aoa@") {
				by, enabled = file, on == true
			}
		}
	}
	return by, enabled
}
