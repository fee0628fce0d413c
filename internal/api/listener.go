package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/peer"
)

// Listener is the listening socket of a daemon. It remembers its own file, because the name may
// later belong to the daemon of a store that replaced this one, or someone may have removed the
// file.
type Listener struct {
	*net.UnixListener
	place locate.Place
	file  os.FileInfo // the file as it was created; its inode is not reused while the socket listens
}

// Listen creates the socket with mode 0600. The caller holds the store's lock, so an existing
// socket is a leftover.
func Listen(p locate.Place) (*Listener, error) {
	if err := os.Remove(p.Socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", p.Socket, err)
	}
	ln.SetUnlinkOnClose(false) // it would remove another daemon's socket with that name: see release
	l := &Listener{UnixListener: ln, place: p}
	if err = os.Chmod(p.Socket, 0o600); err == nil {
		l.file, err = os.Lstat(p.Socket)
	}
	if err != nil {
		ln.Close()
		return nil, fmt.Errorf("restrict the socket to its owner: %w", err)
	}
	return l, nil
}

// release removes the socket's file, unless the name now belongs to another daemon's socket.
func (l *Listener) release() {
	if named(l.place.Socket, l.file) {
		_ = os.Remove(l.place.Socket)
	}
}

// Close stops listening and removes the socket's file.
func (l *Listener) Close() error {
	l.release()
	return l.UnixListener.Close()
}

// Clients may have connected just before the socket's name was removed. The listener accepts them
// until none has come for the time drain. It tries drainTries times, because on a busy machine one
// try may end too early.
const (
	drain      = 20 * time.Millisecond
	drainTries = 3
)

// lookEvery is how often a listener checks that its socket still has its name. A program that
// cleans /tmp, or a person, may have removed the file, and then no client could connect any more.
const lookEvery = time.Second

// errNameless is the error of Accept when the socket file was deleted.
var errNameless = errors.New("the socket file was deleted")

// until returns the listener in the form that http.Server takes. When ctx ends, it removes the
// socket's name, accepts every client that had already connected, and closes. It never accepts
// processes of other users. gone reports whether the name belongs to another daemon.
func (l *Listener) until(ctx context.Context, gone func() bool) *callers {
	e := &callers{ctx: ctx, gone: gone}
	e.use(l)
	return e
}

// use makes e accept from a listener.
func (e *callers) use(l *Listener) {
	e.Listener = l
	context.AfterFunc(e.ctx, func() { _ = l.SetDeadline(time.Now()) })
}

// again listens again under the lost name. It also creates the folder if that is missing.
func (e *callers) again() error {
	if err := e.place.MakeSocketFolder(); err != nil {
		return err
	}
	l, err := Listen(e.place)
	if err == nil {
		e.use(l)
	}
	return err
}

// callers is a Listener that ends with ctx.
type callers struct {
	*Listener
	ctx    context.Context
	gone   func() bool
	quiet  int            // number of times that no client was waiting
	unread sync.WaitGroup // connections that have not sent a request yet
}

// caller is an accepted connection.
type caller struct {
	net.Conn
	heard func() // called when a request has been read, or when none will come
}

func (c *caller) Close() error {
	c.heard()
	return c.Conn.Close()
}

// wait returns when a request of every connection has been read, or ctx ends.
func (e *callers) wait(ctx context.Context) {
	all := make(chan struct{})
	go func() { e.unread.Wait(); close(all) }()
	select {
	case <-all:
	case <-ctx.Done():
	}
}

// Accept implements net.Listener.
func (e *callers) Accept() (net.Conn, error) {
	for e.quiet < drainTries {
		err := e.SetDeadline(time.Now().Add(lookEvery))
		if e.ctx.Err() != nil { // ctx is checked after setting the deadline, because the end of ctx sets one, too
			e.release()
			err = e.SetDeadline(time.Now().Add(drain))
		}
		if err != nil {
			break
		}
		conn, err := e.UnixListener.Accept()
		switch {
		case err == nil:
			e.quiet = 0
			if peer.Caller(conn) == nil {
				e.unread.Add(1)
				return &caller{Conn: conn, heard: sync.OnceFunc(e.unread.Done)}, nil
			}
			conn.Close()
		case errors.Is(err, os.ErrDeadlineExceeded) && e.ctx.Err() != nil:
			e.quiet++
		case errors.Is(err, os.ErrDeadlineExceeded):
			if !named(e.place.Socket, e.file) && (e.gone == nil || !e.gone()) {
				return nil, errNameless
			}
		case errors.Is(err, net.ErrClosed):
			return nil, err
		default: // no file descriptors are left, but there may soon be one
			select {
			case <-time.After(10 * time.Millisecond):
			case <-e.ctx.Done():
				e.quiet++
			}
		}
	}
	return nil, net.ErrClosed
}
