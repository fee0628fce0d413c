package prefetch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// FindWork returns the files of recent work: those edited, the newest first, then those read. events are
// opens of the session that resumes, or of the sessions before it; has says whether a file still exists.
func FindWork(events []event.Event, has func(event.Path) bool, at time.Time) []event.Suggestion {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b event.Event) int { return b.Time.Compare(a.Time) })
	var edited, read []event.Suggestion
	seen := map[event.Path]bool{}
	for _, pass := range []struct {
		edits bool
		word  string
		out   *[]event.Suggestion
	}{{true, "edited", &edited}, {false, "read", &read}} {
		for _, e := range events {
			if e.Opens() && (e.Kind() != event.KindRead) == pass.edits {
				for _, f := range e.Paths() {
					if !seen[f] && has(f) {
						seen[f] = true
						*pass.out = append(*pass.out, event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{{Signal: string(Start),
							Value: 1, Weight: 1, Text: pass.word + " " + span(at.Sub(e.Time)) + " ago"}}})
					}
				}
			}
		}
	}
	return append(edited, read...)
}

// Bounds of what a session found out.
const (
	maxSearches = 8  // that may have led to a read, the last ones
	maxPattern  = 40 // bytes of a pattern that is repeated
)

// FindFindings returns what a session found out: the files that it read and did not change and that are as they were,
// with the lines and with what led there. Those that a search led to come first, then the newest. events are the
// session's prompts, searches and opens, the newest first. What a subagent did, the agent has not seen. blob is
// Event.Blob of what a file says now; it is asked for at most 20 files.
func FindFindings(events []event.Event, blob func(event.Path) string, at time.Time) []event.Suggestion {
	type finding struct {
		file                event.Path
		lines, reason, blob string
		searched            bool
		at                  time.Time
	}
	var found []finding
	var searches []event.Event
	named, edited := map[event.Path]bool{}, map[event.Path]bool{}
	for _, e := range slices.Backward(events) {
		switch {
		case e.Subagent != "" && !e.Edits():
		case e.Edits():
			for _, f := range e.Paths() {
				edited[f] = true
			}
		case e.Kind() == event.KindPrompt:
			for _, f := range e.Named() {
				named[f] = true
			}
		case e.Kind() == event.KindSearch:
			searches = append(searches, e)
			searches = searches[max(0, len(searches)-maxSearches):]
		case e.Kind() == event.KindRead && len(e.Paths()) == 1:
			f := finding{file: e.Paths()[0], lines: e.Call().Lines(), blob: e.Call().Blob, at: e.Time}
			for _, s := range slices.Backward(searches) {
				if slices.Contains(s.Seen(), f.file) {
					f.searched, f.reason = true, "found by a search"
					if p := event.Path(s.Text()); len(s.Text()) <= maxPattern && p.Mentionable() {
						f.reason += " for " + event.Quote(s.Text())
					}
					break
				}
			}
			if f.reason == "" && named[f.file] {
				f.reason = "named in a prompt"
			}
			i := slices.IndexFunc(found, func(x finding) bool { return x.file == f.file })
			if i < 0 {
				found = append(found, f)
				continue
			}
			old := found[i]
			f.searched, f.reason = f.searched || old.searched, cmp.Or(old.reason, f.reason)
			if old.blob == f.blob {
				f.lines = joined(old.lines, f.lines)
			}
			found = append(slices.Delete(found, i, i+1), f)
		}
	}
	slices.Reverse(found)
	found = slices.DeleteFunc(found, func(f finding) bool { return edited[f.file] || f.blob == "" })
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(truth(b.searched), truth(a.searched)) })
	var out []event.Suggestion
	for _, f := range found[:min(len(found), maxStale)] {
		if f.blob != blob(f.file) {
			continue
		}
		text := "read " + span(at.Sub(f.at)) + " ago"
		if f.lines != "" {
			text = "lines " + f.lines + ", " + text
		}
		if f.reason != "" {
			text += ", " + f.reason
		}
		out = append(out, event.Suggestion{File: f.file, Score: 1, Reasons: []event.Reason{{Signal: string(Start), Value: 1,
			Weight: 1,
			Text:   text + ", unchanged since"}}})
	}
	return out
}

// joined are the lines of two reads; "" is all lines.
func joined(a, b string) string {
	switch {
	case a == "" || b == "":
		return ""
	case strings.Contains(", "+a+", ", ", "+b+", "):
		return a
	}
	return a + ", " + b
}

// span is a duration in its largest unit: "3 min".
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
}
