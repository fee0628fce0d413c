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

// Transcripts imports recorded sessions, one folder at a time, when a client asks for it.
type Transcripts struct {
	set     *Set
	history *History
	folders chan string // folders to import; capacity 1

	mu    sync.Mutex // guards state
	state api.ImportAnswer
}

// NewTranscripts returns a Transcripts that has read nothing yet.
func NewTranscripts(set *Set, history *History) *Transcripts {
	return &Transcripts{set: set, history: history, folders: make(chan string, 1),
		state: api.ImportAnswer{Transcripts: api.Progress{State: "idle"}}}
}

// Run imports until ctx ends. If the log had to be created again, it first imports again what a
// client had imported.
func (r *Transcripts) Run(ctx context.Context) error {
	if dir, err := regularfile.Read(r.note(), regularfile.NoLinks, 16<<10); r.set.DB.MadeAgain && err == nil &&
		r.set.Settings.Get().Transcripts != "off" {
		if _, err := r.Start(ctx, api.ImportRequest{Transcripts: string(dir)}); err != nil {
			r.set.Info.Warn("past sessions are not imported again", "err", err)
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

func (r *Transcripts) read(ctx context.Context, dir string) {
	w := r.set.At(ctx, "")
	report, err := transcript.Read(ctx, dir, r.set.HookRepo(w), func(done, total int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.state.Transcripts.Done, r.state.Transcripts.Total = done, total
	}, func(events []event.Event) error {
		r.set.HideWords(ctx, w, events, time.Minute)
		fresh, err := r.set.Events.Append(ctx, events)
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
	r.set.Info.Info("transcripts read", "files", report.Files, "sessions", report.Sessions, "events",
		report.Events, "err", err)
}

// note returns the name of the file that records which folder was imported last.
func (r *Transcripts) note() string { return filepath.Join(r.set.Settings.Store, "transcripts") }

// Reading reports whether history or transcripts are being read.
func (r *Transcripts) Reading() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.history.Progress().State == "running" || r.state.Transcripts.State == "running"
}

// Start starts the imports that were asked for, and returns the progress of all imports.
func (r *Transcripts) Start(_ context.Context, req api.ImportRequest) (api.ImportAnswer, error) {
	if r.set.Settings.Paused() {
		return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !req.Look {
		r.history.Ask()
	}
	if req.Transcripts != "" && !req.Look {
		select {
		case r.folders <- req.Transcripts:
			r.state = api.ImportAnswer{Transcripts: api.Progress{State: "running"}}
			if err := atomicfile.WriteBytes(r.note(), atomicfile.Options{}, []byte(req.Transcripts)); err != nil {
				r.set.Info.Warn("the folder of the imported sessions cannot be noted", "err", err)
			}
		default:
			return api.ImportAnswer{}, &api.Error{Code: api.CodeBusy, Message: "an import of transcripts is running",
				Hint: "aoa status"}
		}
	}
	out := r.state
	out.History = r.history.Progress()
	return out, nil
}
