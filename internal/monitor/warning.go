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
	list []warning
}

// warning is a record of the log. Its text may change while the daemon lives: a count in it goes on counting.
type warning struct {
	first string
	slog.Record
}

func (w warning) text() string {
	text := w.Message
	w.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	return text
}

func (w *Warnings) add(r slog.Record) {
	entry := warning{Record: r}
	entry.first = entry.text()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.list) < maxWarnings && !slices.ContainsFunc(w.list, func(o warning) bool { return o.first == entry.first }) {
		w.list = append(w.list, entry)
	}
}

// Texts are the warnings that were kept, the oldest first.
func (w *Warnings) Texts() (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, entry := range w.list {
		out = append(out, entry.text())
	}
	return out
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

func (h *warningHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		h.warnings.add(r.Clone())
	}
	return h.Handler.Handle(ctx, r)
}

// Take takes over what others have kept.
func (w *Warnings) Take(from *Warnings) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = from.list
}
