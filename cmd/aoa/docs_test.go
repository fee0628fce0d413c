package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestConfigPage holds docs/configuration.md to the settings that exist.
func TestConfigPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| key | default | values | what it does |\n| --- | --- | --- | --- |\n")
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	for _, k := range config.Keys() {
		help := k.Help
		if k.Effect != config.AtOnce {
			help += " A change takes effect " + string(k.Effect) + "."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, cell(k.Default), cell(k.Allowed), cell(help))
	}
	b.WriteString("\nOther variables:\n\n| variable | what it does |\n| --- | --- |\n")
	for _, v := range config.Variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Name, v.Help)
	}
	b.WriteString("\n| kind | shown |\n| --- | --- |\n")
	for _, k := range config.Kinds {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.Name, k.Help)
	}
	section(t, "docs/configuration.md", "settings", b.String())
}

// TestDrivenVersions: the table of agents in docs/agents.md says which versions were driven.
func TestDrivenVersions(t *testing.T) {
	page, err := os.ReadFile("../../docs/agents.md")
	fault.Check(t, err)
	for _, a := range agents.All {
		version := cmp.Or(a.Driven, "none: by its documentation")
		if row := "| " + a.Title + " | " + version + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/agents.md has no row %q", row)
		}
	}
}
