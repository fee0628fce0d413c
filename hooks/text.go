package hooks

import (
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Kinds of hints. Each is switched, measured and retired by itself.
const (
	HintPartner = "partner" // what changed together before and is untouched now
	HintRescue  = "rescue"  // where the file of a failed access is
	HintStart   = "start"   // the working set at a session's start
	HintPrompt  = "prompt"  // a list of files, one of which the turn probably opens
	HintStale   = "stale"   // what changed since this session read it
	HintNext    = "next"    // what is likely opened next
)

// maxFiles is how many files a hint names.
const maxFiles = 5

// opening is the line above the files: a fact about them. Orders would be ignored at best: clients warn
// their models of text from tools that tells them what to do.
var opening = map[string]string{
	HintPartner: "Changed together in this repository before, untouched so far:",
	HintRescue:  "Tracked files in place of paths that failed:",
	HintStart:   "Files that earlier work here opened or changed:",
	HintPrompt:  "This prompt probably needs one of these files (chance of each, if it needs any):",
	HintStale:   "Changed since this session read them:",
	HintNext:    "Files that this work probably opens next:",
}

// Text puts suggestions into words: one line that says what they have in common, then a line for each of the first five
// with its strongest reason that has words. "" if there is none or the kind is unknown. It is at most MaxHint long
// (MaxStart for HintStart) and gives facts, paths and counts only. A list for a prompt gives probabilities too, and has
// at most maxListTokens: files come first, then as many reasons as fit. The probability is that of a turn that opens
// files at all. Names are quoted as data; files whose names are not Mentionable are left out.
func Text(kind string, sugg []event.Suggestion) string {
	head, ok := opening[kind]
	sugg = mentionable(sugg)
	if !ok || len(sugg) == 0 {
		return ""
	}
	limit := MaxHint
	switch kind {
	case HintStart:
		limit = MaxStart
	case HintPrompt:
		return listText(head, sugg)
	}
	var b strings.Builder
	b.WriteString(head)
	for _, s := range sugg {
		b.WriteString("\n" + s.File.Quoted())
		if r := reason(s); r != "" {
			b.WriteString(": " + r)
		}
	}
	text := shorten(b.String(), limit)
	if !strings.Contains(text, "\n") { // the first path is too long: nothing is left
		return ""
	}
	return text
}

// BrokenText puts places that still use what a change removes into words of at most most bytes, and tells which files
// they name. "" if there is none. The line of a file is quoted as data.
func BrokenText(all []index.Broken, most int) (text string, named []event.Path) {
	for _, b := range all {
		head := "Removed by this change, still used:"
		line := fmt.Sprintf("\n%s:%d: %s", b.File.Quoted(), b.Line, event.Path(b.Text).Quoted())
		if text != "" {
			head = text
		}
		if b.File.Mentionable() && len(named) < maxFiles && len(head+line) <= most {
			text, named = head+line, append(named, b.File)
		}
	}
	return text, named
}

// mentionable are the first maxFiles suggestions that a text may name.
func mentionable(sugg []event.Suggestion) (out []event.Suggestion) {
	for _, s := range sugg {
		if s.File.Mentionable() && len(out) < maxFiles {
			out = append(out, s)
		}
	}
	return out
}

// maxReason is how long a reason is at most, in UTF-16 units.
const maxReason = 160

// maxListTokens is how many tokens a list for a prompt costs at most (see index.Tokens).
const maxListTokens = 120

// listText is the text of a list: each file with its probability, and the reasons that fit.
func listText(head string, sugg []event.Suggestion) string {
	lines := []string{head}
	fits := func() bool { return index.Tokens(strings.Join(lines, "\n")) <= maxListTokens }
	for _, s := range sugg {
		lines = append(lines, fmt.Sprintf("%s (%.0f %%)", s.File.Quoted(), 100*s.Score))
		if !fits() {
			lines = lines[:len(lines)-1]
			break
		}
	}
	if len(lines) == 1 {
		return ""
	}
	for i := 1; i < len(lines); i++ {
		if r := reason(sugg[i-1]); r != "" {
			bare := lines[i]
			if lines[i] += ": " + r; !fits() {
				lines[i] = bare
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Named lists the suggestions that a text of Text names whole: its end may be cut.
func Named(text string, sugg []event.Suggestion) (out []event.Path) {
	lines := strings.Split(text, "\n")
	for i, s := range mentionable(sugg) {
		name := s.File.Quoted()
		if i+1 < len(lines) && (lines[i+1] == name || strings.HasPrefix(lines[i+1], name+":") ||
			strings.HasPrefix(lines[i+1], name+" (")) {
			out = append(out, s.File)
		}
	}
	return out
}

// reason is the reason to give, on one line, "" if it would name a file that is not Mentionable.
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
