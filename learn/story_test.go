package learn_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
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
	{"words of a prompt and a search share one, five tags of six count, and the next turn begins again", []event.Event{
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
	{"a commit without files has no words", []event.Event{with(commit(0), "Terms", []string{"login"})}},
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
		fmt.Fprintln(&b, "==", s.what)
		scores := d.scores(s.events)
		for _, key := range slices.Sorted(maps.Keys(scores)) {
			fmt.Fprintf(&b, "%s %.10g\n", key, scores[key])
		}
	}
	fault.Golden(t, "testdata/stories.golden", b.String())
}

func ev(kind event.Kind, after time.Duration, paths ...event.Path) event.Event {
	return event.Event{Time: start.Add(after), Agent: "claude", Session: "s", Body: eventtest.Body(kind, paths...)}
}

func commit(after time.Duration, paths ...event.Path) event.Event {
	return event.Event{Time: start.Add(after), Agent: "git", Body: event.Commit{Paths: paths}}
}

// hint is a fact that names files.
func hint(files ...event.Path) event.Event {
	e := ev(event.KindHint, 0, files...)
	e.ID = "hint"
	eventtest.Set(&e, "Name", "rescue", "Status", session.Shown)
	return e
}

// TestManyEditsAreLearnedInLinearTime: one more file of a large change costs the same, however many files the change
// has.
func TestManyEditsAreLearnedInLinearTime(t *testing.T) {
	bytes := func(n int) float64 {
		d := newFixture(t)
		var edited []event.Path
		for i := range n {
			edited = append(edited, event.Path(fmt.Sprintf("d/f%d.go", i)))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d.learn(ev(event.KindEdit, 0, edited...), ev(event.KindEnd, 0))
		runtime.ReadMemStats(&after)
		d.expect("changes of the last file", d.score(hot.Changes, "", string(edited[n-1]), start), .5/float64(n-1))
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
	}
	if small, large := bytes(500), bytes(4000); large > 3*small {
		t.Errorf("%.0f bytes for each of 500 edits, %.0f of 4,000", small, large)
	}
}

func TestBulkCommitMakesNoPairs(t *testing.T) {
	d := newFixture(t)
	var files []event.Path
	for i := range 5000 {
		files = append(files, event.Path(fmt.Sprintf("f%04d", i)))
	}
	d.learn(commit(0, files...), commit(0, files[:100]...), commit(0, files[200:301]...))
	d.expect("churn", d.score(hot.Churn, "", "f4999", start), 1)
	d.expect("pair of 100", d.score(hot.Comod, "f0000", "f0099", start), 1.0/99)
	d.expect("pair of 101", d.score(hot.Comod, "f0200", "f0201", start), 0)
	if top := d.store.Top(hot.Comod, "f4999", 64, start); len(top.Members) != 0 {
		t.Errorf("partners are %v", top.Members)
	}
}

// TestBoundsOfPairs: a file is paired with the 20 that were opened before it, and a change of more than 20 files pairs none.
func TestBoundsOfPairs(t *testing.T) {
	name := func(i int) event.Path { return event.Path(fmt.Sprintf("f%02d", i)) }
	d := newFixture(t)
	for i := range 22 {
		d.learn(ev(event.KindRead, 0, name(i)))
	}
	d.expect("the 20th before it", d.score(hot.Coaccess, "f21", "f01", start), 1/(1+0.15*19))
	d.expect("the 21st before it", d.score(hot.Coaccess, "f21", "f00", start), 0)
	for n, want := range map[int]float64{20: .5 / 19, 21: 0} {
		d := newFixture(t)
		for i := range n {
			d.learn(ev(event.KindEdit, 0, name(i)))
		}
		d.learn(ev(event.KindEnd, 0))
		d.expect("the edit", d.score(hot.Changed, "", "f19", start), float64(start.Unix()))
		d.expect(fmt.Sprint("a pair of ", n), d.score(hot.Comod, "f19", "f00", start), want)
	}
}

// TestWhatAHintCausedCountsAQuarter in every family: a hint must not become its own evidence.
func TestWhatAHintCausedCountsAQuarter(t *testing.T) {
	ask := func(hints ...event.Event) (d *fixture) {
		d = newFixture(t)
		prompt := ev(event.KindPrompt, 0)
		prompt.Turn = "p"
		eventtest.Set(&prompt, "Terms", []string{"word"})
		led := ev(event.KindEdit, time.Second, "b")
		eventtest.Set(&led, "Tags", []string{"tag"})
		d.learn(hints...)
		d.learn(prompt, ev(event.KindEdit, 0, "a"), led)
		d = d.restart()
		d.learn(ev(event.KindEnd, 2*time.Second))
		return d
	}
	own, led := ask(), ask(hint("b"))
	at := start.Add(time.Minute)
	for _, c := range []struct {
		f             *hot.Family
		owner, member string
	}{
		{hot.Frequency, "", "b"}, {hot.Sessions, "", "b"}, {hot.Coaccess, "a", "b"}, {hot.TermFiles, "word", "b"},
		{hot.TagFiles, "tag", "b"}, {hot.FileTags, "b", "tag"}, {hot.Comod, "a", "b"}, {hot.Comod, "b", "a"}, {hot.Changes,
			"", "b"},
	} {
		d, want := led.score(c.f, c.owner, c.member, at), own.score(c.f, c.owner, c.member, at)/4
		led.expect(c.f.Name, d, want)
		if want == 0 {
			t.Errorf("%s is not learned", c.f.Name)
		}
	}
	led.expect("changes of a", led.score(hot.Changes, "", "a", at), own.score(hot.Changes, "", "a", at))
	day := func(d *fixture) float64 {
		return math.Exp2(-(float64(at.Unix()) - d.score(hot.Recency, "", "b", at)) / 86400)
	}
	led.expect("recency by days", day(led), day(own)/4)
}

var start = eventtest.Start

// fixture is a store with a learner and the next sequence.
type fixture struct {
	*testing.T
	store    *hot.Store
	sessions *session.Sessions
	learner  *learn.Learner
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	s := hot.New()
	return &fixture{t, s, session.New(), learn.New(s)}
}

func (d *fixture) learn(events ...event.Event) { d.learner.Learn(d.sessions, events...) }

// of is one value now.
func (d *fixture) score(f *hot.Family, owner, member string, at time.Time) float64 {
	d.Helper()
	if f.Global() {
		return d.store.Of([]string{member}, at, f)[0][0]
	}
	top := d.store.Top(f, owner, math.MaxInt, at)
	if i := slices.Index(top.Members, member); i >= 0 {
		return top.Values[i]
	}
	return 0
}

func (d *fixture) expect(what string, got, want float64) {
	d.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		d.Errorf("%s is %v, want %v", what, got, want)
	}
}

// restart begins a new learner, and moves what is in memory to a new store through a snapshot.
func (d *fixture) restart() *fixture {
	d.Helper()
	recs := fault.Must(d.store.Snapshot())
	sessions := fault.Must(d.sessions.Snapshot())
	n := newFixture(d.T)
	fault.Check(d, errors.Join(n.store.Restore(recs), n.sessions.Restore(sessions)))
	return n
}

// scores are all scores at the newest of some events, by family, owner and member.
func (d *fixture) scores(events []event.Event) map[string]float64 {
	d.Helper()
	at, names := time.Time{}, map[hot.Noun]map[string]bool{hot.NounFile: {}, hot.NounTerm: {}, hot.NounTag: {}}
	note := func(of hot.Noun, all ...string) {
		for _, n := range all {
			names[of][n] = true
		}
	}
	for _, e := range events {
		note(hot.NounFile, event.Strings(slices.Concat(e.Paths(), e.From(), e.Gone()))...)
		note(hot.NounTerm, e.Terms()...)
		note(hot.NounTag, e.Tags()...)
		if e.Time.After(at) {
			at = e.Time
		}
	}
	names[hot.NounNone] = map[string]bool{"": true}
	out := map[string]float64{}
	for _, f := range hot.Families {
		for owner := range names[f.Owner] {
			for member := range names[f.Member] {
				if x := d.score(f, owner, member, at); x != 0 {
					out[strings.TrimSpace(f.Name+" "+owner)+" "+member] = x
				}
			}
		}
	}
	return out
}
