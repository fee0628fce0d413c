package daemon_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/hooktest"
)

// fill puts something into every store.
func (d *fixture) fill() {
	d.Helper()
	d.feed(0, 40)
	var batch []event.Event
	for i := range 60 {
		batch = append(batch, event.Event{ID: fmt.Sprint("p", i),
			Time: d.o.Now().Add(time.Duration(i-100) * time.Second), Agent: "test", Session: "s1",
			Body: event.Prompt{Text: fmt.Sprint("please repair the wheel number ", i)}},
			read(fmt.Sprint("pr", i), "s1", d.o.Now().Add(time.Duration(i-100)*time.Second), "a.go"))
	}
	call(d, api.Events, batch)
	call(d, api.Context, api.ContextRequest{Session: "s1"})
	for i := range 3 {
		session := fmt.Sprint("reload", i)
		d.hook(session, "UserPromptSubmit", map[string]any{
			"prompt": fmt.Sprint("explain how the ", []string{"zebra", "yellow", "violet"}[i],
				" module handles errors in a.go")})
		d.hook(session, "PostToolUse", map[string]any{"tool_name": "Read", "tool_use_id": session + "-1",
			"tool_response": map[string]any{},
			"tool_input":    map[string]any{"file_path": filepath.Join(string(d.o.Repo.Root), "a.go")}})
		d.hook(session, "Stop", nil)
		reply := stream(d, api.CachePut,
			api.CachePutRequest{Session: session, Item: llmcache.Item{Task: "t", Turn: "u", Description: "words", Size: 4,
				Notes: json.RawMessage(`{"a":1}`)}}, []byte("data"))
		reply.Close()
		req := stage.Request{Stage: session, Command: []string{"true"}, Deps: []string{"a.go"}}
		turn := stream(d, api.StageBegin, req, nil)
		rec := stage.Record{Frames: []stage.Frame{{Stream: stage.Stdout, Data: []byte("printed")}}}
		kept := stream(d, api.StageEnd, stage.Result{Request: req, Key: turn.Head.Key}, rec.Encode())
		if !kept.Head.Kept {
			d.Fatalf("not kept: %s", kept.Head.Why)
		}
		kept.Close()
		turn.Close()
		for j := range 2 {
			call(d, api.PipelineProgress, stage.Progress{Session: fmt.Sprint("pipe", i), Pipeline: "p", Tokens: 5,
				Output:  &stage.Output{Stage: fmt.Sprint("st", j), JSON: true, Value: []byte(`{}`)},
				Context: map[string]json.RawMessage{fmt.Sprint("c", j): []byte(`1`)}})
		}
	}
	d.until("the turns are recorded", func() bool {
		return len(call(d, api.ReloadList, api.SequencesRequest{All: true}).Sequences) == 3
	})
}

// count asks for what is kept beside the log.
func (d *fixture) count() map[string]int {
	d.Helper()
	return map[string]int{
		"sessions":  len(call(d, api.Sessions, api.SessionsRequest{Limit: 1000, Archived: true}).Sessions),
		"sequences": len(call(d, api.ReloadList, api.SequencesRequest{All: true, Limit: 1000}).Sequences),
		"items":     call(d, api.CacheList, api.CacheListRequest{All: true}).Total,
		"segments":  len(call(d, api.Context, api.ContextRequest{Session: "s1"}).Segments),
	}
}

func stream[Req, Res any](d *fixture, r api.Stream[Req, Res], req Req, rest []byte) *api.Reply[Res] {
	d.Helper()
	reply, err := api.Ask(d.Context(), d.client(), r, req, rest)
	if err != nil {
		d.Fatalf("%s: %v", r.Path, err)
	}
	return reply
}

// hook sends what an agent's hook would and waits until it was taken.
func (d *fixture) hook(session, ev string, more map[string]any) {
	d.Helper()
	payload := map[string]any{"session_id": session, "cwd": d.o.Repo.Root, "hook_event_name": ev}
	for k, v := range more {
		payload[k] = v
	}
	raw := fault.Must(json.Marshal(payload))
	fault.Must(hooktest.Send(d.Context(), d.o.Place, api.Hook{Agent: "claude", Dir: string(d.o.Repo.Root), Payload: raw,
		Wait: true}))
}

// aside sets an item aside in a session.
func (d *fixture) aside(session string) {
	d.Helper()
	reply := stream(d, api.CachePut, api.CachePutRequest{Session: session, Item: llmcache.Item{Size: 4}},
		[]byte("data"))
	fault.Check(d, reply.Close())
}

// asideOf counts the items of a session.
func (d *fixture) asideOf(session string) int {
	d.Helper()
	return call(d, api.CacheList, api.CacheListRequest{Filter: llmcache.Filter{Session: session}}).Total
}

// TestAnExitIsReadAgain: what a session sets aside after it exited and was resumed stays, also when
// its exit is read again from the log, because something else was forgotten or the last snapshot
// was lost. What it had set aside before is deleted, also if the daemon was killed before it did
// that.
func TestAnExitIsReadAgain(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.start()
	exit := func(id string) {
		call(d, api.Events, []event.Event{read("read "+id, "s", d.o.Now(), "a.go"),
			{ID: id, Time: d.o.Now(), Agent: "test", Session: "s", Body: event.End{Reason: "exit"}}})
	}
	d.aside("s")
	exit("first")
	d.until("the items of a session that exited are gone", func() bool { return d.asideOf("s") == 0 })
	d.late.Add(int64(time.Second))
	d.aside("s")
	for what, again := range map[string]func(){
		"another file was forgotten": func() {
			call(d, api.Events, []event.Event{read("b", "other", d.o.Now(), "b.go")})
			call(d, api.Forget, api.ForgetRequest{File: "b.go"})
			d.stop()
			d.start()
		},
		"the snapshot was lost": func() {
			d.stop()
			d.noSnapshot()
			d.start()
		},
	} {
		again()
		call(d, api.Events, []event.Event{})
		if n := d.asideOf("s"); n != 1 {
			t.Errorf("%s: %d items are left, want 1", what, n)
		}
	}
	d.stop() // an exit is in the log, and the daemon was killed before it deleted anything
	db, err := cold.Open(t.Context(), filepath.Join(d.o.Place.Store, "aoa.db"), cold.Options{Now: d.o.Now})
	fault.Check(t, err)
	_, _, err = db.Append(t.Context(), []event.Event{{ID: "second", Time: d.o.Now(), Agent: "test", Session: "s",
		Body: event.End{Reason: "logout"}}})
	fault.Check(t, errors.Join(err, db.Close()))
	d.start()
	d.until("the items of a session that exited before a kill are gone", func() bool { return d.asideOf("s") == 0 })
}
