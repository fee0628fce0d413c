package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// importer reads folders of past transcripts, one at a time, when a client asked for it.
func (r *transcriptReader) importer(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case dir := <-r.imports:
			r.transcripts(ctx, dir)
		}
	}
}

func (r *transcriptReader) transcripts(ctx context.Context, dir string) {
	report, err := hooks.Transcripts(ctx, dir, r.hookRepo(r.worktrees.at(ctx, "")), func(events []event.Event) error {
		fresh, err := r.events.Append(ctx, events)
		r.mu.Lock()
		r.past.Events += fresh
		r.past.Transcripts.Done++
		r.mu.Unlock()
		return err
	})
	r.mu.Lock()
	r.past.Sessions, r.past.Skipped = report.Sessions, report.Skipped
	r.past.Transcripts.State, r.past.Transcripts.Total = "done", r.past.Transcripts.Done
	if err != nil {
		r.past.Transcripts.State, r.past.Transcripts.Error = "failed", err.Error()
	}
	r.mu.Unlock()
	r.log.Info("transcripts read", "files", report.Files, "sessions", report.Sessions, "events", report.Events, "err", err)
}

// importing starts what was asked for and says how far the imports are.
func (r *transcriptReader) importing(_ context.Context, r api.ImportRequest) (api.ImportAnswer, error) {
	if r.settings.paused() {
		return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.Look {
		r.head = api.Progress{State: "running"} // from now on: who asked waits for what is new
		signal(r.look)
	}
	if r.Transcripts != "" && !r.Look {
		select {
		case r.imports <- r.Transcripts:
			r.past = api.ImportAnswer{Transcripts: api.Progress{State: "running"}}
		default:
			return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "an import of transcripts is running", Hint: "aoa status"}
		}
	}
	out := r.past
	out.History = r.head
	return out, nil
}
