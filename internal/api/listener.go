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

// Listener is the listening socket of a daemon. It knows its own file: the name may by now belong to the daemon of a
// store that was made in place of this one.
type Listener struct {
	*net.UnixListener
	name string
	file os.FileInfo // as it was made; its inode is not used again while the socket listens
}

// Listen makes the socket, 0600. The caller holds the store's lock, so a socket that is there is stale.
func Listen(p locate.Place) (*Listener, error) {
	if err := os.Remove(p.Socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", p.Socket, err)
	}
	ln.SetUnlinkOnClose(false) // it would remove another daemon's socket of that name: see release
	l := &Listener{UnixListener: ln, name: p.Socket}
	if err = os.Chmod(p.Socket, 0o600); err == nil {
		l.file, err = os.Lstat(p.Socket)
	}
	if err != nil {
		ln.Close()
		return nil, fmt.Errorf("close socket to others: %w", err)
	}
	return l, nil
}

// release removes the socket's file, unless another daemon's socket has taken the name.
func (l *Listener) release() {
	if now, err := os.Lstat(l.name); err == nil && os.SameFile(l.file, now) {
		_ = os.Remove(l.name)
	}
}

// Close stops listening and removes the socket's file.
func (l *Listener) Close() error {
	l.release()
	return l.UnixListener.Close()
}

// A listener whose name is removed accepts the clients that have connected before: until none has waited for the time
// drain, as often as drainTries, because on a busy machine one try may come too late.
const (
	drain      = 20 * time.Millisecond
	drainTries = 3
)

// until is the listener as http.Server takes it. When ctx ends, it takes the socket's name away. Then it accepts
// everybody who had connected, and closes. It never accepts processes of other users.
func (l *Listener) until(ctx context.Context) *callers {
	context.AfterFunc(ctx, func() { _ = l.SetDeadline(time.Now()) })
	return &callers{Listener: l, ctx: ctx}
}

// callers is a listener until ctx ends.
type callers struct {
	*Listener
	ctx    context.Context
	quiet  int            // times without a waiting caller
	unread sync.WaitGroup // connections of which no request is read
}

// caller is an accepted connection.
type caller struct {
	net.Conn
	heard func() // a request is read, or none will come
}

func (c *caller) Close() error {
	c.heard()
	return c.Conn.Close()
}

// wait returns when a request of every connection is read, or ctx ends.
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
		if e.ctx.Err() != nil {
			e.release()
			if e.SetDeadline(time.Now().Add(drain)) != nil {
				break
			}
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
		case errors.Is(err, os.ErrDeadlineExceeded):
			e.quiet++
		case errors.Is(err, net.ErrClosed):
			return nil, err
		default: // out of descriptors: there may be one soon
			select {
			case <-time.After(10 * time.Millisecond):
			case <-e.ctx.Done():
				e.quiet++
			}
		}
	}
	return nil, net.ErrClosed
}
