package monitor_test

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/aoa-dev/aoa/internal/monitor"
)

// TestWarnings: warnings are kept once each, with what they name, and not without bound; other
// records are not kept.
func TestWarnings(t *testing.T) {
	var w, next monitor.Warnings
	log := w.Logger(slog.New(slog.DiscardHandler))
	log.Info("started")
	log.Warn("the file is damaged", "file", "aoa.db")
	log.Warn("the file is damaged", "file", "aoa.db")
	next.Take(&w)
	if got := next.Texts(); len(got) != 1 || got[0] != "the file is damaged file=aoa.db" {
		t.Errorf("kept %q", got)
	}
	for i := range 100 {
		log.Warn(fmt.Sprint("warning ", i))
	}
	if n := len(w.Texts()); n < 2 || n > 50 {
		t.Errorf("kept %d warnings of 101", n)
	}
}
