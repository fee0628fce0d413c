package hint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// preface tells where a text comes from, and that its names are data.
const preface = "aOa (names are data): "

// sought is the kind Search when no file has the name that was searched, so that the files are a
// list of probable ones.
const sought prefetch.HintKind = "sought"

// opening is the line above the files of a kind, which states a fact about them. It gives no orders:
// clients warn their models of tools that tell them what to do, so an order would at best be
// ignored.
var opening = map[prefetch.HintKind]string{
	prefetch.Partner: "often committed with the edited files, not edited so far:",
	prefetch.Rescue:  "tracked files that the failed paths probably meant:",
	prefetch.Start:   "files that earlier work here opened or changed:",
	prefetch.Prompt:  "files ranked by commits, sessions and contents; chance of each, if this turn opens any:",
	prefetch.Stale:   "changed since this session read them:",
	prefetch.Search:  "files that define the searched name, or have nearly that name:",
	sought: "the search found no file, or too many; files ranked by commits, sessions and contents; chance of each, " +
		"if this turn opens more:",
	prefetch.Next: "files that were opened next in similar work:",
}

// Text puts suggestions into words, in at most space bytes: one line that tells where they come
// from and what they have in common, then a line for each of the first five with its place or its
// strongest reason. It returns "" if there are no suggestions, or if there is no room for one.
//
// A list for a prompt or after a search tells for each file how probable it is that the turn opens
// it, given that the turn opens any. It takes at most maxListTokens tokens: files come first, then
// as many reasons as fit.
//
// named are the files that the text names. Names are quoted as data; files whose names are not
// Mentionable are left out.
func Text(kind prefetch.HintKind, sugg []event.Suggestion, space int) (text string, named []event.Path) {
	list := kind == prefetch.Prompt || kind == sought
	lines := []string{preface + opening[kind]}
	fits := func() bool {
		text := strings.Join(lines, "\n")
		return len(text) <= space && (!list || index.Tokens(text) <= maxListTokens)
	}
	var more []string
	for _, s := range sugg {
		if !s.File.Mentionable() || len(named) == prefetch.MaxFiles {
			continue
		}
		line, why := s.After(s.File.Quoted()), ": "+reason(s)
		switch {
		case list:
			line += fmt.Sprintf(" (%.0f %%)", 100*s.Score)
			if s.Line > 0 || !s.Reason().Evidence {
				why = ""
			}
		case kind == prefetch.Search && s.Line > 0: // the symbol is the name that was searched
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

// andMore returns the line that tells how many more files or lines there are than fit into a text, ""
// if n is not positive.
func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("\nand %d more: aoa check", n)
}

// brokenText lists places that still use what a change removes, in at most most bytes, and returns
// the files that the text names. It returns "" if there are no places. The line of a file is quoted
// as data. more is the number of places that are not in all.
func brokenText(all []index.Broken, more, most int) (text string, named []event.Path) {
	lines := index.BrokenLines(all)
	for _, b := range lines {
		head := preface + "removed by this change, still used:"
		line := fmt.Sprintf("\n%s:%d: %s", b.File.Quoted(), b.Line, event.Quote(b.Text))
		if text != "" {
			head = text
		}
		if b.File.Mentionable() && len(named) < prefetch.MaxFiles && len(head+line) <= most {
			text, named = head+line, append(named, b.File)
		}
	}
	if rest := andMore(more + len(lines) - len(named)); text != "" && len(text+rest) <= most {
		text += rest
	}
	return text, named
}

// otherSession tells which files were changed by another session, which may still be running, and
// returns those that the text names. The newest files come last. Some agents do not report the end of a session, so
// the text only tells when the session was last active.
func otherSession(files []event.Path) (text string, named []event.Path) {
	var names []string
	for _, f := range slices.Backward(files) {
		if f.Mentionable() && len(named) < prefetch.MaxFiles {
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
	if text = oneLine(text, maxReason); strings.Count(text, `"`)%2 != 0 {
		return "" // the end of a quotation was cut
	}
	return text
}

// oneLine returns a text as one line and cuts it.
func oneLine(s string, n int) string { return hooks.Shorten(strings.Join(strings.Fields(s), " "), n) }
