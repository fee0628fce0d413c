package hint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/reload"
)

// offerTag is the tag around offers to Claude. The specification of the cache demands it.
const offerTag = "reload_options"

// maxOfferActions is the number of tools that an offer names.
const maxOfferActions = 8

// maxRecipe is the longest text about edits and commands in an offer, in UTF-16 units.
const maxRecipe = 320

// offer returns recorded sequences in words, one on each line: facts, no orders.
func offer(agent string, found []reload.Match) string {
	var b strings.Builder
	b.WriteString("Recorded sequences that began with a similar prompt. In a shell, aoa reload run ID does their " +
		"read-only steps again and prints what they find now")
	if slices.ContainsFunc(found, func(m reload.Match) bool { return m.Applies }) {
		b.WriteString("; with --edits it also shows their edits as a diff, which --apply makes")
	}
	b.WriteString(":")
	for i, m := range found {
		fmt.Fprintf(&b, "\n%d. [%s] %q (%.0f%% match, %d uses)", i+1, m.ID, oneLine(m.Summary, 160), 100*m.Similarity, m.Uses)
		tools := m.Tools()
		if tools = tools[:min(len(tools), maxOfferActions)]; len(tools) > 0 {
			fmt.Fprintf(&b, "\n   Actions: %s", oneLine(strings.Join(tools, ", "), 120))
		}
		switch {
		case m.Applies:
			fmt.Fprintf(&b, "\n   Replay: its edits apply to the files as they are: %s", oneLine(m.Recipe, maxRecipe))
		case m.Recipe != "":
			fmt.Fprintf(&b, "\n   Recipe: for %q the session %s", oneLine(m.Text, 80), oneLine(m.Recipe, maxRecipe))
		}
	}
	tag := ""
	if agent == "claude" {
		tag = offerTag
	}
	return hooks.Block(tag, b.String())
}
