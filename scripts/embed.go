// Package scripts holds the files that run outside of the binary and that the binary installs: the
// plugin of OpenCode, which has no command hooks.
//
// Nothing goes in. The bytes of the files come out. A script decides nothing and never fails its
// caller.
package scripts

import "embed"

//go:embed opencode-plugin.js
var files embed.FS

// Read returns a script by its name. The error is that of a file that does not exist.
func Read(name string) ([]byte, error) { return files.ReadFile(name) }
