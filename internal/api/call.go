package api

import (
	"context"
	"crypto/rand"
	"net/http"
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

type callKey struct{}

// CallID returns the id of the call to which a request belongs. A caller that may repeat its call
// gives the id. For any other caller, which never repeats a call, the daemon makes one up.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

// withCall returns ctx with the id of the call: the one in the request's header, or a new one.
func withCall(ctx context.Context, q *http.Request) context.Context {
	id := q.Header.Get(CallHeader)
	if id == "" || len(id) > maxCallID {
		id = rand.Text()
	}
	return context.WithValue(ctx, callKey{}, id)
}
