package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

// release is set by the linker for released binaries.
var release = ""

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// build returns a text that identifies the binary, even among those of one version. A client of
// another build replaces the daemon.
func build() string {
	self, err := os.Executable()
	if err != nil {
		return version()
	}
	st, err := os.Stat(self)
	if err != nil {
		return version()
	}
	return fmt.Sprintf("%s-%x-%x", version(), st.Size(), st.ModTime().UnixNano())
}
