package api

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Hook is what the hook client sends: an agent's payload as it came, and where it came from.
//
// On the wire it is POST /v1/hook with the payload as the body. The other fields are headers,
// escaped as by url.PathEscape. The client prints the body of the answer, which may be empty. A
// client that does not wait closes the connection without reading.
type Hook struct {
	Agent   string            // Aoa-Agent: claude, codex, git, …
	Dir     string            // Aoa-Dir: the working folder of the agent
	Env     map[string]string // Aoa-Env, a URL query: the few variables that identify a caller
	Wait    bool              // Aoa-Wait: the client waits for the answer
	Payload []byte            // JSON that may be cut at its end; empty for git
}

// The headers of a hook's request. In addition it has dirHeader, like every request.
const (
	agentHeader = "Aoa-Agent"
	envHeader   = "Aoa-Env"
	waitHeader  = "Aoa-Wait"
)

// maxHook is the largest payload of a hook, in bytes. The hook client sends less.
const maxHook = 4 << 20

// hookTime limits the time for reading a hook's payload, so that a client that stalls does not hold
// a goroutine.
const hookTime = 5 * time.Second

// HandleHook serves hooks with fn. The client prints the bytes that fn returns. The context is not
// canceled when the client leaves.
func HandleHook(mux *http.ServeMux, fn func(context.Context, Hook) []byte) {
	mux.HandleFunc("POST /v1/hook", func(w http.ResponseWriter, q *http.Request) {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(hookTime)) // a connection has a deadline
		h, err := readHook(http.MaxBytesReader(w, q.Body, maxHook), q.Header)
		if err != nil {
			Fail(w, event.BadRequest("docs/api.md describes /hook", "read payload: %v", err))
			return
		}
		answer := fn(context.WithoutCancel(q.Context()), h)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // a client that has left needs no answer
	})
}

func readHook(body io.Reader, head http.Header) (h Hook, err error) {
	if h.Agent, err = url.PathUnescape(head.Get(agentHeader)); err != nil {
		return h, err
	}
	if h.Dir, err = url.PathUnescape(head.Get(dirHeader)); err != nil {
		return h, err
	}
	env, err := url.ParseQuery(head.Get(envHeader))
	if err != nil {
		return h, err
	}
	for name := range env {
		if h.Env == nil {
			h.Env = map[string]string{}
		}
		h.Env[name] = env.Get(name)
	}
	h.Wait = head.Get(waitHeader) != ""
	h.Payload, err = io.ReadAll(body)
	return h, err
}
