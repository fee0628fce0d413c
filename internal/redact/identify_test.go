package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestIdentifiersAreNoValues: keys and hashes in a text, and what a command assigns, are no
// identifiers.
func TestIdentifiersAreNoValues(t *testing.T) {
	const key = "a1B2c3D4e5F6g7"
	prompt := Identify(event.Prompt{Text: "call parseBasket with " + key + " and DB_PASS=quillfen"})
	run := Identify(event.Call{Act: event.ActRun, Text: "LICENCE=quillfen pickBasket --page 2 " + key})
	all := strings.ToLower(fmt.Sprint(prompt.(event.Prompt).Idents, run.(event.Call).Idents))
	if strings.Contains(all, strings.ToLower(key)) || strings.Contains(all, "quillfen") {
		t.Errorf("the event keeps %s", all)
	}
	if !strings.Contains(all, "parsebasket") || !strings.Contains(all, "pickbasket") || !strings.Contains(all, "licence") {
		t.Errorf("the event keeps only %s", all)
	}
	known := event.Prompt{Text: "call parseBasket", Idents: []string{"other"}}
	if got := Identify(known).(event.Prompt).Idents; len(got) != 1 || got[0] != "other" {
		t.Errorf("known identifiers became %q", got)
	}
}
