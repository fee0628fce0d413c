package install

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// PluginEnabled reports whether Claude Code's settings enable our plugin. files are settings files in the order in
// which Claude Code reads them: what a later one says counts. One that cannot be read says nothing.
func PluginEnabled(files ...string) (enabled bool) {
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
				enabled = on == true
			}
		}
	}
	return enabled
}
