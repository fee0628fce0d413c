package learn_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// with changes fields of the body of an event.
func with(e event.Event, fields ...any) event.Event {
	eventtest.Set(&e, fields...)
	return e
}

// prompt begins a turn.
func prompt(turn string, after time.Duration, words ...string) event.Event {
	e := with(ev(event.KindPrompt, after), "Terms", words)
	e.Turn = turn
	return e
}

// saved is a save of a person.
func saved(after time.Duration, file event.Path) event.Event {
	return event.Event{Agent: "watch", Time: start.Add(after), Body: event.Save{Paths: []event.Path{file}}}
}

// back takes a commit back.
func back(after time.Duration, c event.Event) event.Event {
	return event.Event{Time: start.Add(after), Agent: "git", Body: event.Uncommit(c.Body.(event.Commit))}
}

// stories are events, and what their scores show.
var stories = []struct {
	what   string
	events []event.Event
}{
	{"opens: pairs by how many files lie between, of one session", []event.Event{ev(event.KindRead, 0, "a"),
		ev(event.KindRead, 0, "b"), ev(event.KindRead, 0, "c"), ev(event.KindRead, 0, "c"), ev(event.KindRead, 0, "a")}},
	{"opens outside of a session count for the file alone", []event.Event{func() event.Event {
		e := ev(event.KindRead, 0, "a", "b")
		e.Session = ""
		return e
	}()}},
	{"words of a prompt and a search share one, five tags of six count, and the next turn begins anew", []event.Event{
		prompt("p1", 0, "login", "token"), with(ev(event.KindSearch, 0), "Terms", []string{"expire"}),
		with(ev(event.KindRead, 0, "a"), "Tags", []string{"t1", "t2", "t3", "t4", "t5", "t6"}), ev(event.KindRead, 0, "a"),
		prompt("p2", time.Minute, "cache"), ev(event.KindRead, time.Minute, "a")}},
	{"the same words again and again lead to a file no oftener than there are turns", []event.Event{
		prompt("p1", 0, "login", "x"), with(ev(event.KindRun, 0), "Terms", []string{"login", "grep"}), ev(event.KindRead, 0, "a"),
		with(ev(event.KindRun, 0), "Terms", []string{"login", "grep"}), ev(event.KindRead, 0, "a"),
		with(commit(0, "a"), "Terms", []string{"login"})}},
	{"edits that go on are no change yet", []event.Event{ev(event.KindEdit, 0, "a"), ev(event.KindEdit, 0, "b")}},
	{"edits make half of the change that the commit of x, y and z is", []event.Event{ev(event.KindEdit, 0, "a"),
		ev(event.KindEdit, 0, "b"), ev(event.KindEdit, 0, "a"), ev(event.KindWrite, 0, "c"), ev(event.KindPrompt, 0),
		commit(0, "x", "y", "z")}},
	{"a pause and another prompt part edits", []event.Event{ev(event.KindEdit, 0, "a"), ev(event.KindEdit, 6*time.Minute, "d"),
		ev(event.KindPrompt, 6*time.Minute), ev(event.KindEdit, 6*time.Minute, "e"), ev(event.KindEnd, 6*time.Minute)}},
	{"a save right after an edit is the edit's; others are opens, and two of them a change", []event.Event{
		ev(event.KindEdit, 0, "a"), saved(5*time.Second, "a"), saved(11*time.Second, "a"), saved(12*time.Second, "b"),
		saved(40*time.Minute, "c")}},
	{"commits, and a file that one of them removed", []event.Event{
		with(commit(0, "a", "b", "c"), "Terms", []string{"login"}, "Gone", []event.Path{"old"}), commit(0, "a")}},
	{"a commit that is taken back leaves nothing but its time", []event.Event{with(commit(0, "a", "b"), "Terms", []string{"login"}),
		back(time.Hour, with(commit(0, "a", "b"), "Terms", []string{"login"}))}},
	{"the name of a package is no word of a manifest", []event.Event{with(commit(0, "go.mod", "go.sum"), "Text",
		"build(deps): bump example.com/certificates from 1 to 2", "Terms", []string{"bump", "certificate"})}},
	{"but of a change of a source it is", []event.Event{with(commit(0, "go.mod", "go.sum", "tls.go"), "Text",
		"build(deps): bump example.com/certificates from 1 to 2", "Terms", []string{"bump", "certificate"})}},
	{"a sweep for the sake of a tool is no coupling", []event.Event{commit(0, "a/a", "b/b"),
		with(commit(time.Hour, "a/a", "b/b", "c/c", "d/d", "e/e"), "Text", "apply golangci-lint autofixes", "Terms", []string{"lint"}),
		commit(time.Hour, "go.mod", "go.sum")}},
	{"a rename of before the log began moves nothing", []event.Event{commit(0, "old", "x"),
		{Time: start, Body: event.Rename{From: []event.Path{"old"}, To: []event.Path{"new"}, Past: true}}}},
	{"what changed together six years ago, and not at all since, still does", []event.Event{commit(0, "man.go", "man_test.go"),
		commit(0, "man.go", "man_test.go"), commit(0, "busy.go", "man_test.go"), commit(6*365*24*time.Hour, "busy.go", "lint.yml")}},
}

// TestStoriesGolden compares every score of some stories with testdata/stories.golden, so that no formula changes
// unseen. -update writes it.
func TestStoriesGolden(t *testing.T) {
	var b strings.Builder
	for _, s := range stories {
		d := newFixture(t)
		d.learn(s.events...)
		scores := d.scores(0, [][]event.Event{s.events}, hot.Changed)
		fmt.Fprintln(&b, "==", s.what)
		for _, key := range slices.Sorted(maps.Keys(scores)) {
			if !strings.Contains(key, "\t#") {
				fmt.Fprintf(&b, "%s %.10g\n", strings.ReplaceAll(strings.Replace(key, "\t\t", " ", 1), "\t", " "), scores[key])
			}
		}
	}
	fault.Golden(t, "testdata/stories.golden", b.String())
}
