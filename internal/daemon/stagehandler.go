package daemon

import (
	"cmp"
	"context"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/stage"
)

// stagePlace returns the caller's worktree in the form that package stage uses.
func (d *Daemon) stagePlace(ctx context.Context) stage.Place {
	r := d.worktrees.Caller(ctx).Repo
	return stage.Place{Root: string(r.Root), List: r.List}
}

func (d *Daemon) stageBegin(ctx context.Context, r stage.Request) (stage.Turn, error) {
	r.Shown = redact.Text(r.Shown)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.serving, cancel)()
	t, err := d.stages.Begin(ctx, d.stagePlace(ctx), r)
	switch {
	case err == nil:
		return *t, nil
	case d.serving.Err() != nil:
		err = api.ErrEnding
	}
	return stage.Turn{}, err
}

func (d *Daemon) stageEnd(ctx context.Context, r stage.Result) (stage.Kept, error) {
	r.Request.Shown = redact.Text(r.Request.Shown)
	return d.stages.End(ctx, d.stagePlace(ctx), r)
}

func (d *Daemon) stageWhy(ctx context.Context, r stage.Request) (stage.Why, error) {
	return d.stages.Why(ctx, d.stagePlace(ctx), r)
}

func (d *Daemon) stageList(ctx context.Context, r api.StageListRequest) (out api.StageListAnswer, err error) {
	out.Entries, err = d.stages.List(ctx, r.Stage, cmp.Or(max(r.Limit, 0), 100))
	return out, err
}

func (d *Daemon) stageDrop(ctx context.Context, r api.StageDropRequest) (api.StageDropAnswer, error) {
	if r.All == (r.Name != "") {
		return api.StageDropAnswer{}, event.BadRequest("aoa stage rm NAME, or --all", "name a stage or a key, or all stages")
	}
	n, err := d.stages.Drop(ctx, r.Name)
	return api.StageDropAnswer{Dropped: n}, err
}

// convert converts each element of a list. The result is never nil, so that its JSON is a list.
func convert[A, B any](list []A, one func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = one(a)
	}
	return out
}
