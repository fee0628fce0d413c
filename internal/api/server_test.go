package api_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/hooktest"
)

// serve runs a server in a place of its own and returns the place; it ends with the test.
func serve(t *testing.T, s *api.Server) locate.Place {
	t.Helper()
	// Not t.TempDir: its long name would not fit into a socket path everywhere.
	dir := fault.Must(os.MkdirTemp("", "api"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := fault.Must(locate.Create(dir, homeOf(t)))
	listen(t, s, p)
	return p
}

func listen(t *testing.T, s *api.Server, p locate.Place) context.CancelFunc {
	t.Helper()
	ln := fault.Must(api.Listen(p))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Serve(ctx, ln); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return cancel
}

// patient is a client that waits long for a sign of life, as on a busy machine.
func patient(p locate.Place) *api.Client { return &api.Client{Place: p, Patience: 20} }

func TestRoutesAndHooks(t *testing.T) {
	mux := http.NewServeMux()
	api.Handle(mux, api.Rank, func(_ context.Context, q event.Query) (event.Answer, error) {
		return event.Answer{Confidence: float64(q.Limit)}, nil
	})
	left := make(chan error, 1)
	api.HandleHook(mux, func(ctx context.Context, h api.Hook) []byte {
		if !h.Wait {
			left <- ctx.Err()
		}
		return []byte("to " + h.Agent + " in " + h.Dir)
	})
	p := serve(t, &api.Server{HTTP: mux})
	ans, err := api.Call(t.Context(), patient(p), api.Rank, event.Query{Limit: 7})
	if err != nil || ans.Confidence != 7 {
		t.Errorf("rank: %v, %v", ans, err)
	}
	answer, err := hooktest.Send(t.Context(), p, api.Hook{Agent: "claude", Dir: "/a b/é", Wait: true, Payload: []byte("{}")})
	if err != nil || string(answer) != "to claude in /a b/é" {
		t.Errorf("hook: %q, %v", answer, err)
	}
	fault.Must(hooktest.Send(t.Context(), p, api.Hook{Agent: "git"}))
	if err := <-left; err != nil {
		t.Errorf("a hook whose client has left: %v", err)
	}
}

// TestAnswerThatJSONCannotHold: the caller learns why there is no answer; it used to get an empty
// one.
func TestAnswerThatJSONCannotHold(t *testing.T) {
	mux := http.NewServeMux()
	api.Handle(mux, api.Rank, func(context.Context, event.Query) (event.Answer, error) {
		return event.Answer{Confidence: math.NaN()}, nil
	})
	_, err := api.Call(t.Context(), &api.Client{Place: serve(t, &api.Server{HTTP: mux})}, api.Rank, event.Query{})
	if e, ok := errors.AsType[*event.Refusal](err); !ok || e.Code != event.CodeInternal ||
		!strings.Contains(e.Message, "encode the answer of /rank") {
		t.Errorf("the caller got %v", err)
	}
}

// TestPanicIsAnswered: a request that breaks its handler gets an answer, the log gets one line with
// the place and no contents, and the next request is served.
func TestPanicIsAnswered(t *testing.T) {
	var log fault.Log
	mux := http.NewServeMux()
	api.Handle(mux, api.Rank, func(_ context.Context, q event.Query) (event.Answer, error) {
		if q.Limit == 7 {
			panic("with " + q.Prompt)
		}
		return event.Answer{Confidence: 1}, nil
	})
	mux.HandleFunc("GET /v1/half", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		panic("later")
	})
	p := serve(t, &api.Server{HTTP: mux, Log: log.Logger()})
	_, err := api.Call(t.Context(), patient(p), api.Rank, event.Query{Limit: 7, Prompt: "a secret"})
	if e, ok := errors.AsType[*event.Refusal](err); !ok || e.Code != event.CodeInternal ||
		!strings.Contains(e.Message, "/rank") || e.Hint == "" {
		t.Errorf("the caller got %#v", err)
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), "server_test.go") ||
		!strings.Contains(log.String(), "route=/rank") || strings.Contains(log.String(), "secret") {
		t.Errorf("%d lines in the log:\n%s", n, log.String())
	}
	if ans, err := api.Call(t.Context(), patient(p), api.Rank, event.Query{}); err != nil || ans.Confidence != 1 {
		t.Errorf("the next request: %v, %v", ans, err)
	}
	if _, err := api.Call(t.Context(), patient(p), api.Route[api.None, api.None]{Method: "GET", Path: "/half"},
		api.None{}); err == nil {
		t.Error("half an answer was taken for a whole one")
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 2 {
		t.Errorf("%d lines in the log:\n%s", n, log.String())
	}
}

// homeOf is an environment with a home folder of its own.
func homeOf(t testing.TB) func(string) string {
	home := t.TempDir()
	return func(name string) string { return map[string]string{"HOME": home}[name] }
}

// TestLateCall: a call whose caller has given up is refused and not carried out.
func TestLateCall(t *testing.T) {
	t.Parallel()
	done := 0
	mux := http.NewServeMux()
	api.Handle(mux, api.Pause, func(context.Context, api.PauseRequest) (api.PauseAnswer, error) {
		done++
		return api.PauseAnswer{}, nil
	})
	for until, want := range map[string]int{"": 200, "soon": 200, header(time.Minute): 200, header(-time.Second): 503} {
		before := done
		q := httptest.NewRequestWithContext(t.Context(), "POST", "/v1"+api.Pause.Path, strings.NewReader(`{"seconds":0}`))
		q.Header.Set("Aoa-Until", until)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, q)
		if carried := done > before; w.Code != want || carried != (want == 200) {
			t.Errorf("until %q: status %d, carried out: %v\n%s", until, w.Code, carried, w.Body)
		}
	}
}

// header is a time from now as the header carries it.
func header(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).UnixMilli(), 10) }
