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

// TestConfigPage holds docs/config.md to the settings that exist; make golden rewrites it.
func TestConfigPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Settings

Made by ` + "`make golden`" + ` from internal/config/table.go. ` + "`aoa config KEY VALUE`" + ` sets one for this
repository, with ` + "`--user`" + ` for all of yours. What counts, strongest first: the variable ` + "`AOA_KEY`" + `
(` + "`AOA_STAGE_BYTES`" + ` of stage.bytes; tags have none), the repository's file, yours, the default. Both files are in
your home folder, so that nothing in a repository can change a setting: ` + "`aoa config --json`" + ` names them.

A daemon that is running follows a change at once. The settings that it reads only at its start say so below, and
` + "`aoa config`" + ` says it when you change one: ` + "`aoa daemon stop`" + `, and the next command starts the daemon again. The
variables of a daemon are those of the command that started it.

| key | default | values | what it does |
| --- | --- | --- | --- |
`)
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
	fault.Golden(t, "../../docs/config.md", b.String())
}

// TestDrivenVersions: the table of agents in docs/limits.md says which versions were driven.
func TestDrivenVersions(t *testing.T) {
	page, err := os.ReadFile("../../docs/limits.md")
	fault.Check(t, err)
	for _, a := range agents.All {
		version := cmp.Or(a.Driven, "none: by its documentation")
		if row := "| " + a.Title + " | " + version + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/limits.md has no row %q", row)
		}
	}
}
