package monitor

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// maxWarnings is the largest number of warnings that aoa status shows.
const maxWarnings = 20

// Warnings keeps the warnings of a log for aoa status until the daemon ends.
type Warnings struct {
	mu   sync.Mutex // guards list
	list []string
}

func (w *Warnings) add(r slog.Record) {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.list) < maxWarnings && !slices.Contains(w.list, text) {
		w.list = append(w.list, text)
	}
}

// Texts returns the kept warnings, the oldest first.
func (w *Warnings) Texts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// Logger returns a logger that writes to log and also keeps the warnings.
func (w *Warnings) Logger(log *slog.Logger) *slog.Logger {
	return slog.New(&warningHandler{log.Handler(), w})
}

// warningHandler passes records on and keeps the warnings.
type warningHandler struct {
	slog.Handler
	warnings *Warnings
}

// Enabled returns true for warnings even if the log accepts only errors.
func (h *warningHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || h.Handler.Enabled(ctx, level)
}

func (h *warningHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		h.warnings.add(r)
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
