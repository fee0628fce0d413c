// Package scripts holds files that run outside of the binary: hook scripts for manual installation, which exec the
// binary; the plugin of OpenCode, which has no command hooks; the plugin of Claude Code.
//
// Nothing goes in. The bytes of the files come out, as `aoa hooks print` shows them. A script decides nothing, never
// fails its caller, and takes one process. Installation uses only the plugin of OpenCode. For other agents it writes
// the command itself.
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
