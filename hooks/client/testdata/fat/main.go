// Command fat is as heavy as the real binary: it links what the daemon links. `fat daemon` is a scripted daemon
// for the tests: it takes the lock of the store of the repository it stands in, and answers every frame that
// waits with its process id.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	_ "github.com/alicebob/miniredis/v2"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/gofrs/flock"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/robfig/cron/v3"
	_ "github.com/spf13/cobra"
	_ "github.com/tailscale/hujson"
	_ "modernc.org/sqlite"
	_ "mvdan.cc/sh/v3/syntax"

	_ "github.com/aoa-dev/aoa/hooks/client"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "daemon" {
		if err := daemon(filepath.Join(".git", "aoa")); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(64) // the fast path was not taken
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
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			head := make([]byte, 5)
			if _, err := io.ReadFull(conn, head); err != nil {
				return
			}
			body := make([]byte, int(head[2])<<16|int(head[3])<<8|int(head[4]))
			if _, err := io.ReadFull(conn, body); err != nil {
				return
			}
			text := fmt.Sprintf("pid %d", os.Getpid())
			_, _ = conn.Write(append([]byte{0, 0, 0, 0, byte(len(text))}, text...))
		}()
	}
}
