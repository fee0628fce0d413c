package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Server answers frames and HTTP on one listener: a connection whose first byte is 0 is a frame.
type Server struct {
	Frame func(context.Context, Frame) []byte // answers a frame; the bytes are what the client prints
	HTTP  http.Handler
	Log   *slog.Logger // gets the stack of a handler that panicked; may be nil
	Build string       // this daemon's build: requests of another one get code other_build
}

// BuildHeader carries the build of either end: a client of another build replaces the daemon.
const BuildHeader = "Aoa-Build"

// frameDeadline bounds one frame's reading and writing: a client that stalls must not hold a goroutine.
const frameDeadline = 5 * time.Second

// Listen makes the socket, 0600. The caller holds the store's lock, so a socket that is there is stale.
func Listen(p Place) (net.Listener, error) {
	if err := os.Remove(p.Socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	ln, err := net.Listen("unix", p.Socket)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", p.Socket, err)
	}
	if err := os.Chmod(p.Socket, 0o600); err != nil {
		ln.Close()
		return nil, fmt.Errorf("close socket to others: %w", err)
	}
	return ln, nil
}

// grace is how long requests that are running when the server ends may take.
const grace = 2 * time.Second

// Serve answers until ctx ends. Then the socket's name goes, so that nobody new connects; who had connected is
// still served, for hooks write and leave; and running requests finish within two seconds.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	hand := &handover{conns: make(chan net.Conn), addr: ln.Addr(), done: make(chan struct{})}
	web := &http.Server{Handler: s.sameBuild(guarded(s.HTTP)), ReadHeaderTimeout: frameDeadline,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.WithoutCancel(ctx), logKey{}, s.Log)
		}}
	var running, callers sync.WaitGroup
	running.Go(func() { _ = web.Serve(hand) })
	over, retired := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(retired); retire(ln, over) })
	for {
		conn, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil { // out of descriptors: in a moment there may be one
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		if conn.RemoteAddr().String() == ln.Addr().String()+lastCaller {
			conn.Close()
			break
		}
		callers.Go(func() { s.serve(ctx, conn, hand) })
	}
	ln.Close()
	close(over)
	if !stop() {
		<-retired
	}
	callers.Wait() // frames are taken, requests handed over
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	_ = web.Shutdown(end)
	hand.Close()
	hand.finish(end)
	_ = web.Close()
	running.Wait()
	return nil
}

// Added to the socket's name: while the server ends, and by the last caller, which is the server itself.
const (
	ending     = "~"
	lastCaller = "~~"
)

// retire takes the socket's name away and then calls itself: callers are accepted in the order in which they came,
// so with that call everybody is in. It returns when over is closed.
func retire(ln net.Listener, over <-chan struct{}) {
	name := ln.Addr().String()
	_ = os.Remove(name + lastCaller) // of one that was killed here
	if os.Rename(name, name+ending) != nil {
		ln.Close() // where the name cannot go first, some callers may be turned away
		return
	}
	defer os.Remove(name + ending)
	defer os.Remove(name + lastCaller)
	d := net.Dialer{LocalAddr: &net.UnixAddr{Name: name + lastCaller, Net: "unix"}}
	for range 100 {
		conn, err := d.Dial("unix", name+ending)
		if err == nil {
			<-over
			conn.Close()
			return
		}
		_ = os.Remove(name + lastCaller)
		select { // the queue of callers is full, and being worked off
		case <-over:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	ln.Close()
}

// sameBuild turns away clients of another build before their request does anything; they then send /v1/stop.
func (s *Server) sameBuild(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b := r.Header.Get(BuildHeader); b != "" && b != s.Build && r.URL.Path != "/v1"+Stop.Path {
			fail(w, &Error{Code: CodeBuild, Message: "this daemon is of another build", Hint: "aoa stop"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) serve(ctx context.Context, conn net.Conn, hand *handover) {
	late := time.AfterFunc(frameDeadline, func() { conn.Close() })
	defer late.Stop()
	if err := checkPeer(conn); err != nil {
		conn.Close()
		return
	}
	in := bufio.NewReader(conn)
	first, err := in.Peek(1)
	if err != nil {
		conn.Close()
		return
	}
	if first[0] != 0 {
		late.Stop()
		hand.give(&peeked{Conn: conn, in: in, open: &hand.open})
		return
	}
	defer conn.Close()
	body, err := ReadFrame(in)
	if err != nil {
		return
	}
	var f Frame
	if json.Unmarshal(body, &f) != nil {
		return
	}
	reply := s.Frame(context.WithoutCancel(ctx), f)
	if f.Wait {
		_, _ = conn.Write(AppendFrame(nil, reply))
	}
}

// peeked is a connection whose first bytes were looked at.
type peeked struct {
	net.Conn
	in   io.Reader
	open *sync.WaitGroup // of those that are not closed
	once sync.Once
}

func (p *peeked) Read(b []byte) (int, error) { return p.in.Read(b) }

func (p *peeked) Close() error {
	err := p.Conn.Close()
	p.once.Do(p.open.Done)
	return err
}

// handover is a listener fed by hand.
type handover struct {
	conns chan net.Conn
	addr  net.Addr
	once  sync.Once
	done  chan struct{}  // closed by Close
	open  sync.WaitGroup // connections given and not closed
}

func (h *handover) give(c net.Conn) {
	h.open.Add(1)
	select {
	case h.conns <- c:
	case <-h.done:
		c.Close()
	}
}

// finish waits until every connection is closed, or ctx ends. (http.Server.Shutdown does not see one that is
// accepted in the moment of its call.)
func (h *handover) finish(ctx context.Context) {
	all := make(chan struct{})
	go func() { h.open.Wait(); close(all) }()
	select {
	case <-all:
	case <-ctx.Done():
	}
}

func (h *handover) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

func (h *handover) Close() error   { h.once.Do(func() { close(h.done) }); return nil }
func (h *handover) Addr() net.Addr { return h.addr }
