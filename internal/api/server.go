package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server answers HTTP requests on a listener.
type Server struct {
	HTTP  http.Handler
	Log   *slog.Logger // gets the stack of a handler that panicked; may be nil
	Build string       // this daemon's build: requests of another one get code other_build
	// Gone reports whether another store has taken the place of this one, whose daemon owns the
	// name of the socket. A socket that lost its name otherwise is made again. nil: none ever does.
	Gone func() bool
}

// BuildHeader carries the build of either end: a client of another build replaces the daemon.
const BuildHeader = "Aoa-Build"

// headerTime bounds the reading of a request's header: a client that stalls must not hold a
// goroutine.
const headerTime = 5 * time.Second

// grace is how long requests that are running when the server ends may take.
const grace = 2 * time.Second

// Serve answers until ctx ends. Then it removes the name of the socket, so that no client connects
// any more. It still serves clients that have connected, because hooks do not wait for an answer.
// Running requests finish within two seconds. The error is why it cannot listen again after its
// socket lost its name.
func (s *Server) Serve(ctx context.Context, ln *Listener) error {
	web := &http.Server{Handler: begun(s.sameBuild(guarded(s.HTTP))), ReadHeaderTimeout: headerTime,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.WithoutCancel(ctx), logKey{}, s.Log)
		},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }}
	callers := ln.until(ctx, s.Gone)
	var err error
	for errors.Is(web.Serve(callers), errNameless) && err == nil { // it returns once all who had connected are accepted
		err = callers.again()
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	callers.wait(end) // Shutdown drops requests that it finds unread
	_ = web.Shutdown(end)
	_ = web.Close()
	return err
}

type connKey struct{}

// begun notes that the first request of a connection is read.
func begun(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*caller); ok {
			c.heard()
		}
		next.ServeHTTP(w, r)
	})
}

// sameBuild refuses requests of clients of another build. They then send /v1/stop.
func (s *Server) sameBuild(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b := r.Header.Get(BuildHeader); b != "" && b != s.Build && r.URL.Path != "/v1"+Stop.Path {
			Fail(w, &Error{Code: CodeBuild, Message: "this daemon is of another build", Hint: "aoa daemon stop"})
			return
		}
		next.ServeHTTP(w, r)
	})
}
