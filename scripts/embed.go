// Package scripts holds the hook scripts for those who wire aOa by hand: a few lines each that exec the binary.
//
// In comes nothing, out go the scripts' own bytes, as `aoa hooks print` shows them. They never think, never
// fail their caller and cost one shell. Installation does not use them: it enters the command itself.
package scripts

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed pre-tool-use.sh post-tool-use.sh post-commit.sh
var files embed.FS

// Names lists the scripts, sorted: "post-commit.sh", ….
func Names() []string {
	names, err := fs.Glob(files, "*.sh")
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
