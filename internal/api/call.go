package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"time"
)

// CallHeader carries the id of a call: random, made by the caller, and the same when the call is
// repeated because a daemon ended before it answered. What must not count twice is kept under it.
const CallHeader = "Aoa-Call"

// maxCallID bounds an id, in bytes.
const maxCallID = 128

// untilHeader carries the Unix time in milliseconds after which the caller no longer waits. A
// daemon that was stopped by a signal reads calls that were given up long ago: it must not carry
// them out.
const untilHeader = "Aoa-Until"

// givenUp reports whether a request's caller has given up. A request without a time is never late.
func givenUp(q *http.Request, now time.Time) bool {
	until, err := strconv.ParseInt(q.Header.Get(untilHeader), 10, 64)
	return err == nil && now.UnixMilli() > until
}

type callKey struct{}

// CallID is the id of the call that a request belongs to. A caller that gave none never repeats it:
// its id is made here.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

// withCall returns ctx with the id of the call that the request's header has, or with a new one.
func withCall(ctx context.Context, q *http.Request) context.Context {
	id := q.Header.Get(CallHeader)
	if id == "" || len(id) > maxCallID {
		id = rand.Text()
	}
	return context.WithValue(ctx, callKey{}, id)
}
