package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
)

type logKey struct{}

// guarded logs a panic in a handler that nothing else has caught. The answer may be half written,
// so the connection is closed.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				LogPanic(r.Context(), r.Method+" "+r.URL.Path, p)
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// LogPanic logs where a panic happened. It prints only errors of the runtime, because other values
// may contain private texts.
func LogPanic(ctx context.Context, route string, p any) {
	log, _ := ctx.Value(logKey{}).(*slog.Logger)
	if p == http.ErrAbortHandler || log == nil {
		return
	}
	what := fmt.Sprintf("%T", p)
	if err, ok := p.(runtime.Error); ok {
		what = err.Error()
	}
	log.Error("a request broke its handler", "route", route, "panic", what, "stack", string(debug.Stack()))
}
