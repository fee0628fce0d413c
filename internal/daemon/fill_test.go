package daemon_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
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

// count asks every store for what it has.
func (d *fixture) count() map[string]int {
	d.Helper()
	n := map[string]int{}
	events := call(d, api.Log, api.LogRequest{Limit: 10_000}).Events
	n["events"] = len(events)
	n["commits"] = int(call(d, api.Status, api.None{}).Events) // as counted, whether they can be read or not
	sessions := call(d, api.Sessions, api.SessionsRequest{Limit: 1000, Archived: true}).Sessions
	n["sessions"] = len(sessions)
	for _, s := range sessions {
		if _, err := api.Call(d.Context(), &api.Client{Place: d.o.Place}, api.Sessions,
			api.SessionsRequest{ID: s.ID, Full: true}); err != nil {
			n["sessions"]--
		}
	}
	n["sequences"] = len(call(d, api.ReloadList, api.SequencesRequest{All: true, Limit: 1000}).Sequences)
	n["results"] = len(call(d, api.StageList, api.StageListRequest{}).Entries)
	items := call(d, api.CacheList, api.CacheListRequest{All: true}).Items
	for _, i := range items {
		reply, err := api.Ask(d.Context(), &api.Client{Place: d.o.Place}, api.CacheGet, api.CacheGetRequest{Key: i.Key}, nil)
		var refused *api.Error
		switch {
		case err == nil:
			n["items"]++
			reply.Close()
		case !errors.As(err, &refused) || refused.Code == api.CodeInternal:
			d.Errorf("item %s: %v", i.Key, err)
		}
	}
	n["segments"] = len(call(d, api.Context, api.ContextRequest{Session: "s1"}).Segments)
	for _, table := range []string{"files", "tags", "sessions"} {
		call(d, api.Stats, api.StatsRequest{Table: table})
	}
	call(d, api.Rank, event.Query{Session: "s1"})
	d.feed(2000, 2)
	return n
}

func stream[Req, Res any](d *fixture, r api.Stream[Req, Res], req Req, rest []byte) *api.Reply[Res] {
	d.Helper()
	reply, err := api.Ask(d.Context(), &api.Client{Place: d.o.Place, Dir: string(d.o.Repo.Root)}, r, req, rest)
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
	raw, err := json.Marshal(payload)
	fault.Check(d, err)
	if _, err := hooktest.Send(d.Context(), d.o.Place, api.Hook{Agent: "claude", Dir: string(d.o.Repo.Root), Payload: raw, Wait: true}); err != nil {
		d.Fatal(err)
	}
}
