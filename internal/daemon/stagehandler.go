package daemon

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// stageHandler serves the stage cache: its results, its pipelines' sessions and definitions.
type stageHandler struct {
	base
	worktrees *checkout.Set
	sessions  *session.Store
	cache     *stage.Cache
	loader    *pipeline.Loader
	over      chan struct{} // closed when the daemon ends
}

// stageOutput is the bytes of the largest result that is kept.
const stageOutput = 16_000_000

func newStageHandler(b base, worktrees *checkout.Set, blobs *cold.Blobs, sessions *session.Store) *stageHandler {
	c := stage.New(stage.Options{Blobs: blobs, Now: b.now, Log: b.alert,
		Bytes: func() int64 { return b.settings.Get().StageBytes }})
	return &stageHandler{base: b, worktrees: worktrees, sessions: sessions, cache: c, over: make(chan struct{}),
		loader: pipeline.NewLoader(b.now, func(name string) ([32]byte, error) { return c.Digest(name) })}
}

func (s *stageHandler) routes(mux *http.ServeMux) {
	api.HandleStream(mux, api.StageBegin, s.begin)
	api.HandleStream(mux, api.StageEnd, s.end)
	api.HandleStream(mux, api.StageList, s.list)
	api.Handle(mux, api.StageWhy, s.why)
	api.Handle(mux, api.StageDrop, s.drop)
	api.Handle(mux, api.PipelineOpen, s.open)
	api.Handle(mux, api.PipelineProgress, s.progress)
}

// run ends the waiting for turns when ctx ends: the next daemon answers.
func (s *stageHandler) run(ctx context.Context) error {
	<-ctx.Done()
	close(s.over)
	return nil
}

// place is the worktree of the caller.
func (s *stageHandler) place(ctx context.Context) stage.Place {
	r := s.worktrees.Caller(ctx).Repo
	return stage.Place{Root: string(r.Root), List: func(ctx context.Context) ([]event.Path, []string, error) {
		l, err := r.List(ctx)
		return l.Files, l.Basis, err
	}}
}

// until is ctx, which also ends when the daemon does.
func (s *stageHandler) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.over:
			cancel(api.ErrEnding)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// request is a request of the API as package stage has it. ok is false when the version of the tool is not known.
func (s *stageHandler) request(r api.StageRequest) (out stage.Request, ok bool) {
	if r.Tool.Command != "" && r.Tool.Version == "" {
		if r.Tool.Version = s.cache.Version(r.Tool.Command, r.Tool.Path); r.Tool.Version == "" {
			return out, false
		}
	} else if r.Tool.Command != "" {
		s.cache.SetVersion(r.Tool.Command, r.Tool.Path, r.Tool.Version)
	}
	return stage.Request{Stage: r.Stage, Command: r.Command, Shown: redact.Text(r.Shown), Dir: r.Dir, Inputs: r.Inputs,
		Env: r.Env, Deps: r.Deps,
		Outputs: r.Outputs, Stdin: r.Stdin, Template: r.Template, Text: r.Text, Tool: r.Tool.Version, Model: r.Model,
		TTL: time.Duration(r.TTL) * time.Millisecond, Failures: r.Failures, Refresh: r.Refresh}, true
}

func (s *stageHandler) begin(ctx context.Context, r api.StageRequest, _ io.Reader) (api.Streamed[api.StageTurn],
	error) {
	var out api.Streamed[api.StageTurn]
	out.Head.Limit = stageOutput
	req, ok := s.request(r)
	if !ok {
		out.Head.AskTool = true
		return out, nil
	}
	req.Call = api.CallID(ctx)
	ctx, done := s.until(ctx)
	defer done()
	t, err := s.cache.Begin(ctx, s.place(ctx), req)
	if err != nil {
		if errors.Is(context.Cause(ctx), api.ErrEnding) {
			err = api.ErrEnding
		}
		return out, wrong(err)
	}
	out.Head = api.StageTurn{Key: t.Key, Hit: t.Hit, Miss: t.Miss, Waited: t.Waited.Milliseconds(), Idle: t.Idle,
		Version: req.Tool, Limit: out.Head.Limit}
	if t.Hit {
		e := api.StageEntry(t.Entry)
		out.Head.Entry, out.Body = &e, t.Record
		return out, nil
	}
	out.Hold = func(ctx context.Context) {
		defer t.Release()
		select {
		case <-ctx.Done():
		case <-s.over:
		}
	}
	return out, nil
}

func (s *stageHandler) end(ctx context.Context, r api.StageResult, rest io.Reader) (api.Streamed[api.StageKept],
	error) {
	var out api.Streamed[api.StageKept]
	record, err := io.ReadAll(rest)
	if err != nil {
		return out, &api.Error{Code: api.CodeTooLarge, Message: "read record: " + err.Error()}
	}
	req, ok := s.request(r.Request)
	if !ok {
		return out, api.Bad("docs/api.md describes /stage/end", "the version of the tool is missing")
	}
	out.Head.Kept, out.Head.Why, err = s.cache.End(ctx, s.place(ctx), req, stage.Result{Key: r.Key, Exit: r.Exit,
		Duration: time.Duration(r.Duration) * time.Millisecond, Record: record, Call: api.CallID(ctx)})
	return out, wrong(err)
}

// maxChanges bounds the differences in an answer.
const maxChanges = 100

func (s *stageHandler) why(ctx context.Context, r api.StageRequest) (api.StageReason, error) {
	req, ok := s.request(r)
	if !ok {
		return api.StageReason{AskTool: true, Changes: []api.StageChange{}}, nil
	}
	w, err := s.cache.Why(ctx, s.place(ctx), req)
	changes := convert(w.Changes[:min(len(w.Changes), maxChanges)],
		func(c stage.Change) api.StageChange { return api.StageChange(c) })
	return api.StageReason{Key: w.Key, Hit: w.Hit, Why: w.Miss, Nearest: w.Nearest, Changes: changes,
		Total: len(w.Changes),
		Idle:  w.Idle}, wrong(err)
}

func (s *stageHandler) list(ctx context.Context, r api.StageListRequest,
	_ io.Reader) (out api.Streamed[api.StageListAnswer], err error) {
	if r.Show != "" {
		e, rec, err := s.cache.Show(ctx, r.Show)
		if err != nil {
			return out, wrong(err)
		}
		out.Head.Entries, out.Body = []api.StageEntry{api.StageEntry(e)}, rec.Append(nil)
		return out, nil
	}
	if r.Limit <= 0 {
		r.Limit = 100
	}
	found, err := s.cache.List(ctx, r.Stage, r.Limit)
	out.Head.Entries = convert(found, func(e stage.Entry) api.StageEntry { return api.StageEntry(e) })
	return out, err
}

func (s *stageHandler) drop(ctx context.Context, r api.StageDropRequest) (api.StageDropAnswer, error) {
	if r.Name == "" && !r.All {
		return api.StageDropAnswer{}, api.Bad("aoa stage rm NAME", "name a stage or a key")
	}
	n, err := s.cache.Drop(ctx, r.Name)
	return api.StageDropAnswer{Dropped: n}, wrong(err)
}

func (s *stageHandler) stats(ctx context.Context, _ api.StatsRequest) (out api.StatsAnswer, err error) {
	found, err := s.cache.Stats(ctx)
	out.Stage = &api.StageStatsAnswer{Stages: convert(found, func(t stage.Stat) api.StageStat { return api.StageStat(t) })}
	return out, err
}

// convert converts each element of a list. The result is never nil: its JSON is a list.
func convert[A, B any](list []A, one func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = one(a)
	}
	return out
}

// wrong is an error of the stage cache as the API returns it.
func wrong(err error) error {
	switch {
	case errors.Is(err, stage.ErrRequest), errors.Is(err, stage.ErrRecord), errors.Is(err, stage.ErrSession),
		errors.Is(err, pipeline.ErrDefinition):
		return api.Bad("", "%v", err)
	case errors.Is(err, stage.ErrNoEntry):
		return api.Missing("aoa stage list", "%v", err)
	}
	return err
}
