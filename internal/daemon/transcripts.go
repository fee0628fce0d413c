package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// importer reads folders of past transcripts, one at a time, when a client asked for it.
func (h *house) importer(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case dir := <-h.imports:
			h.transcripts(ctx, dir)
		}
	}
}

func (h *house) transcripts(ctx context.Context, dir string) {
	report, err := hooks.Transcripts(ctx, dir, h.hookRepo(h.at(ctx, "")), func(events []event.Event) error {
		fresh, err := h.journal.Log(ctx, events)
		h.mu.Lock()
		h.past.Events += fresh
		h.past.Transcripts.Done++
		h.mu.Unlock()
		return err
	})
	h.mu.Lock()
	h.past.Sessions, h.past.Skipped = report.Sessions, report.Skipped
	h.past.Transcripts.State, h.past.Transcripts.Total = "done", h.past.Transcripts.Done
	if err != nil {
		h.past.Transcripts.State, h.past.Transcripts.Error = "failed", err.Error()
	}
	h.mu.Unlock()
	h.o.Log.Info("transcripts read", "files", report.Files, "sessions", report.Sessions, "events", report.Events, "err", err)
}

// importing starts what was asked for and says how far the imports are.
func (h *house) importing(_ context.Context, r api.ImportRequest) (api.ImportAnswer, error) {
	if h.paused() {
		return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !r.Look {
		h.head = api.Progress{State: "running"} // from now on: who asked waits for what is new
		signal(h.look)
	}
	if r.Transcripts != "" && !r.Look {
		select {
		case h.imports <- r.Transcripts:
			h.past = api.ImportAnswer{Transcripts: api.Progress{State: "running"}}
		default:
			return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "an import of transcripts is running", Hint: "aoa status"}
		}
	}
	out := h.past
	out.History = h.head
	return out, nil
}
