package hooks

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// Offer is one recorded sequence of tool calls that is offered to an agent.
type Offer struct {
	ID      string
	Summary string
	Match   int // percent
	Uses    int
	Actions []string // names of the tools
	Prompt  string   // the prompt of the recorded turn
	Recipe  string   // what it edited and ran; "" if it edited nothing
	Applies bool     // its edits can still be made as they were made then
}

// Block is a text in a tag of its own. Only aOa's blocks have tags; angle brackets in texts are
// replaced, also in the texts of blocks.
type Block struct {
	Tag  string // "" for agents that do not use tags
	Text string
}

// offerTag is the tag around offers to Claude. The specification of the cache demands it.
const offerTag = "reload_options"

// maxOfferActions is the number of tools that an offer names.
const maxOfferActions = 8

// maxRecipe is the longest text about edits and commands in an offer, in UTF-16 units.
const maxRecipe = 320

// Offers returns recorded sequences in words, one on each line: facts, no orders. Without sequences
// it returns the zero Block.
func Offers(agent string, offers []Offer) Block {
	if len(offers) == 0 {
		return Block{}
	}
	var b strings.Builder
	b.WriteString("Recorded sequences that began with a similar prompt. In a shell, aoa reload run ID does their " +
		"read-only steps again and prints what they find now")
	if slices.ContainsFunc(offers, func(o Offer) bool { return o.Applies }) {
		b.WriteString("; with --edits it also shows their edits as a diff, which --apply makes")
	}
	b.WriteString(":")
	for i, o := range offers {
		fmt.Fprintf(&b, "\n%d. [%s] %q (%d%% match, %d uses)", i+1, oneLine(o.ID, 32), oneLine(o.Summary, 160), o.Match,
			o.Uses)
		tools := o.Actions[:min(len(o.Actions), maxOfferActions)]
		if len(tools) > 0 {
			fmt.Fprintf(&b, "\n   Actions: %s", oneLine(strings.Join(tools, ", "), 120))
		}
		switch {
		case o.Applies:
			fmt.Fprintf(&b, "\n   Replay: its edits apply to the files as they are: %s", oneLine(o.Recipe, maxRecipe))
		case o.Recipe != "":
			fmt.Fprintf(&b, "\n   Recipe: for %q the session %s", oneLine(o.Prompt, 80), oneLine(o.Recipe, maxRecipe))
		}
	}
	if agent == "claude" {
		return Block{Tag: offerTag, Text: b.String()}
	}
	return Block{Text: b.String()}
}

// oneLine returns a text as one line and cuts it.
func oneLine(s string, n int) string { return shorten(strings.Join(strings.Fields(s), " "), n) }

// String returns the block as the agent gets it: with its own tags, but otherwise harmless.
func (b Block) String() string { return b.within(MaxHint) }

// within returns the block in at most n UTF-16 units, "" if not even its first fact fits.
func (b Block) within(n int) string {
	text := harmless(b.Text)
	if b.Tag != "" {
		n -= 2*len(b.Tag) + len("<>\n\n</>")
	}
	if n <= 0 || text == "" {
		return ""
	}
	if long := len(utf16.Encode([]rune(text))); long > n {
		if text = shorten(text, n); !strings.Contains(text, "\n") {
			return ""
		}
	}
	if b.Tag == "" {
		return text
	}
	return "<" + b.Tag + ">\n" + text + "\n</" + b.Tag + ">"
}
