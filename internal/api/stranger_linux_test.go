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
	var refused *locate.ForeignError
	if !errors.As(err, &refused) || !strings.Contains(refused.Hint(), dir) {
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

// TestSocketLosesItsName: a server whose socket was removed, renamed or replaced listens again
// under its name. If the name belongs to another daemon, or cannot be taken, it does not fight for
// it.
func TestSocketLosesItsName(t *testing.T) {
	t.Parallel()
	answers := func(p locate.Place) bool {
		conn, err := api.Dial(t.Context(), p)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	var gone atomic.Bool
	p := serve(t, &api.Server{Gone: gone.Load})
	for how, take := range map[string]func() error{
		"removed":   func() error { return os.Remove(p.Socket) },
		"renamed":   func() error { return os.Rename(p.Socket, p.Socket+"-aside") },
		"a file":    func() error { return errors.Join(os.Remove(p.Socket), os.WriteFile(p.Socket, nil, 0o600)) },
		"a folder":  func() error { return errors.Join(os.Remove(p.Socket), os.Mkdir(p.Socket, 0o700)) },
		"unchanged": func() error { return nil },
	} {
		fault.Check(t, take())
		fault.Until(t, time.Minute, how+": the server answers again", func() bool { return answers(p) })
	}
	gone.Store(true)
	fault.Check(t, errors.Join(os.Remove(p.Socket), os.WriteFile(p.Socket, []byte("of another daemon"), 0o600)))
	if fault.Within(3*time.Second, func() bool { return answers(p) }) {
		t.Error("a server takes the name that belongs to another daemon")
	}
	gone.Store(false)
	fault.Until(t, time.Minute, "the server answers", func() bool { return answers(p) })
	if st, err := os.Stat(p.Socket); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the new socket: %v, %v", st, err)
	}

	far := p
	far.Socket = filepath.Join(t.TempDir(), "aoa", "s")
	fault.Check(t, far.MakeSocketFolder())
	listen(t, &api.Server{}, far)
	fault.Check(t, os.RemoveAll(filepath.Dir(far.Socket))) // as a cleaner of /tmp does it
	fault.Until(t, time.Minute, "the server answers in a folder that was deleted", func() bool { return answers(far) })

	stuck := fault.Must(locate.Create(t.TempDir(), homeOf(t)))
	ln := fault.Must(api.Listen(stuck))
	fault.Check(t, errors.Join(os.Remove(stuck.Socket), os.MkdirAll(stuck.Socket+"/x", 0o700)))
	if err := (&api.Server{}).Serve(t.Context(), ln); err == nil {
		t.Error("a server whose name cannot be taken back ends without an error")
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
