package api_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestOtherUserListens: a process of another user listens on the socket, whose name and folder pass
// for the caller's own. Nothing is sent to it, and the error says who it is, where, and what to do.
func TestOtherUserListens(t *testing.T) {
	p := fault.Must(locate.Create(t.TempDir(), homeOf(t)))
	p.Socket = "/tmp/aoa-test-" + locate.Fingerprint(p.Store) + "/sock"
	dir := strings.TrimSuffix(p.Socket, "/sock")
	t.Cleanup(func() { os.RemoveAll(dir) })
	fault.Check(t, os.Mkdir(dir, 0o700))
	stranger := fault.Occupy(t, p.Socket, "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n"+`{"pid": 4711}`)
	st, err := api.Call(t.Context(),
		&api.Client{Place: p, Start: func(context.Context) error { return errors.New("started one") }}, api.Status, api.None{})
	if err == nil || errors.Is(err, api.ErrNoDaemon) || st.Pid != 0 {
		t.Fatalf("the other user's answer counts: %+v, %v", st, err)
	}
	if text := err.Error(); !strings.Contains(text, "user 65534") || !strings.Contains(text, p.Socket) {
		t.Errorf("the error does not say who and where: %s", text)
	}
	if refused, ok := errors.AsType[*locate.ForeignError](err); !ok || !strings.Contains(refused.Hint(), dir) {
		t.Errorf("the error does not say what to do: %#v", err)
	}
	fault.Until(t, time.Minute, "it was tried", func() bool { return stranger.Connections.Load() > 0 })
	if n := stranger.Bytes.Load(); n > 0 {
		t.Errorf("the other user got %d bytes", n)
	}
}

// TestOtherUserCalls: a process of another user that gets at the socket is not served, neither as a
// hook nor over HTTP.
func TestOtherUserCalls(t *testing.T) {
	var served atomic.Int64
	p := serve(t, &api.Server{HTTP: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) })})
	fault.Check(t, errors.Join(os.Chmod(filepath.Dir(p.Store), 0o755), os.Chmod(p.Store, 0o755),
		os.Chmod(p.Socket, 0o777)))
	for what, sent := range map[string]string{"a hook": "POST /v1/hook", "a request": "GET /v1/status"} {
		conn, err := fault.AsNobody(t, func() (net.Conn, error) { return net.Dial("unix", p.Socket) })
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		// the server may have closed it already
		_, _ = io.WriteString(conn, sent+" HTTP/1.1\r\nHost: aoa\r\nConnection: close\r\n\r\n")
		if answer, _ := io.ReadAll(conn); len(answer) > 0 || served.Load() > 0 {
			t.Errorf("%s of another user is answered: %q", what, answer)
		}
		conn.Close()
	}
}

// TestSocketLosesItsName: a listener notices that its socket was removed, renamed or replaced, and
// then removes no file of that name.
func TestSocketLosesItsName(t *testing.T) {
	for how, take := range map[string]func(socket string) error{
		"removed": os.Remove,
		"renamed": func(socket string) error { return os.Rename(socket, socket+"-aside") },
		"a file":  func(socket string) error { return errors.Join(os.Remove(socket), os.WriteFile(socket, nil, 0o600)) },
		"a socket": func(socket string) error {
			_, err := api.Listen(locate.Place{Socket: socket})
			return err
		},
	} {
		socket := filepath.Join(t.TempDir(), "s")
		ln := fault.Must(api.Listen(locate.Place{Socket: socket}))
		if !ln.Named() {
			t.Errorf("%s: the socket never had its name", how)
		}
		fault.Check(t, take(socket))
		_, before := os.Lstat(socket)
		named := ln.Named()
		fault.Check(t, ln.Close())
		if _, after := os.Lstat(socket); named || (before == nil) != (after == nil) {
			t.Errorf("%s: it has its name: %v; the file was there: %v, then: %v", how, named, before, after)
		}
	}
}

// TestMain lets the test binary be the daemon that Spawn starts. It ends at once.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "daemon" {
		return
	}
	m.Run()
}

// TestNoZombies: aoa mcp lives as long as its client and starts a daemon whenever a question finds
// none. Of the daemons that have ended nothing is left.
func TestNoZombies(t *testing.T) {
	for range 3 {
		fault.Check(t, api.Spawn(t.Context(), t.TempDir(), os.Environ()))
	}
	fault.Until(t, time.Minute, "this process has no child", func() bool {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		return errors.Is(err, unix.ECHILD)
	})
}
