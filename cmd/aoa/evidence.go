package main

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// evidence returns the evidence for a file: the common commits, as "59 of 457 commits · 10 of the
// last 50", with the name of the other file if the question has several. If there are no common
// commits it returns the strongest reason.
func (a *app) evidence(s event.Suggestion, q event.Query) string {
	t := s.Together
	if t == nil {
		if s.Link != "" && len(q.Files) == 1 {
			return s.Link
		}
		return a.reasonText(s.Reason())
	}
	counts := strings.Replace(t.String(), ", ", " · ", 1)
	if s.Link != "" {
		counts = s.Link + " · " + counts
	}
	if len(s.Precedents) > 0 {
		counts += " · like this one: " + strings.Join(s.Precedents, ", ")
	}
	if len(q.Files) == 1 {
		return counts
	}
	return "with " + a.display(t.With) + ": " + counts
}

// link turns a name into a link to its file, on terminals.
func (a *app) link(p event.Path, name string) string {
	if !a.color {
		return name
	}
	to := url.URL{Scheme: "file", Path: filepath.ToSlash(a.root.Abs(p))}
	return "\x1b]8;;" + to.String() + "\x1b\\" + name + "\x1b]8;;\x1b\\"
}

// reasonText returns a reason in words. The file that it names is given as seen from the current
// folder.
func (a *app) reasonText(r event.Reason) string {
	if r.With == "" {
		return r.Text
	}
	return strings.Replace(r.Text, r.With.Display(), a.display(r.With), 1)
}
