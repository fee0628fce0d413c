package team

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// Place is what may stand behind redis_url.
type Place struct {
	Name string
	Open func(testing.TB) string // makes it and returns its redis_url
}

// Places are what may stand behind redis_url. Servers are started by the test.
var Places = []Place{
	{"miniredis", func(t testing.TB) string { return "redis://" + miniredis.RunT(t).Addr() }},
	{"tcp", func(t testing.TB) string { return "redis://" + Serve(t, "redis-server") + "/3" }},
	{"socket", func(t testing.TB) string {
		file := filepath.Join(shortDir(t), "s")
		Serve(t, "redis-server", "--unixsocket", file)
		return "unix://" + file + "?db=1&client_name=laptop"
	}},
	{"tls, access list", serveSafe},
	{"sentinel", serveSentinel},
	{"cluster", ServeCluster},
	{"valkey", func(t testing.TB) string { return "redis://" + Serve(t, "valkey-server") }},
}

// NeedServer skips the test unless servers are wanted (AOA_TEST_REDIS names one, or AOA_REQUIRE
// says redis) and there; where they are required it fails. Valkey is required nowhere: the report
// says when it was not there.
func NeedServer(t testing.TB, program string) {
	t.Helper()
	if !fault.Wanted("redis") {
		t.Skip("servers are tested by scripts/dev/redis.sh")
	}
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if program == "redis-server" {
		fault.Lacking(t, "redis", "%s is not installed", program)
	}
	t.Skipf("NOT RUN: %s is not installed", program)
}

func shortDir(t testing.TB) string {
	dir := fault.Must(os.MkdirTemp("", "aoa")) // a socket's name is short
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Serve runs a server on loopback until the test ends, and returns its address.
func Serve(t testing.TB, program string, args ...string) string {
	t.Helper()
	NeedServer(t, program)
	addr := freeAddr(t)
	start(t, program, addr, args...)
	await(t, "the server", func(ctx context.Context) error { return ask(ctx, addr, "PING") })
	return addr
}

func start(t testing.TB, program, addr string, args ...string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	run(t, program, append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
		shortDir(t)}, args...)...)
}

func run(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	fault.Check(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill() // gone already
		cmd.Wait()         // killed
	})
}

// freeAddr finds a free port below the ones that the system hands out, and space for a cluster's
// second port above it.
func freeAddr(t testing.TB) string {
	t.Helper()
	for range 200 {
		addr := fmt.Sprintf("127.0.0.1:%d", 12000+fault.Must(rand.Int(rand.Reader, big.NewInt(10000))).Int64())
		if l, err := net.Listen("tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}

// ask gives one command on a connection of its own.
func ask(ctx context.Context, addr string, args ...any) error {
	_, err := answer(ctx, addr, args...)
	return err
}

func answer(ctx context.Context, addr string, args ...any) (string, error) {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, Protocol: 2, DisableIdentity: true})
	defer c.Close()
	v, err := c.Do(ctx, args...).Result()
	return fmt.Sprint(v), err
}

// await asks again until there is no error, for at most half a minute.
func await(t testing.TB, what string, fn func(context.Context) error) {
	t.Helper()
	var err error
	defer func() {
		if err != nil {
			t.Log(err)
		}
	}()
	fault.Until(t, 30*time.Second, what, func() bool {
		err = fn(t.Context())
		return err == nil
	})
}

// ServeCluster runs three nodes that share the slots.
func ServeCluster(t testing.TB) string {
	t.Helper()
	NeedServer(t, "redis-server")
	var nodes []string
	for range 3 {
		nodes = append(nodes, Serve(t, "redis-server", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000"))
	}
	for i, n := range nodes {
		first, last := i*16384/3, (i+1)*16384/3-1
		host, port, _ := net.SplitHostPort(nodes[0])
		for _, args := range [][]any{{"CLUSTER", "ADDSLOTSRANGE", first, last}, {"CLUSTER", "SET-CONFIG-EPOCH", i + 1},
			{"CLUSTER", "MEET", host, port}} {
			fault.Check(t, ask(t.Context(), n, args...))
		}
	}
	for _, n := range nodes {
		await(t, "the cluster", func(ctx context.Context) error {
			info, err := answer(ctx, n, "CLUSTER", "INFO")
			if err == nil && !(strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")) {
				err = fmt.Errorf("not yet: %s", info)
			}
			return err
		})
	}
	return "redis://" + nodes[0] + "?addr=" + strings.Join(nodes[1:], "&addr=")
}

// serveSentinel runs a server and a sentinel that watches it.
func serveSentinel(t testing.TB) string {
	t.Helper()
	host, port, _ := net.SplitHostPort(Serve(t, "redis-server"))
	file := filepath.Join(shortDir(t), "sentinel.conf")
	fault.Check(t, os.WriteFile(file, []byte(fmt.Sprintf("sentinel monitor main %s %s 1\n", host, port)), 0o600))
	sentinel := freeAddr(t)
	_, port, _ = net.SplitHostPort(sentinel)
	run(t, "redis-server", file, "--sentinel", "--port", port, "--bind", "127.0.0.1")
	await(t, "the sentinel", func(ctx context.Context) error {
		return ask(ctx, sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
	})
	return "redis://" + sentinel + "?master_name=main"
}

// Rights are what an access list must grant; docs/team.md shows it.
var Rights = strings.Fields("resetkeys resetchannels ~aoa:* -@all +ping +hello +client|setname +get +set +setnx " +
	"+xadd +xdel +xlen +xrange +xinfo|stream +del")

// trusted is the folder of a certificate of this machine, which this process trusts like those of the
// system.
var trusted = sync.OnceValue(func() string {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	pair, dir := s.TLS.Certificates[0], fault.Must(os.MkdirTemp("", "aoa-ca"))
	write := func(name, kind string, der []byte) error {
		return os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
	}
	key := fault.Must(x509.MarshalPKCS8PrivateKey(pair.PrivateKey))
	if err := errors.Join(write("server.crt", "CERTIFICATE", pair.Certificate[0]), write("server.key", "PRIVATE KEY", key),
		os.Setenv("SSL_CERT_FILE", filepath.Join(dir, "server.crt"))); err != nil {
		panic(err)
	}
	return dir
})

// serveSafe runs a server that takes only TLS, and a user with no more rights than needed.
func serveSafe(t testing.TB) string {
	t.Helper()
	NeedServer(t, "redis-server")
	file := func(name string) string { return filepath.Join(trusted(), name) }
	acl := filepath.Join(t.TempDir(), "users.acl")
	rights := "user default off\nuser aoa on >p@ss " + strings.Join(Rights, " ") + "\n"
	fault.Check(t, os.WriteFile(acl, []byte(rights), 0o600))
	addr := freeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	start(t, "redis-server", "127.0.0.1:0", "--tls-port", port, "--tls-cert-file", file("server.crt"), "--tls-key-file",
		file("server.key"), "--tls-ca-cert-file", file("server.crt"), "--tls-auth-clients", "no", "--aclfile", acl)
	url := "rediss://aoa:p%40ss@" + addr + "/0"
	c := fault.Must(dial(url))
	defer c.Close()
	await(t, "the server", func(ctx context.Context) error { return c.Ping(ctx).Err() })
	return url
}
