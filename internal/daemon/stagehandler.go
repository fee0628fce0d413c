package daemon

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// stageHandler serves the stage cache: its results, and its pipelines with their sessions.
type stageHandler struct {
	base
	worktrees *checkout.Set
	events    *eventlog.Log
	cache     *stage.Cache
	over      context.Context // ends with the daemon
	end       context.CancelFunc
}

func newStageHandler(b base, worktrees *checkout.Set, blobs *cold.Blobs, events *eventlog.Log) *stageHandler {
	c := stage.New(stage.Options{Blobs: blobs, Now: b.now, Log: b.alert,
		Bytes: func() int64 { return b.settings.Get().StageBytes }})
	s := &stageHandler{base: b, worktrees: worktrees, events: events, cache: c}
	s.over, s.end = context.WithCancel(context.Background())
	return s
}

func (s *stageHandler) routes(mux *http.ServeMux) {
	api.HandleStream(mux, api.StageBegin, s.begin)
	api.HandleStream(mux, api.StageEnd, s.keep)
	api.Handle(mux, api.StageList, s.list)
	api.Handle(mux, api.StageWhy, s.why)
	api.Handle(mux, api.StageDrop, s.drop)
	api.Handle(mux, api.PipelineOpen, s.open)
	api.Handle(mux, api.PipelineProgress, s.progress)
}

// run ends the waiting for turns when ctx ends: the next daemon answers.
func (s *stageHandler) run(ctx context.Context) error {
	<-ctx.Done()
	s.end()
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

func (s *stageHandler) begin(ctx context.Context, r stage.Request, _ io.Reader) (out api.Streamed[stage.Turn], err error) {
	r.Shown = redact.Text(r.Shown)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.over, cancel)()
	t, err := s.cache.Begin(ctx, s.place(ctx), r)
	switch {
	case err != nil && s.over.Err() != nil:
		return out, api.ErrEnding
	case err != nil:
		return out, stageError(err)
	}
	out.Head, out.Body = *t, t.Record
	if !t.Hit && !t.AskTool {
		out.Hold = func(ctx context.Context) {
			defer t.Release()
			select {
			case <-ctx.Done():
			case <-s.over.Done():
			}
		}
	}
	return out, nil
}

func (s *stageHandler) keep(ctx context.Context, r stage.Result, rest io.Reader) (out api.Streamed[stage.Kept], err error) {
	if r.Record, err = io.ReadAll(rest); err != nil {
		return out, &api.Error{Code: api.CodeTooLarge, Message: "read record: " + err.Error()}
	}
	r.Request.Shown = redact.Text(r.Request.Shown)
	out.Head, err = s.cache.End(ctx, s.place(ctx), r)
	return out, stageError(err)
}

func (s *stageHandler) why(ctx context.Context, r stage.Request) (stage.Why, error) {
	w, err := s.cache.Why(ctx, s.place(ctx), r)
	return w, stageError(err)
}

func (s *stageHandler) list(ctx context.Context, r api.StageListRequest) (out api.StageListAnswer, err error) {
	if r.Limit <= 0 {
		r.Limit = 100
	}
	out.Entries, err = s.cache.List(ctx, r.Stage, r.Limit)
	return out, err
}

func (s *stageHandler) drop(ctx context.Context, r api.StageDropRequest) (api.StageDropAnswer, error) {
	if r.Name == "" && !r.All {
		return api.StageDropAnswer{}, api.Bad("aoa stage rm NAME", "name a stage or a key")
	}
	n, err := s.cache.Drop(ctx, r.Name)
	return api.StageDropAnswer{Dropped: n}, stageError(err)
}

// convert converts each element of a list. The result is never nil: its JSON is a list.
func convert[A, B any](list []A, one func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = one(a)
	}
	return out
}

// stageError is an error of the stage cache as the API returns it.
func stageError(err error) error {
	switch {
	case errors.Is(err, pipeline.ErrDefinition):
		return api.Bad("docs/pipelines.md describes the format and the folders", "%v", err)
	case errors.Is(err, stage.ErrRequest):
		return api.Bad("aoa stage run --help", "%v", err)
	case errors.Is(err, stage.ErrRecord), errors.Is(err, stage.ErrSession):
		return api.Bad("", "%v", err)
	case errors.Is(err, stage.ErrNoEntry):
		return api.Missing("aoa stage list", "%v", err)
	}
	return err
}
