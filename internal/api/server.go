package api

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Server answers HTTP requests on a listener.
type Server struct {
	HTTP http.Handler
	Log  *slog.Logger // gets the stack of a handler that panicked; may be nil
	// The build of this daemon. Requests from clients of another build get the code other_build.
	Build string
}

// BuildHeader has the build of the client or the daemon. A client of another build replaces the
// daemon.
const BuildHeader = "Aoa-Build"

// headerTime limits the time for reading a request's header, so that a client that stalls does not
// hold a goroutine.
const headerTime = 5 * time.Second

// grace is the time for finishing requests that are running when the server ends.
const grace = 2 * time.Second

// Serve answers requests until ctx ends. Then it removes the name of the socket, so that no more
// clients connect. It still serves the clients that have connected, because hooks do not wait for
// an answer. Running requests have two seconds to finish.
func (s *Server) Serve(ctx context.Context, ln *Listener) {
	web := &http.Server{Handler: begun(s.sameBuild(guarded(s.HTTP))), ReadHeaderTimeout: headerTime,
		BaseContext: func(net.Listener) context.Context {
			requests := context.WithValue(context.WithoutCancel(ctx), endKey{}, ctx.Done())
			return context.WithValue(requests, logKey{}, s.Log)
		},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }}
	callers := &callers{Listener: ln, ctx: ctx}
	_ = web.Serve(callers) // returns once all connected clients are accepted
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	callers.wait(end) // Shutdown drops requests that have not been read
	_ = web.Shutdown(end)
	_ = web.Close()
}

// The keys of a request's context: the connection, and the channel that is closed when the server
// ends.
type connKey struct{}
type endKey struct{}

// begun records that the first request of a connection has been read.
func begun(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*caller); ok {
			c.heard()
		}
		next.ServeHTTP(w, r)
	})
}

// sameBuild refuses requests of clients of another build. Such a client then sends /v1/stop.
func (s *Server) sameBuild(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b := r.Header.Get(BuildHeader); b != "" && b != s.Build && r.URL.Path != "/v1"+Stop.Path {
			Fail(w, &event.Refusal{Code: event.CodeBuild, Message: "this daemon is of another build", Hint: "aoa daemon stop"})
			return
		}
		next.ServeHTTP(w, r)
	})
}
