package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestConfigPage holds docs/config.md to the settings that exist; make golden rewrites it.
func TestConfigPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Settings

Made by ` + "`make golden`" + ` from internal/config/config.go. ` + "`aoa config KEY VALUE`" + ` sets one for this repository, with ` + "`--user`" + ` for all of
yours. What counts, strongest first: the variable ` + "`AOA_KEY`" + ` (` + "`AOA_STAGE_BYTES`" + ` of stage.bytes; tags have none), the repository's file, yours, the default.
Both files are in your home folder, so that nothing in a repository can change a setting: ` + "`aoa config --json`" + ` names them.
` + "`AOA=0`" + ` or ` + "`AOA_SKIP=1`" + ` switches the hooks off for a process; ` + "`AOA_STORE`" + ` names another folder for the store, a new or an empty one;
` + "`AOA_PATIENCE=N`" + ` lets hooks and the status line wait N times longer for an answer (1 to 100), on slow machines.

| key | default | values | what it does | who changes it |
| --- | --- | --- | --- | --- |
`)
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	for _, k := range config.Keys() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, cell(k.Default), cell(k.Allowed), cell(k.Help), cell(k.Who))
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
