package hooks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/agents"
)

func TestPlugin(t *testing.T) {
	read := func(name string, v any) {
		dec := json.NewDecoder(bytes.NewReader(contentOf(t, name)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var market struct {
		Name    string
		Owner   struct{ Name string }
		Plugins []struct{ Name, Source, Description string }

		Description string
	}
	read("../.claude-plugin/marketplace.json", &market)
	if len(market.Plugins) != 1 || market.Name == "" || market.Owner.Name == "" {
		t.Fatalf("marketplace: %+v", market)
	}
	root := filepath.Join("..", filepath.FromSlash(market.Plugins[0].Source))
	var plugin struct {
		Name, Version, Description, Homepage, Repository, License, Icon string

		Author   struct{ Name string }
		Keywords []string
	}
	read(filepath.Join(root, ".claude-plugin", "plugin.json"), &plugin)
	if plugin.Name != market.Plugins[0].Name || plugin.Description != market.Plugins[0].Description {
		t.Errorf("plugin %+v, marketplace %+v", plugin, market)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(plugin.Version) || market.Description == "" {
		t.Errorf("version %q; the marketplace is described as %q", plugin.Version, market.Description)
	}
	var codex struct {
		Name, Version, Description, Homepage, License, Hooks, Skills, MCPServers string

		Author struct{ Name string }
	}
	read(filepath.Join(root, ".codex-plugin", "plugin.json"), &codex)
	if codex.Name != plugin.Name || codex.Version != plugin.Version || codex.Description != plugin.Description {
		t.Errorf("for Codex %+v, for Claude Code %+v", codex, plugin)
	}
	for _, part := range []string{codex.Hooks, codex.Skills, codex.MCPServers} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(part))); err != nil || part == "" {
			t.Errorf("part %q of the plugin: %v", part, err)
		}
	}
	if icon := contentOf(t, filepath.Join(root, filepath.FromSlash(plugin.Icon))); !bytes.HasPrefix(icon,
		[]byte("<svg ")) {
		t.Errorf("icon %s: %.40s", plugin.Icon, icon)
	}
	var mcp struct {
		Servers map[string]struct {
			Type, Command string
			Args          []string
		} `json:"mcpServers"`
	}
	read(filepath.Join(root, ".mcp.json"), &mcp)
	if s := mcp.Servers["aoa"]; s.Command != "aoa" || strings.Join(s.Args, " ") != "mcp" {
		t.Errorf("%+v", mcp)
	}
	skill := string(contentOf(t, filepath.Join(root, "skills", "aoa", "SKILL.md")))
	if n := strings.Count(skill, "\n"); n > 60 || !strings.HasPrefix(skill, "---\nname: aoa\ndescription: ") {
		t.Errorf("%d lines:\n%s", n, skill)
	}
	for _, tool := range agents.OwnTools {
		if !strings.Contains(skill, "`"+tool+"`") {
			t.Errorf("the skill does not know %s", tool)
		}
	}
}
