package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// CallHeader has the id of a call. The caller makes it at random and uses it again if it repeats
// the call because a daemon ended before it answered. The daemon uses it to count a repeated call
// only once.
const CallHeader = "Aoa-Call"

// maxCallID is the largest length of an id, in bytes.
const maxCallID = 128

// untilHeader has the Unix time in milliseconds after which the caller no longer waits. A daemon
// that was stopped by a signal for a while finds calls that were given up long ago, and must not
// carry them out.
const untilHeader = "Aoa-Until"

// givenUp reports whether the caller of a request has given up. A request without a time is never
// late.
func givenUp(q *http.Request, now time.Time) bool {
	until, err := strconv.ParseInt(q.Header.Get(untilHeader), 10, 64)
	return err == nil && now.UnixMilli() > until
}

// dirHeader has the caller's folder. It is escaped, because the name of a folder may contain any
// byte.
const dirHeader = "Aoa-Dir"

// call is what the headers of a request tell about the call to which it belongs.
type call struct{ id, dir string }

type callKey struct{}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}

// CallID returns the id of the call to which a request belongs. A caller that may repeat its call
// gives the id. For any other caller, which never repeats a call, the daemon makes one up.
func CallID(ctx context.Context) string { return callOf(ctx).id }

// CallerDir returns the working directory of the caller, "" if the request has none.
func CallerDir(ctx context.Context) string { return callOf(ctx).dir }

// withCall returns the context of a request with its call.
func withCall(q *http.Request) context.Context {
	c := call{id: q.Header.Get(CallHeader)}
	if c.id == "" || len(c.id) > maxCallID {
		c.id = rand.Text()
	}
	c.dir, _ = url.PathUnescape(q.Header.Get(dirHeader)) // "" if it is not escaped well
	return context.WithValue(q.Context(), callKey{}, c)
}
