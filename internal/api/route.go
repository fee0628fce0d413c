package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Route is one kind of request: its method, its path, and the types of the request and the answer.
// docs/api.md describes each route.
type Route[Req, Res any] struct{ Method, Path string }

// None is the request or the answer of a route that has none.
type None struct{}

// statuses has the HTTP status of each code.
var statuses = map[string]int{event.CodeBad: 400, event.CodeMissing: 404, event.CodeBuild: 409,
	event.CodeExists: 412, event.CodeTooLarge: 413, event.CodeQuota: 422, event.CodeInternal: 500,
	event.CodeBusy: 503, event.CodeFull: 507}

// errLate refuses a call whose caller has given up.
var errLate = &event.Refusal{Code: event.CodeBusy, Message: "this call came too late: its caller has given up", Hint: "try again"}

// maxBody is the largest body of a request, in bytes. Routes in largeBodies, to which results and
// whole logs are sent, take more.
const maxBody = 8 << 20

var largeBodies = map[string]int64{Events.Path: 64 << 20, CachePut.Path: 64 << 20, StageEnd.Path: 64 << 20,
	PipelineProgress.Path: 64 << 20}

// Handle serves a route with fn, under /v1. Three paths (/rank, /feedback, /threshold) are also
// served without a version, because the specification names them so.
func Handle[Req, Res any](mux *http.ServeMux, r Route[Req, Res], fn func(context.Context, Req) (Res, error)) {
	body, need := cmp.Or(largeBodies[r.Path], maxBody), required(reflect.TypeFor[Req]())
	h := func(w http.ResponseWriter, q *http.Request) {
		var req Req
		if q.Method == http.MethodPost {
			if err := decode(http.MaxBytesReader(w, q.Body, body), &req, need); err != nil {
				Fail(w, refuseBody(r.Path, err))
				return
			}
		}
		res, err := answer(q, r.Path, func(ctx context.Context) (Res, error) { return fn(ctx, req) })
		if t, ok := any(res).(turn); ok {
			defer t.Release()
		}
		switch {
		case errors.Is(err, ErrEnding):
			panic(http.ErrAbortHandler)
		case err != nil:
			Fail(w, err)
			return
		}
		body, err := json.Marshal(res)
		if err != nil { // for example a time after the year 9999, or NaN; an empty answer would hide it
			Fail(w, &event.Refusal{Code: event.CodeInternal, Message: fmt.Sprintf("encode the answer of %s: %v", r.Path, err)})
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(append(body, '\n')) // a client that has left needs no answer
		if t, ok := any(res).(turn); ok && t.Held() {
			hold(w, q)
		}
	}
	mux.HandleFunc(r.Method+" /v1"+r.Path, h)
	switch r.Path {
	case "/rank", "/feedback", "/threshold":
		mux.HandleFunc(r.Method+" "+r.Path, h)
	}
}

// required returns the names of the fields without which a request means nothing: those that JSON
// never leaves out. A missing one must not count as its zero value, which may be a decision, such as
// "not helpful".
func required(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && !strings.Contains(options, "omit") {
			names = append(names, name)
		}
	}
	return names
}

// decode reads a request, which must have the required fields. No body at all is a request without
// fields.
func decode(body io.Reader, req any, required []string) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, req); err != nil {
			return err
		}
	}
	if len(required) == 0 {
		return nil
	}
	var given map[string]json.RawMessage
	_ = json.Unmarshal(raw, &given) // it is an object, or has no body
	for _, name := range required {
		if v := given[name]; v == nil || string(v) == "null" {
			return fmt.Errorf("the field %s is missing", name)
		}
	}
	return nil
}

// refuseBody returns the refusal of a request that could not be decoded.
func refuseBody(path string, err error) error {
	if big, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &event.Refusal{Code: event.CodeTooLarge, Message: fmt.Sprintf("the body of %s has more than %d bytes", path, big.Limit),
			Hint: "send it in parts"}
	}
	return event.BadRequest("docs/api.md describes "+path, "decode request: %v", err)
}

// turn is an answer by which the daemon may reserve something for the caller. It then stays open
// until the caller closes it.
type turn interface {
	Held() bool
	Release()
}

// hold keeps an answer open until the caller closes it, or the daemon ends.
func hold(w http.ResponseWriter, q *http.Request) {
	_, _ = io.Copy(io.Discard, q.Body)        // a caller that leaves is noticed only then
	_ = http.NewResponseController(w).Flush() // a connection can flush
	ending, _ := q.Context().Value(endKey{}).(<-chan struct{})
	select {
	case <-q.Context().Done():
	case <-ending:
	}
}

// ErrEnding means that the daemon ends before it can answer. The connection is broken, and the
// caller asks the next daemon.
var ErrEnding = errors.New("the daemon ends")

// answer calls fn for a request whose caller still waits. The context has the caller's folder and
// the call's id. A panic becomes an error with the code internal, and is logged with its stack.
func answer[Res any](q *http.Request, path string, fn func(context.Context) (Res, error)) (res Res, err error) {
	if givenUp(q, time.Now()) {
		return res, errLate
	}
	ctx := withCall(q)
	defer func() {
		if p := recover(); p != nil { // If a request makes its handler panic, only this request fails.
			LogPanic(ctx, path, p)
			err = &event.Refusal{Code: event.CodeInternal, Message: "the daemon failed at " + path,
				Hint: "aoa.log in the store says where: please report it"}
		}
	}()
	return fn(ctx)
}

// Fail answers a request with an error: an *event.Refusal as it is, any other with the code internal.
func Fail(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*event.Refusal](err)
	if !ok {
		e = &event.Refusal{Code: event.CodeInternal, Message: err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(statuses[e.Code])
	_ = json.NewEncoder(w).Encode(e)
}

// Call sends a request and decodes the answer. A refusal is returned as *event.Refusal, a missing
// daemon as ErrNoDaemon.
func Call[Req, Res any](ctx context.Context, c *Client, r Route[Req, Res], req Req) (Res, error) {
	res, open, err := Hold(ctx, c, r, req)
	if err == nil {
		open.Close()
	}
	return res, err
}

// Hold is Call for an answer that may reserve something for the caller, until the caller closes it.
func Hold[Req, Res any](ctx context.Context, c *Client, r Route[Req, Res], req Req) (res Res, open io.Closer, err error) {
	var body []byte
	if r.Method == http.MethodPost {
		if body, err = json.Marshal(req); err != nil {
			return res, nil, fmt.Errorf("encode request: %w", err)
		}
	}
	resp, err := c.do(ctx, r.Method, "/v1"+r.Path, body)
	if err != nil {
		return res, nil, err
	}
	defer func() {
		if err != nil {
			resp.Body.Close()
		}
	}()
	if resp.StatusCode != http.StatusOK {
		return res, nil, refusedBy(resp)
	}
	if raw, ok := any(&res).(*[]byte); ok {
		var buf bytes.Buffer
		_, err := buf.ReadFrom(resp.Body)
		*raw = buf.Bytes()
		return res, resp.Body, err
	}
	if err := json.NewDecoder(resp.Body).Decode(&res); err != nil {
		return res, nil, fmt.Errorf("decode answer of %s: %w", r.Path, err)
	}
	return res, resp.Body, nil
}

func refusedBy(resp *http.Response) error {
	e := &event.Refusal{}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(e); err != nil || e.Message == "" {
		return &event.Refusal{Code: event.CodeInternal, Message: "daemon answered " + resp.Status}
	}
	return e
}
