package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/aoa-dev/aoa/hooks/client"
)

func main() {
	if args := os.Args[1:]; len(args) > 0 && args[0] == "hook" && !slices.Contains(args, "--help") &&
		!slices.Contains(args, "-h") {
		client.Main(args[1:]) // ends the process
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}
