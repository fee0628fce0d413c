package hooks

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// events turns the acts of a command line into events. The last one carries what the result named: only after
// it did the agent see anything. A command line of which nothing is known is still one run event.
func (s *scene) events(sh *shell, c toolCall, command string) []event.Event {
	acts, said := merge(sh.acts), newSayable(command)
	var out []event.Event
	if e, ok := s.missed(sh, c); ok {
		out = append(out, e)
	}
	for _, a := range acts {
		out = append(out, s.eventOf(a, c, said))
	}
	if len(out) == 0 || c.failed && len(acts) == 0 {
		out = append(out, s.eventOf(act{kind: event.KindRun}, c, said))
	}
	text := output(c.response)
	if c.failed {
		text = c.problem
	}
	last := &out[len(out)-1]
	last.Listing = lists(acts)
	if !sh.own {
		last.Seen = s.mentions(text, last.Listing, s.looked(sh)...)
	}
	return append(out, s.diffFiles(sh, c)...)
}

// merge joins neighbouring runs: "make && make test" is one piece of work.
func merge(acts []act) []act {
	var out []act
	for _, a := range acts {
		n := len(out)
		if a.kind == event.KindRun && n > 0 && out[n-1].kind == event.KindRun {
			b := &out[n-1]
			b.named = append(b.named, a.named...)
			b.words += " " + a.words
			b.listing = b.listing || a.listing
			continue
		}
		out = append(out, a)
	}
	return out
}

// lists reports whether what the acts print is above all names, or lines behind a name: some act lists, and none
// shows a file's content.
func lists(acts []act) bool {
	found := false
	for _, a := range acts {
		if a.kind == event.KindRead && !a.silent {
			return false
		}
		found = found || a.listing
	}
	return found
}

// sayable is a command line without its secrets, and the words that may be told of it. What acts say is
// put together from expanded words: "mysql --password x" names x, and so does $PASSWORD, without the mark that
// redact.Text knows it by. Only words that the redacted whole still has are told, and none that stands only behind "=".
type sayable struct {
	text   string
	all    bool            // nothing was taken out
	terms  map[string]bool // of text
	values map[string]bool // terms of what is assigned in text and stands nowhere else
}

func newSayable(command string) sayable {
	said := sayable{text: redact.Text(command), terms: map[string]bool{}, values: map[string]bool{}}
	said.all = said.text == command
	for _, t := range redact.CommandTerms(said.text, maxCommand) {
		said.terms[t] = true
	}
	if strings.Contains(said.text, "=") {
		for _, t := range redact.Terms(said.text, maxCommand) {
			said.values[t] = !said.terms[t]
		}
	}
	return said
}

// of are the terms of a text that may be told.
func (c sayable) of(text string) []string {
	return slices.DeleteFunc(redact.CommandTerms(clip(text, maxCommand), event.MaxTerms), func(t string) bool { return c.values[t] || !c.all && !c.terms[t] })
}

func (s *scene) eventOf(a act, c toolCall, said sayable) event.Event {
	e := s.event("", a.kind)
	e.Paths, e.From, e.Named = a.paths, a.from, s.keep(a.named, event.MaxSeen)
	e.OK = !c.failed || a.kind != event.KindRun
	switch a.kind {
	case event.KindSearch:
		if said.all || strings.Contains(said.text, a.pattern) {
			e.Text = store(a.pattern, event.MaxText)
		}
		e.Terms = said.of(a.pattern + " " + a.words)
		e.OK = !c.failed
	case event.KindRun:
		e.Text = store(said.text, event.MaxText)
		if a.words == "" {
			a.words = said.text
		}
		e.Terms = said.of(a.words)
	}
	e.Tags = s.tags(a.kind, e.Terms, append(e.Paths[:len(e.Paths):len(e.Paths)], e.Named...))
	return e
}

// missed is the failure of a command to find a file, for a rescue: it names the file that is not there.
func (s *scene) missed(sh *shell, c toolCall) (event.Event, bool) {
	if !c.failed || classify(c.problem) != whyMissing {
		return event.Event{}, false
	}
	var ps []event.Path
	for _, name := range sh.missing {
		if !strings.Contains(c.problem, name) {
			continue
		}
		if p, ok := s.place.file(name, sh.dir); ok {
			ps = append(ps, p)
		}
	}
	if ps = s.keep(ps, event.MaxSeen); len(ps) == 0 {
		return event.Event{}, false
	}
	e := s.event("", event.KindFailed)
	e.Paths, e.Why, e.Tags = ps, whyMissing, s.tags(event.KindFailed, nil, ps)
	return e, true
}

// looked are the folders that names in the result may be relative to: at most six.
func (s *scene) looked(sh *shell) []string {
	var dirs []string
	for _, dir := range append(sh.listed(), sh.dir) {
		if dir = path.Clean(dir); absolute(dir) && !slices.Contains(dirs, dir) && len(dirs) < 6 {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (sh *shell) listed() []string {
	var dirs []string
	for _, a := range sh.acts {
		dirs = append(dirs, a.dirs...)
	}
	return dirs
}

// diffFiles are edits that the agent itself found a command to have made. They come last: deliveries of the
// same call that lack them number the others alike.
func (s *scene) diffFiles(sh *shell, c toolCall) []event.Event {
	var out []event.Event
	if !bytes.Contains(c.response, []byte(`"bashEditDiff"`)) {
		return nil
	}
	for _, name := range parse(c.response).object("bashEditDiff").texts("changedFiles") {
		p, ok := s.place.file(name, "")
		if !ok || s.ignored(p) || len(out) >= event.MaxSeen || changes(sh.acts, p) {
			continue
		}
		e := s.event("", event.KindEdit)
		e.Paths, e.OK = []event.Path{p}, true
		e.Tags = s.tags(event.KindEdit, nil, e.Paths)
		out = append(out, e)
	}
	return out
}

func changes(acts []act, p event.Path) bool {
	for _, a := range acts {
		if a.kind != event.KindRead && slices.Contains(a.paths, p) {
			return true
		}
	}
	return false
}

func sortPaths(ps []event.Path) { slices.Sort(ps) }
