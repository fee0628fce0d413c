package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// server is a real redis-server, on loopback and on a socket.
type server struct{ addr, socket string }

func (s server) url() string { return "redis://" + s.addr + "/0" }

// newServer starts a server that keeps nothing and ends with the test. It skips the test unless
// servers are wanted.
func newServer(t *testing.T, args ...string) server {
	t.Helper()
	if !fault.Wanted("redis") {
		t.Skip("servers are tested by scripts/dev/redis.sh and faults.sh")
	}
	if _, err := exec.LookPath("redis-server"); err != nil {
		fault.Lacking(t, "redis", "redis-server is not installed")
	}
	return serveRedis(t, args...)
}

func serveRedis(t testing.TB, args ...string) server {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoa-") // a short name: the socket lies in it
	fault.Check(t, err)
	s := server{freeAddr(t), filepath.Join(dir, "s")}
	_, port, _ := net.SplitHostPort(s.addr)
	cmd := exec.Command("redis-server", append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", dir,
		"--unixsocket", s.socket, "--save", "", "--appendonly", "no"}, args...)...)
	fault.Check(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()         // it was killed
		os.RemoveAll(dir)
	})
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket, MaxRetries: -1})
	defer c.Close()
	fault.Until(t, time.Minute, "the server answers", func() bool {
		err := c.Ping(t.Context()).Err()
		return err == nil || redis.HasErrorPrefix(err, "NOAUTH")
	})
	return s
}

// freeAddr is a free port below those that the system hands out.
func freeAddr(t testing.TB) string {
	t.Helper()
	for range 200 {
		addr := fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(10000))
		if l, err := net.Listen("tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}
