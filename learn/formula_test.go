package learn_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
)

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
	v := d.store.View(start)
	top := v.Top(hot.Comod, "f4999", 64)
	if err := v.Load(t.Context()); err != nil || len(top.Members) != 0 {
		t.Errorf("partners are %v, %v", top.Members, err)
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

// TestSumsOfTwentyYears commits every week of them, newest first and oldest first, and finds no
// NaN, no infinity, and the sum that the formula says.
func TestSumsOfTwentyYears(t *testing.T) {
	const weeks = 20 * 52
	want := 0.0
	for i := range weeks {
		want += math.Exp2(-float64(i*7) / 365)
	}
	for _, backwards := range []bool{false, true} {
		d := newFixture(t)
		for i := range weeks {
			if !backwards {
				i = weeks - 1 - i
			}
			d.learn(commit(-time.Duration(i)*7*24*time.Hour, "a", "b"))
		}
		got := d.score(hot.Comod, "a", "b", start)
		if math.Abs(got-want) > 1e-3 { // the epoch before the newest counts for 20 half-lives only
			t.Errorf("backwards %v: %v, want %v", backwards, got, want)
		}
		if n := d.score(hot.Changes, "", "a", start); math.IsNaN(n) || math.IsInf(n, 0) || math.Abs(n-want) > 1e-3 {
			t.Errorf("changes are %v", n)
		}
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
