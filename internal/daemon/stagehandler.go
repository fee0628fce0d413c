package daemon

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

func (d *Daemon) stageRoutes(mux *http.ServeMux) {
	api.HandleStream(mux, api.StageBegin, d.stageBegin)
	api.HandleStream(mux, api.StageEnd, d.stageEnd)
	api.Handle(mux, api.StageList, d.stageList)
	api.Handle(mux, api.StageWhy, d.stageWhy)
	api.Handle(mux, api.StageDrop, d.stageDrop)
	api.Handle(mux, api.PipelineOpen, d.pipelineOpen)
	api.Handle(mux, api.PipelineProgress, d.pipelineProgress)
}

// stagePlace is the worktree of the caller.
func (d *Daemon) stagePlace(ctx context.Context) stage.Place {
	r := d.worktrees.Caller(ctx).Repo
	return stage.Place{Root: string(r.Root), List: func(ctx context.Context) ([]event.Path, []string, error) {
		l, err := r.List(ctx)
		return l.Files, l.Basis, err
	}}
}

func (d *Daemon) stageBegin(ctx context.Context, r stage.Request, _ io.Reader) (out api.Streamed[stage.Turn], err error) {
	r.Shown = redact.Text(r.Shown)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.serving, cancel)()
	t, err := d.stages.Begin(ctx, d.stagePlace(ctx), r)
	switch {
	case err != nil && d.serving.Err() != nil:
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
			case <-d.serving.Done():
			}
		}
	}
	return out, nil
}

func (d *Daemon) stageEnd(ctx context.Context, r stage.Result, rest io.Reader) (out api.Streamed[stage.Kept], err error) {
	if r.Record, err = io.ReadAll(rest); err != nil {
		return out, &api.Error{Code: api.CodeTooLarge, Message: "read record: " + err.Error()}
	}
	r.Request.Shown = redact.Text(r.Request.Shown)
	out.Head, err = d.stages.End(ctx, d.stagePlace(ctx), r)
	return out, stageError(err)
}

func (d *Daemon) stageWhy(ctx context.Context, r stage.Request) (stage.Why, error) {
	w, err := d.stages.Why(ctx, d.stagePlace(ctx), r)
	return w, stageError(err)
}

func (d *Daemon) stageList(ctx context.Context, r api.StageListRequest) (out api.StageListAnswer, err error) {
	if r.Limit <= 0 {
		r.Limit = 100
	}
	out.Entries, err = d.stages.List(ctx, r.Stage, r.Limit)
	return out, err
}

func (d *Daemon) stageDrop(ctx context.Context, r api.StageDropRequest) (api.StageDropAnswer, error) {
	if r.Name == "" && !r.All {
		return api.StageDropAnswer{}, api.Bad("aoa stage rm NAME", "name a stage or a key")
	}
	n, err := d.stages.Drop(ctx, r.Name)
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
