package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// server is a real redis-server on loopback, which tests kill, stop and start again.
type server struct {
	*testing.T
	addr string
	args []string
	cmd  *exec.Cmd
}

// kept are the settings of a server that forgets at most what a power failure takes.
var kept = []string{"--appendonly", "yes", "--appendfsync", "everysec"}

// fleeting are those of a server that is empty when it comes back.
var fleeting = []string{"--save", "", "--appendonly", "no"}

// newServer starts a server, which ends with the test. It skips the test unless servers are wanted.
func newServer(t *testing.T, args ...string) *server {
	t.Helper()
	if !fault.Wanted("redis") {
		t.Skip("servers are tested by make redis and make faults")
	}
	if _, err := exec.LookPath("redis-server"); err != nil {
		fault.Lacking(t, "redis", "redis-server is not installed")
	}
	dir, err := os.MkdirTemp("", "aoa")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &server{T: t, addr: freeAddr(t)}
	_, port, _ := net.SplitHostPort(s.addr)
	s.args = append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", dir, "--logfile", filepath.Join(dir, "log")},
		args...)
	s.start()
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

func (s *server) start() {
	s.Helper()
	s.cmd = exec.Command("redis-server", s.args...)
	check(s.T, s.cmd.Start())
	s.Cleanup(s.kill) // also when it never answers
	s.ready()
}

// ready waits until the server answers.
func (s *server) ready() {
	s.Helper()
	d := sandbox{T: s.T}
	d.until("the server answers", func() bool {
		conn, err := net.DialTimeout("tcp", s.addr, time.Second)
		if err != nil {
			return false
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(time.Second))
		fmt.Fprint(conn, "PING\r\n")
		line, _ := bufio.NewReader(conn).ReadString('\n')
		return line == "+PONG\r\n" || strings.HasPrefix(line, "-NOAUTH")
	})
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may be gone
	_ = s.cmd.Wait()         // it was killed
}

func (s *server) url() string { return "redis://" + s.addr + "/0" }

// tell gives one command on a connection of its own.
func (s *server) tell(args ...any) (string, error) {
	c := redis.NewClient(&redis.Options{Addr: s.addr, MaxRetries: -1, Protocol: 2, DisableIdentity: true})
	defer c.Close()
	v, err := c.Do(context.Background(), args...).Result()
	return fmt.Sprint(v), err
}

// watched is a master with a replica and the sentinel that turns the one into the other.
type watched struct {
	*testing.T
	nodes    [2]*server
	sentinel *server
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{T: t, nodes: [2]*server{newServer(t, fleeting...),
		newServer(t, append(fleeting, "--repl-diskless-sync-delay", "0")...)}}
	host, port, _ := net.SplitHostPort(w.nodes[0].addr)
	if _, err := w.nodes[1].tell("REPLICAOF", host, port); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "aoa")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "sentinel.conf")
	check(t, os.WriteFile(file,
		fmt.Appendf(nil, "sentinel monitor main %s %s 1\nsentinel down-after-milliseconds main 1000\nsentinel "+
			"failover-timeout main 3000\n", host, port), 0o600))
	w.sentinel = &server{T: t, addr: freeAddr(t)}
	_, port, _ = net.SplitHostPort(w.sentinel.addr)
	w.sentinel.args = []string{file, "--sentinel", "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--logfile",
		filepath.Join(dir, "log")}
	w.sentinel.start()
	w.whole()
	return w
}

func (w *watched) url() string { return "redis://" + w.sentinel.addr + "?master_name=main" }

// whole waits until the sentinel knows a replica that follows.
func (w *watched) whole() {
	w.Helper()
	d := sandbox{T: w.T}
	d.until("the sentinel knows a replica", func() bool {
		known, err := w.sentinel.tell("SENTINEL", "REPLICAS", "main")
		return err == nil && strings.Contains(known, "master-link-status ok") && !strings.Contains(known, "s_down") &&
			!strings.Contains(known, "disconnected")
	})
}

// master is the node that the sentinel sends writers to.
func (w *watched) master() *server {
	w.Helper()
	known, err := w.sentinel.tell("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
	check(w.T, err)
	for _, n := range w.nodes {
		_, port, _ := net.SplitHostPort(n.addr)
		if strings.Contains(known, port) {
			return n
		}
	}
	w.Fatalf("the master is %s, which is none of ours", known)
	return nil
}
