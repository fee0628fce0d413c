//go:build unix

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
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBusyIsNotSilent: a daemon that works on an answer for long is asked for a sign of life, gives
// it, and is waited for.
func TestBusyIsNotSilent(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	var once sync.Once
	mux := http.NewServeMux()
	api.Handle(mux, api.Ping, func(context.Context, api.None) (api.None, error) {
		once.Do(func() { close(asked) })
		return api.None{}, nil
	})
	api.Handle(mux, api.Rank, func(context.Context, event.Query) (event.Answer, error) {
		<-asked
		return event.Answer{Confidence: 0.5}, nil
	})
	p := serve(t, &api.Server{HTTP: mux})
	if ans, err := api.Call(t.Context(), &api.Client{Place: p}, api.Rank, event.Query{}); err != nil ||
		ans.Confidence != 0.5 {
		t.Errorf("a busy daemon: %v, %v", ans, err)
	}
}

// TestSilent: of a daemon that does not accept, does not answer, or stops in the middle of its
// answer, the error says which process it is. None other is started.
func TestSilent(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{"does not answer": "",
		"stops in its answer": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
		"does not accept":     "-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := quietPlace(t)
			if said == "-" {
				fault.FullQueue(t, p.Socket)
			} else {
				stuck(t, p.Socket, said)
			}
			c := &api.Client{Place: p, Start: func(context.Context) error { t.Error("another daemon is started"); return nil }}
			_, err := api.Call(t.Context(), c, api.Status, api.None{})
			var silent *api.Silent
			var e *event.Refusal
			if !errors.As(err, &silent) || !errors.As(err, &e) || e.Code != event.CodeSilent || e.Hint == "" ||
				errors.Is(err, api.ErrNoDaemon) {
				t.Fatalf("%v", err)
			}
			if said != "-" && silent.Pid != os.Getpid() && silent.Pid != 0 {
				t.Errorf("it is process %d, not %d", silent.Pid, os.Getpid())
			}
		})
	}
}

// quietPlace is a place without a listener.
func quietPlace(t *testing.T) locate.Place {
	t.Helper()
	dir := fault.Must(os.MkdirTemp("", "api"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	return fault.Must(locate.Create(dir, homeOf(t)))
}

// stuck accepts, says the same to the first caller, and nothing after that.
func stuck(t *testing.T, socket, said string) {
	t.Helper()
	ln := fault.Must(net.Listen("unix", socket))
	var conns []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			if len(conns) == 0 && said != "" {
				_, _ = c.Read(make([]byte, 1)) // an answer that comes before its question counts as a broken connection
				_, _ = io.WriteString(c, said)
			}
			conns = append(conns, c)
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
		for _, c := range conns {
			c.Close()
		}
	})
}

// TestLinksAndOtherUsers: a store, a folder or a socket that is a link, or belongs to another user,
// is refused before anything is written to it or read from it.
func TestLinksAndOtherUsers(t *testing.T) {
	p := serve(t, &api.Server{})
	conn, err := api.Dial(t.Context(), p)
	if err != nil {
		t.Fatalf("nothing is refused by itself: %v", err)
	}
	conn.Close()

	for name, to := range map[string]string{"a link to a folder": t.TempDir(), "a link to nothing": "/nowhere",
		"a link to itself": "aoa"} {
		dir := t.TempDir()
		fault.Check(t, os.Symlink(to, filepath.Join(dir, "aoa")))
		if _, err := locate.Create(dir, homeOf(t)); err == nil {
			t.Errorf("%s passes for a store", name)
		}
		if left, _ := os.ReadDir(to); len(left) > 0 {
			t.Errorf("%s: something was written there: %v", name, left)
		}
	}
	if os.Getuid() != 0 {
		return // the rest gives things away
	}
	const stranger = 65534
	refused := func(what, name string) {
		t.Helper()
		fault.Check(t, os.Lchown(name, stranger, stranger))
		_, err := api.Dial(context.Background(), p)
		if err == nil || errors.Is(err, api.ErrNoDaemon) || !strings.Contains(err.Error(), "belongs to user 65534") {
			t.Errorf("%s: %v", what, err)
		}
		fault.Check(t, os.Lchown(name, 0, 0))
	}
	refused("a socket of another user", p.Socket)
	refused("a folder of another user", p.Store)
	aside := p.Socket + "-aside"
	fault.Check(t, errors.Join(os.Rename(p.Socket, aside), os.Symlink(aside, p.Socket)))
	refused("a link that another user put there", p.Socket)
	fault.Check(t, os.Chown(p.Store, stranger, stranger))
	if _, err := locate.Create(filepath.Dir(p.Store), homeOf(t)); err == nil ||
		!strings.Contains(err.Error(), "belongs to user 65534") {
		t.Errorf("a store of another user: %v", err)
	}
}

// TestCallThatEndsItsDaemon: a call during which the daemon ends twice is not repeated any more.
func TestCallThatEndsItsDaemon(t *testing.T) {
	t.Parallel()
	p, starts := quietPlace(t), 0
	start := func(context.Context) error {
		starts++
		ln, err := net.Listen("unix", p.Socket)
		go func() {
			if conn, err := ln.Accept(); err == nil {
				_, _ = conn.Read(make([]byte, 1))
				ln.Close()
				conn.Close()
			}
		}()
		return err
	}
	_, err := api.Call(t.Context(), &api.Client{Place: p, Start: start}, api.Rank, event.Query{})
	if starts != 2 || err == nil || errors.Is(err, api.ErrNoDaemon) {
		t.Errorf("after %d starts: %v", starts, err)
	}
}
