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

// guard calls fn, which answers a request of that route. A panic becomes an error of code internal, and one line of the
// log with the stack: a request that breaks its handler costs its own answer.
func guard[Res any](ctx context.Context, route string, fn func() (Res, error)) (res Res, err error) {
	defer func() {
		if p := recover(); p != nil {
			logPanic(ctx, route, p)
			err = &Error{Code: CodeInternal, Message: "the daemon failed at " + route,
				Hint: "aoa.log in the store says where: please report it"}
		}
	}()
	return fn()
}

// guarded logs what else panics in a handler. Its answer may be half written, so the connection breaks.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				logPanic(r.Context(), r.Method+" "+r.URL.Path, p)
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// logPanic logs where something panicked. It repeats an error of the runtime only: other values may hold contents.
func logPanic(ctx context.Context, route string, p any) {
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
