// Package scripts holds what runs outside of the binary: hook scripts for those who wire aOa by hand, a few lines
// each that exec the binary; the plugin of OpenCode, which knows no commands; the plugin of Claude Code.
//
// In comes nothing, out go the files' own bytes, as `aoa hooks print` shows them. They never think, never fail
// their caller and cost one process. Installation uses only the plugin of OpenCode: elsewhere it enters the
// command itself.
package scripts

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed pre-tool-use.sh post-tool-use.sh post-commit.sh opencode-plugin.js
var files embed.FS

// Names lists the scripts, sorted: "post-commit.sh", ….
func Names() []string {
	names, err := fs.Glob(files, "*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	return names
}

// Read returns a script by its name. The error says which there are.
func Read(name string) ([]byte, error) {
	b, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("print script %q: there is none of that name; there are %v", name, Names())
	}
	return b, nil
}
