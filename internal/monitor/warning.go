package monitor

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// maxWarnings bounds what aoa status shows.
const maxWarnings = 20

// Warnings keeps the warnings of a log for aoa status, as long as the daemon lives.
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

// Texts are the warnings that were kept, the oldest first.
func (w *Warnings) Texts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// Logger is log, with its warnings kept.
func (w *Warnings) Logger(log *slog.Logger) *slog.Logger {
	return slog.New(&warningHandler{log.Handler(), w})
}

// warningHandler passes records on and keeps the warnings.
type warningHandler struct {
	slog.Handler
	warnings *Warnings
}

// Enabled takes warnings even where the log has errors alone.
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

// Take takes over what others have kept.
func (w *Warnings) Take(from *Warnings) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = from.list
}
