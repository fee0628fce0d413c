package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// Listener is the listening socket of a daemon. It knows its own file: the name may by now belong to the daemon of a
// store that was made in place of this one.
type Listener struct {
	*net.UnixListener
	name string
	file os.FileInfo // as it was made; its inode is not used again while the socket listens
}

// Listen makes the socket, 0600. The caller holds the store's lock, so a socket that is there is stale.
func Listen(p Place) (*Listener, error) {
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

// A listener whose name is removed accepts the clients that have connected before: until none has waited for the time drain, as often
// as drainTries, because on a busy machine one try may come too late.
const (
	drain      = 20 * time.Millisecond
	drainTries = 3
)

// accept calls fn with every connection until ctx ends. Then it takes the socket's name away, and returns when everybody
// who had connected is accepted.
func (l *Listener) accept(ctx context.Context, fn func(net.Conn)) {
	stop := context.AfterFunc(ctx, func() { _ = l.SetDeadline(time.Now()) })
	defer stop()
	for quiet := 0; quiet < drainTries; {
		if ctx.Err() != nil {
			l.release()
			if l.SetDeadline(time.Now().Add(drain)) != nil {
				return
			}
		}
		conn, err := l.Accept()
		switch {
		case err == nil:
			quiet = 0
			fn(conn)
		case errors.Is(err, os.ErrDeadlineExceeded):
			quiet++
		case errors.Is(err, net.ErrClosed):
			return
		default: // out of descriptors: there may be one soon
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
				quiet++
			}
		}
	}
}
