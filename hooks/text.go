package hooks

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Kinds of hints. Each has its own switch and is measured separately.
const (
	HintPartner = "partner" // files that usually change together with the change and are missing from it
	HintRescue  = "rescue"  // where the file of a failed access is
	HintStart   = "start"   // the files of recent work, at a session's start
	HintPrompt  = "prompt"  // a list of files, one of which the turn will probably open
	HintStale   = "stale"   // files that have changed since this session read them
	HintSearch  = "search"  // files that a search meant, after it found no file or too many
	HintSought  = "sought"  // a list of probable files after such a search, if no file has the name that was searched
	HintNext    = "next"    // files that will probably be opened next
)

// maxFiles is the largest number of files that a hint names.
const maxFiles = 5

// preface tells where a text comes from, and that its names are data. opening is the line above the
// files, which states a fact about them. It gives no orders: clients warn their models of tools
// that tell them what to do, so an order would at best be ignored.
const preface = "aOa (names are data): "

var opening = map[string]string{
	HintPartner: "often committed with the edited files, not edited so far:",
	HintRescue:  "tracked files that the failed paths probably meant:",
	HintStart:   "files that earlier work here opened or changed:",
	HintPrompt:  "files ranked by commits, sessions and contents; chance of each, if this turn opens any:",
	HintStale:   "changed since this session read them:",
	HintSearch:  "files that define the searched name, or have nearly that name:",
	HintSought: "the search found no file, or too many; files ranked by commits, sessions and contents; chance of each, " +
		"if this turn opens more:",
	HintNext: "files that were opened next in similar work:",
}

// Text puts suggestions into words, in at most space bytes: one line that tells where they come
// from and what they have in common, then a line for each of the first five with its place or its
// strongest reason. It returns "" if there are no suggestions, if there is no room for one, and for
// an unknown kind.
//
// A list for a prompt or after a search tells for each file how probable it is that the turn opens
// it, given that the turn opens any. It takes at most maxListTokens tokens: files come first, then
// as many reasons as fit.
//
// named are the files that the text names. Names are quoted as data; files whose names are not
// Mentionable are left out.
func Text(kind string, sugg []event.Suggestion, space int) (text string, named []event.Path) {
	head, ok := opening[kind]
	limit := MaxHint
	if kind == HintStart {
		limit = MaxStart
	}
	list := kind == HintPrompt || kind == HintSought
	lines := []string{preface + head}
	fits := func() bool {
		text := strings.Join(lines, "\n")
		return len(text) <= min(space, limit) && (!list || index.Tokens(text) <= maxListTokens)
	}
	var more []string
	for _, s := range sugg {
		if !ok || !s.File.Mentionable() || len(named) == maxFiles {
			continue
		}
		line, why := s.After(s.File.Quoted()), ": "+reason(s)
		switch {
		case list:
			line += fmt.Sprintf(" (%.0f %%)", 100*s.Score)
			if s.Line > 0 || !s.Reason().Evidence {
				why = ""
			}
		case kind == HintSearch && s.Line > 0: // the symbol is the name that was searched
			why = ""
		case why != ": ":
			line, why = line+why, ""
		}
		if lines = append(lines, line); !fits() {
			lines = lines[:len(lines)-1]
			break
		}
		named, more = append(named, s.File), append(more, strings.TrimSuffix(why, ": "))
	}
	if len(named) == 0 {
		return "", nil
	}
	for i, why := range more {
		bare := lines[i+1]
		if lines[i+1] += why; !fits() {
			lines[i+1] = bare
		}
	}
	return strings.Join(lines, "\n"), named
}

// More returns the line that tells how many more files or lines there are than fit into a text, ""
// if n is not positive.
func More(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("\nand %d more: aoa check", n)
}

// BrokenText lists places that still use what a change removes, in at most most bytes, and returns
// the files that the text names. It returns "" if there are no places. The line of a file is quoted
// as data. more is the number of places that are not in all.
func BrokenText(all []index.Broken, more, most int) (text string, named []event.Path) {
	lines := index.BrokenLines(all)
	for _, b := range lines {
		head := preface + "removed by this change, still used:"
		line := fmt.Sprintf("\n%s:%d: %s", b.File.Quoted(), b.Line, event.Quote(b.Text))
		if text != "" {
			head = text
		}
		if b.File.Mentionable() && len(named) < maxFiles && len(head+line) <= most {
			text, named = head+line, append(named, b.File)
		}
	}
	if rest := More(more + len(lines) - len(named)); text != "" && len(text+rest) <= most {
		text += rest
	}
	return text, named
}

// OtherSession tells which files were changed by another session, which may still be running, and
// returns those that the text names. The newest files come last. Some agents do not report the end of a session, so
// the text only tells when the session was last active.
func OtherSession(files []event.Path) (text string, named []event.Path) {
	var names []string
	for _, f := range slices.Backward(files) {
		if f.Mentionable() && len(named) < maxFiles {
			named, names = append(named, f), append(names, f.Quoted())
		}
	}
	if len(named) == 0 {
		return "", nil
	}
	return preface + "another session was active in the last 30 minutes. Changed and not committed: " +
		strings.Join(names, ", ") + ".", named
}

// maxReason is the longest reason, in UTF-16 units.
const maxReason = 160

// maxListTokens is the largest number of tokens of a list for a prompt (see index.Tokens).
const maxListTokens = 120

// reason returns the reason to show, on one line, "" if it would name a file that is not
// Mentionable.
func reason(s event.Suggestion) string {
	r := s.Reason()
	text := r.Text
	if r.With != "" {
		if !r.With.Mentionable() {
			return ""
		}
		text = strings.Replace(text, r.With.Display(), r.With.Quoted(), 1)
	}
	if text = shorten(strings.Join(strings.Fields(text), " "), maxReason); strings.Count(text, `"`)%2 != 0 {
		return "" // the end of a quotation was cut
	}
	return text
}

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
