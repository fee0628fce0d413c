package checkout

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// imports tells how far the imports of the history and of recorded sessions are.
type imports struct {
	mu    sync.Mutex // guards state
	state api.ImportAnswer
}

const running = "running" // the state of an import

func (x *imports) change(do func(*api.ImportAnswer)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	do(&x.state)
}

// Imports returns the progress of all imports.
func (t *Set) Imports() (now api.ImportAnswer) {
	t.imports.change(func(a *api.ImportAnswer) { now = *a })
	return now
}

// Importing reports whether history or transcripts are being read.
func (t *Set) Importing() bool {
	now := t.Imports()
	return now.History.State == running || now.Transcripts.State == running
}

// Import starts the imports that a client asked for, and returns the progress of all imports.
func (t *Set) Import(_ context.Context, req api.ImportRequest) (api.ImportAnswer, error) {
	if t.Settings.Paused() {
		return api.ImportAnswer{}, &event.Refusal{Code: event.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	if req.Look {
		return t.Imports(), nil
	}
	t.ask()
	if req.Transcripts == "" {
		return t.Imports(), nil
	}
	started := false
	t.imports.change(func(a *api.ImportAnswer) {
		select {
		case t.folders <- req.Transcripts:
			*a = api.ImportAnswer{History: a.History, Transcripts: api.Progress{State: running}}
			started = true
		default:
		}
	})
	if !started {
		return api.ImportAnswer{}, &event.Refusal{Code: event.CodeBusy, Message: "an import of transcripts is running",
			Hint: "aoa status"}
	}
	if err := atomicfile.WriteBytes(t.importedFrom(), atomicfile.Options{}, []byte(req.Transcripts)); err != nil {
		t.Info.Warn("the folder of the imported sessions cannot be noted", "err", err)
	}
	return t.Imports(), nil
}

// importedFrom returns the name of the file that records which folder was imported last.
func (t *Set) importedFrom() string { return filepath.Join(t.Settings.Store, "transcripts") }

// RunTranscripts imports recorded sessions, one folder at a time, until ctx ends. If the log had to be
// created again, it first imports again what a client had imported.
func (t *Set) RunTranscripts(ctx context.Context) error {
	if dir, err := regularfile.Read(t.importedFrom(), regularfile.NoLinks, 16<<10); t.DB.MadeAgain && err == nil &&
		t.Settings.Get().Transcripts != "off" {
		if _, err := t.Import(ctx, api.ImportRequest{Transcripts: string(dir)}); err != nil {
			t.Info.Warn("past sessions are not imported again", "err", err)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case dir := <-t.folders:
			t.readTranscripts(ctx, dir)
		}
	}
}

func (t *Set) readTranscripts(ctx context.Context, dir string) {
	w := t.At(ctx, "")
	report, err := transcript.Read(ctx, dir, t.HookRepo(w), func(done, total int) {
		t.imports.change(func(a *api.ImportAnswer) { a.Transcripts.Done, a.Transcripts.Total = done, total })
	}, func(events []event.Event) error {
		t.HideWords(ctx, w, events, time.Minute)
		fresh, err := t.Events.Append(ctx, events)
		t.imports.change(func(a *api.ImportAnswer) { a.Events += fresh })
		return err
	})
	t.imports.change(func(a *api.ImportAnswer) {
		a.Sessions, a.Skipped = report.Sessions, report.Skipped
		a.Transcripts.State, a.Transcripts.Done = "done", a.Transcripts.Total
		if err != nil {
			a.Transcripts.State, a.Transcripts.Error = "failed", err.Error()
		}
	})
	t.Info.Info("transcripts read", "files", report.Files, "sessions", report.Sessions, "events",
		report.Events, "err", err)
}
