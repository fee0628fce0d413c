package api

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/peer"
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

// grace is how long requests that are running when the server ends may take.
const grace = 2 * time.Second

// Serve answers until ctx ends. Then it removes the name of the socket, so that no client connects any more. It still serves clients
// that have connected, because hooks do not wait for an answer. Running requests finish within two seconds.
func (s *Server) Serve(ctx context.Context, ln *Listener) error {
	hand := &handover{conns: make(chan net.Conn), addr: ln.Addr(), done: make(chan struct{})}
	web := &http.Server{Handler: s.sameBuild(guarded(s.HTTP)), ReadHeaderTimeout: frameDeadline,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.WithoutCancel(ctx), logKey{}, s.Log)
		}}
	var running, callers sync.WaitGroup
	running.Go(func() { _ = web.Serve(hand) })
	ln.accept(ctx, func(conn net.Conn) {
		callers.Go(func() { s.serve(ctx, conn, hand) })
	})
	ln.Close()
	callers.Wait() // frames are read, requests passed on
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	_ = web.Shutdown(end)
	hand.Close()
	hand.finish(end)
	_ = web.Close()
	running.Wait()
	return nil
}

// sameBuild refuses requests of clients of another build. They then send /v1/stop.
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
	if err := withDescriptor(conn, peer.Caller); err != nil {
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

// peeked is a connection whose first bytes have been read.
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

// handover is a listener that gets its connections from give.
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
