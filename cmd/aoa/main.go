package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/aoa-dev/aoa/hooks/client" // its init answers `aoa hook` before the other packages start
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}
