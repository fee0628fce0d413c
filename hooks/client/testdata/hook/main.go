// Command hook is the hook client with a scripted daemon: `hook daemon` takes the lock of the store
// of the repository it stands in, and answers every hook with its process id. With other arguments
// it is the client.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "daemon" {
		if err := daemon(filepath.Join(".git", "aoa")); err != nil {
			os.Exit(1)
		}
		return
	}
	client.Main(os.Args[1:])
}

func daemon(store string) error {
	won, err := flock.New(filepath.Join(store, "lock")).TryLock()
	if err != nil || !won {
		return fmt.Errorf("lock: %v %w", won, err)
	}
	log, err := os.OpenFile(filepath.Join(store, "started"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	fmt.Fprintln(log, os.Getpid(), len(os.Getenv("GIT_DIR")))
	_ = os.Remove(filepath.Join(store, "sock"))
	ln, err := net.Listen("unix", filepath.Join(store, "sock"))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	api.HandleHook(mux, func(context.Context, api.Hook) []byte { return fmt.Appendf(nil, "pid %d", os.Getpid()) })
	return http.Serve(ln, mux)
}
