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
	"github.com/aoa-dev/aoa/internal/schedule"
)

// Listener is the listening socket of a daemon. It remembers its own file, because the name may
// later belong to the daemon of a store that replaced this one, or someone may have removed the
// file.
type Listener struct {
	*net.UnixListener
	name string
	file os.FileInfo // the file as it was created; its inode is not reused while the socket listens
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
	l := &Listener{UnixListener: ln, name: p.Socket}
	if err = os.Chmod(p.Socket, 0o600); err == nil {
		l.file, err = os.Lstat(p.Socket)
	}
	if err != nil {
		ln.Close()
		return nil, fmt.Errorf("restrict the socket to its owner: %w", err)
	}
	return l, nil
}

// Named reports whether the socket still has its name, by which clients find it. A program that
// cleans /tmp, or a person, may have removed the file.
func (l *Listener) Named() bool { return named(l.name, l.file) }

// release removes the socket's file, unless the name now belongs to another daemon's socket.
func (l *Listener) release() {
	if l.Named() {
		_ = os.Remove(l.name)
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

// callers is a Listener in the form that http.Server takes. When ctx ends, it removes the socket's
// name, accepts every client that had already connected, and closes. It never accepts processes of
// other users.
type callers struct {
	*Listener
	ctx    context.Context
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
	defer context.AfterFunc(e.ctx, func() { _ = e.SetDeadline(time.Now()) })()
	for quiet := 0; quiet < drainTries; { // how often no client was waiting
		if e.ctx.Err() != nil {
			e.release()
			_ = e.SetDeadline(time.Now().Add(drain)) // it fails only if the listener is closed
		}
		conn, err := e.UnixListener.Accept()
		switch {
		case err == nil && peer.Caller(conn) == nil:
			e.unread.Add(1)
			return &caller{Conn: conn, heard: sync.OnceFunc(e.unread.Done)}, nil
		case err == nil:
			conn.Close()
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case e.ctx.Err() != nil:
			quiet++
		default: // no file descriptors are left, but there may soon be one
			schedule.Pause(e.ctx, 10*time.Millisecond)
		}
	}
	return nil, net.ErrClosed
}
