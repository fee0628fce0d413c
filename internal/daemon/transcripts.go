package daemon

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// transcriptReader imports recorded sessions, one folder at a time, when a client asks for it.
type transcriptReader struct {
	base
	events    *eventLog
	worktrees *checkout.Set
	history   *historyReader
	folders   chan string // to be imported; capacity 1
	again     bool        // the log had to be made again: what a client had imported is imported once more

	mu    sync.Mutex // guards state
	state api.ImportAnswer
}

func (r *transcriptReader) run(ctx context.Context) error {
	if dir, err := regularfile.Read(r.note(), regularfile.NoLinks, 16<<10); r.again && err == nil &&
		r.settings.Get().Transcripts != "off" {
		if _, err := r.start(ctx, api.ImportRequest{Transcripts: string(dir)}); err != nil {
			r.log.Warn("past sessions are not imported again", "err", err)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case dir := <-r.folders:
			r.read(ctx, dir)
		}
	}
}

func (r *transcriptReader) read(ctx context.Context, dir string) {
	report, err := transcript.Read(ctx, dir, r.worktrees.HookRepo(r.worktrees.At(ctx, "")), func(done, total int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.state.Transcripts.Done, r.state.Transcripts.Total = done, total
	}, func(events []event.Event) error {
		fresh, err := r.events.Append(ctx, events)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.state.Events += fresh
		return err
	})
	r.mu.Lock()
	r.state.Sessions, r.state.Skipped = report.Sessions, report.Skipped
	r.state.Transcripts.State, r.state.Transcripts.Done = "done", r.state.Transcripts.Total
	if err != nil {
		r.state.Transcripts.State, r.state.Transcripts.Error = "failed", err.Error()
	}
	r.mu.Unlock()
	r.log.Info("transcripts read", "files", report.Files, "sessions", report.Sessions, "events", report.Events, "err", err)
}

// note is the file that names the folder that was imported last.
func (r *transcriptReader) note() string { return filepath.Join(r.settings.Store, "transcripts") }

// reading reports whether history or transcripts are being read.
func (r *transcriptReader) reading() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.history.progress().State == "running" || r.state.Transcripts.State == "running"
}

// start starts the imports that were asked for and returns how far they are.
func (r *transcriptReader) start(_ context.Context, req api.ImportRequest) (api.ImportAnswer, error) {
	if r.settings.Paused() {
		return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !req.Look {
		r.history.ask()
	}
	if req.Transcripts != "" && !req.Look {
		select {
		case r.folders <- req.Transcripts:
			r.state = api.ImportAnswer{Transcripts: api.Progress{State: "running"}}
			if err := atomicfile.WriteBytes(r.note(), atomicfile.Options{}, []byte(req.Transcripts)); err != nil {
				r.log.Warn("where past sessions came from is not kept", "err", err)
			}
		default:
			return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "an import of transcripts is running",
				Hint: "aoa status"}
		}
	}
	out := r.state
	out.History = r.history.progress()
	return out, nil
}
