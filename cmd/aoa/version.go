package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by the linker for released binaries.
var release = ""

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "the version of this binary",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := map[string]string{"version": version(), "build": build(), "go": runtime.Version(), "os": runtime.GOOS,
				"arch": runtime.GOARCH}
			return a.answer(v, func() { fmt.Fprintln(a.out, versionLine()) })
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("aoa %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// build distinguishes binaries, also two of the same version: a client of another build replaces the daemon.
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
