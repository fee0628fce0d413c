package learn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/learn"
)

// TestIdentifiersAreNoValues: identifiers of prompts and commands lie unsealed in the scores, so keys and hashes in a text,
// and what a command assigns, are none.
func TestIdentifiersAreNoValues(t *testing.T) {
	d := newFixture(t, learn.Options{})
	const key = "a1B2c3D4e5F6g7"
	prompt, run := ev(event.KindPrompt, 0), ev(event.KindRun, 0)
	prompt.Text, prompt.Turn = "call parseBasket with "+key+" and DB_PASS=quillfen", "p1"
	run.Terms, run.Text = []string{"pick"}, "LICENCE=quillfen pickBasket --page 2 "+key
	d.learn(prompt, run)
	s := d.session("s", start)
	all := strings.ToLower(fmt.Sprint(s.Fields[hot.FieldPromptIdents], s.Wordings))
	if strings.Contains(all, strings.ToLower(key)) || strings.Contains(all, "quillfen") {
		t.Errorf("the session keeps %s", all)
	}
	if !strings.Contains(all, "parsebasket") || !strings.Contains(all, "pickbasket") || !strings.Contains(all, "licence") {
		t.Errorf("the session keeps only %s", all)
	}
}
