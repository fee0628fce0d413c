package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/aoa-dev/aoa/hooks/client"
)

func main() {
	if args := os.Args[1:]; len(args) > 0 && args[0] == "hook" && !slices.Contains(args, "--help") &&
		!slices.Contains(args, "-h") {
		client.Main(args[1:]) // ends the process
	}
	defer func() {
		if fault := recover(); fault != nil { // Go would exit with 2, which Claude Code takes for "block this call"
			fmt.Fprintf(os.Stderr, "aoa: a fault in aOa, please report it: %v\n%s", fault, debug.Stack())
			os.Exit(exitFailed)
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}

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
