package daemon

import (
	"cmp"
	"context"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
)

func (d *Daemon) reloadList(ctx context.Context, r api.SequencesRequest) (api.SequencesAnswer, error) {
	out := api.SequencesAnswer{Sequences: []reload.Match{}}
	if r.ID != "" {
		e, err := d.sequences.Get(ctx, r.ID)
		out.Sequences = append(out.Sequences, reload.Match{Entry: e})
		return out, err
	}
	limit := cmp.Or(max(r.Limit, 0), 20)
	asked, fits := reload.AskFor(r.Prompt), r.Prompt != ""
	if !fits && !r.All && r.Session != "" {
		asked, fits = d.sequences.Asked(ctx, r.Session)
	}
	if fits {
		found, err := d.sequences.Find(ctx, d.worktrees.Caller(ctx).Sequences(), asked)
		out.Sequences = append(out.Sequences, found[:min(len(found), limit)]...)
		return out, err
	}
	all, err := d.sequences.List(ctx)
	out.Sequences = convert(all[:min(len(all), limit)],
		func(e reload.Entry) reload.Match { return reload.Match{Entry: e} })
	return out, err
}

func (d *Daemon) reloadRun(ctx context.Context, r api.ReplayRequest) (api.ReplayAnswer, error) {
	begin := d.now()
	if r.Undo {
		id, files, err := d.sequences.Undo(ctx, d.worktrees.Caller(ctx).Sequences(), r.ID)
		return api.ReplayAnswer{Report: reload.Report{ID: id}, Files: files}, err
	}
	out := api.ReplayAnswer{}
	var err error
	out.Report, err = d.sequences.Replay(ctx, d.worktrees.Caller(ctx).Sequences(), r.Request)
	if err != nil {
		return api.ReplayAnswer{}, refused(r.ID, err)
	}
	d.openedByReplay(ctx, r, out.Report)
	out.Ms = float64(d.now().Sub(begin).Microseconds()) / 1000
	return out, nil
}

// openedByReplay logs which files a session has read by a replay, because it will not open these
// files again.
func (d *Daemon) openedByReplay(ctx context.Context, r api.ReplayRequest, got reload.Report) {
	entry, err := d.sequences.Get(ctx, got.ID)
	if err != nil || r.Session == "" || got.Diverged != "" {
		return
	}
	c := event.Call{Act: event.ActRead, Tool: reload.ReplayTool}
	for _, f := range entry.Files {
		if !f.Wrote {
			c.Paths = append(c.Paths, f.Path)
		}
	}
	if len(c.Paths) > 0 {
		d.events.Add(event.Event{ID: "replay:" + api.CallID(ctx), Time: d.now(), Agent: entry.Agent, Session: r.Session,
			Body: c})
	}
}

func (d *Daemon) reloadForget(ctx context.Context, r api.SequenceForgetRequest) (api.SequenceForgetAnswer, error) {
	switch {
	case r.All == (r.ID != ""):
		return api.SequenceForgetAnswer{}, event.BadRequest("aoa reload forget ID, or --all", "name one sequence, or all")
	case r.All:
		_ = d.events.Flush(ctx) // turns that wait in the log would be recorded after it
		n, err := d.sequences.ForgetAll(ctx)
		return api.SequenceForgetAnswer{Sequences: n}, err
	}
	return api.SequenceForgetAnswer{Sequences: 1}, d.sequences.ForgetID(ctx, r.ID)
}
