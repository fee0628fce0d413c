package daemon_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// twice sends one request two times, as a client does whose daemon ended before it answered, and
// returns both answers.
func (d *fixture) twice(path, body string) (answers [2]string) {
	d.Helper()
	web := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return api.Dial(ctx, d.o.Place)
	}}}
	defer web.CloseIdleConnections()
	for i := range answers {
		req, err := http.NewRequestWithContext(d.Context(), http.MethodPost, "http://aoa/v1"+path,
			bytes.NewReader([]byte(body)))
		fault.Check(d, err)
		req.Header.Set("Aoa-Call", fmt.Sprintf("%x", sha256.Sum256([]byte(path+body))))
		resp, err := web.Do(req)
		fault.Check(d, err)
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			d.Errorf("%s, time %d: %v, %s: %s", path, i+1, err, resp.Status, answer)
		}
		answers[i] = string(answer)
	}
	return answers
}

// TestTwice: a request that arrives twice counts once, and is answered alike.
func TestTwice(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.start()
	d.twice("/feedback", `{"session_id":"s","was_helpful":true}`)
	if n := len(call(d, api.Log, api.LogRequest{Kinds: []event.Kind{event.KindFeedback}}).Events); n != 1 {
		t.Errorf("%d events of one feedback", n)
	}
	d.twice("/pipeline/progress", `{"session_id":"p","id":"x.yaml","tokens":7}`)
	if s := call(d, api.Sessions, api.SessionsRequest{ID: "p"}).Sessions[0]; s.Tokens != 7 {
		t.Errorf("the session has %d tokens, want 7", s.Tokens)
	}
	d.edits("s", 1)
	d.twice("/sessions/set", `{"session_id":"s","state":"active"}`)
	if s := call(d, api.Sessions, api.SessionsRequest{ID: "s"}).Sessions[0]; s.Resumed != 1 {
		t.Errorf("the session was resumed %d times, want once", s.Resumed)
	}
	d.twice("/sessions/set", `{"session_id":"s","state":"paused"}`)
	for _, item := range []string{`"size":4`, `"task_id":"a","turn_id":"1","size":4`} {
		if labels := d.twice("/cache/put", `{"session_id":"c",`+item+`}`+"\ndata"); labels[0] != labels[1] {
			t.Errorf("set aside as %s, then as %s", labels[0], labels[1])
		}
	}
	if n := call(d, api.CacheList, api.CacheListRequest{All: true}).Total; n != 2 {
		t.Errorf("%d items, want 2", n)
	}
	batch, err := json.Marshal([]event.Event{read("e", "s", d.o.Now(), "a.go")})
	fault.Check(t, err)
	d.twice("/events", string(batch))
	if n := d.ids("e"); n != 1 {
		t.Errorf("%d events of one", n)
	}
}
