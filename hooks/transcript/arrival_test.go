package transcript

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestArrived: the newest note of a text of ours counts, not one of others and not a quotation.
func TestArrived(t *testing.T) {
	dir := t.TempDir()
	if got := Arrived(dir); !got.Newest.IsZero() || !got.Taken.IsZero() {
		t.Errorf("without a transcript: %+v", got)
	}
	lines := `{"type":"attachment","attachment":{"type":"hook_additional_context","content":["aOa: files"]},"timestamp":"2026-11-20T10:00:00Z","version":"2.1.330"}
{"type":"attachment","attachment":{"type":"hook_additional_context","content":"aOa: files"},"timestamp":"2026-11-20T11:00:00Z","version":"2.1.331"}
{"type":"attachment","attachment":{"type":"hook_additional_context","content":["others"]},"timestamp":"2026-11-20T12:00:00Z","version":"2.1.332"}
{"type":"assistant","message":"\"hook_additional_context\" aOa","timestamp":"2026-11-20T13:00:00Z"}
{"type":"attachment","attachment":{"type":"hook_add`
	fault.Check(t, os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(lines), 0o600))
	got := Arrived(dir)
	if want := time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC); !got.Taken.Equal(want) || got.Version != "2.1.331" ||
		got.Newest.IsZero() {
		t.Errorf("%+v", got)
	}
}
