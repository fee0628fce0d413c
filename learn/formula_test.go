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

func TestOpens(t *testing.T) {
	d := newFixture(t)
	d.learn(ev(event.KindRead, 0, "a"), ev(event.KindRead, 0, "b"), ev(event.KindRead, 0, "c"), ev(event.KindRead, 0, "c"),
		ev(event.KindRead, 0, "a"))
	d.expect("recency of a", d.score(hot.Recency, "", "a", start), float64(start.Unix()))
	d.expect("frequency of a", d.score(hot.Frequency, "", "a", start), 2)
	d.expect("frequency of a a half-life later", d.score(hot.Frequency, "", "a", start.Add(hot.Frequency.Half)), 1)
	d.expect("sessions of a", d.score(hot.Sessions, "", "a", start), 1)
	d.expect("co-access a b", d.score(hot.Coaccess, "a", "b", start), 1)
	d.expect("co-access a c", d.score(hot.Coaccess, "a", "c", start), 1/(1+0.15*(2-1)))
	d.expect("co-access c a", d.score(hot.Coaccess, "c", "a", start), 1/(1+0.15*(2-1)))
}

// TestOpensOutsideASession counts for the file alone.
func TestOpensOutsideASession(t *testing.T) {
	d := newFixture(t)
	e := ev(event.KindRead, 0, "a", "b")
	e.Session = ""
	d.learn(e)
	d.expect("frequency of a", d.score(hot.Frequency, "", "a", start), 1)
	d.expect("co-access", d.score(hot.Coaccess, "a", "b", start), 0)
}

func TestTagsAndTerms(t *testing.T) {
	d := newFixture(t)
	prompt := ev(event.KindPrompt, 0)
	prompt.Turn = "p1"
	eventtest.Set(&prompt, "Terms", []string{"login", "token"})
	search := ev(event.KindSearch, 0)
	eventtest.Set(&search, "Terms", []string{"expire"})
	read := ev(event.KindRead, 0, "a")
	eventtest.Set(&read, "Tags", []string{"t1", "t2", "t3", "t4", "t5", "t6"})
	d.learn(prompt, search, read, ev(event.KindRead, 0, "a"))
	for _, w := range []string{"login", "token", "expire"} {
		d.expect(w+" → a", d.score(hot.TermFiles, w, "a", start), 1/math.Sqrt(2)) // of two words of the prompt
		d.expect("use of "+w, d.score(hot.TermFreq, "", w, start), 1/math.Sqrt(2))
	}
	d.expect("tag t5 → a", d.score(hot.TagFiles, "t5", "a", start), 1)
	d.expect("tag a → t5", d.score(hot.FileTags, "a", "t5", start), 1)
	d.expect("tag t6 → a", d.score(hot.TagFiles, "t6", "a", start), 0)
	d.expect("use of t1", d.score(hot.TagFreq, "", "t1", start), 1)

	again := ev(event.KindPrompt, time.Minute)
	again.Turn = "p2"
	eventtest.Set(&again, "Terms", []string{"cache"})
	d.learn(again, ev(event.KindRead, time.Minute, "a"))
	d.expect("cache → a", d.score(hot.TermFiles, "cache", "a", start.Add(time.Minute)), 1)
}

// TestEditsMakeHalfAChange compares three edits with a commit of the same files.
func TestEditsMakeHalfAChange(t *testing.T) {
	d := newFixture(t)
	d.learn(ev(event.KindEdit, 0, "a"), ev(event.KindEdit, 0, "b"), ev(event.KindEdit, 0, "a"),
		ev(event.KindWrite, 0, "c"))
	d.expect("changes of a while they go on", d.score(hot.Changes, "", "a", start), 0)
	d.learn(ev(event.KindPrompt, 0), commit(0, "x", "y", "z"))
	for _, p := range [][4]string{{"a", "b", "x", "y"}, {"b", "a", "y", "x"}, {"a", "c", "x", "z"}, {"c", "b", "z", "y"}} {
		d.expect("co-change "+p[0]+p[1], d.score(hot.Comod, p[0], p[1], start), 0.5*d.score(hot.Comod, p[2], p[3], start))
		d.expect("changes "+p[0], d.score(hot.Changes, "", p[0], start), 0.5*d.score(hot.Changes, "", p[2], start))
	}
	d.expect("co-change a b", d.score(hot.Comod, "a", "b", start), 0.5/(3-1))
	late := 6 * time.Minute
	d.learn(ev(event.KindEdit, 0, "a"), ev(event.KindEdit, late, "d"), ev(event.KindEnd, late))
	d.expect("co-change after a pause", d.score(hot.Comod, "d", "a", start), 0)
	d.learn(ev(event.KindPrompt, late), ev(event.KindEdit, late, "e"), ev(event.KindEnd, late))
	d.expect("co-change of another prompt", d.score(hot.Comod, "e", "d", start), 0)
}

// TestManyEditsAreLearnedInLinearTime: one more file of a large change costs the same, however many
// files the change has.
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

func TestSaves(t *testing.T) {
	save := func(after time.Duration, p event.Path) event.Event {
		return event.Event{Agent: "watch", Time: start.Add(after), Body: event.Save{Paths: []event.Path{p}}}
	}
	d := newFixture(t)
	d.learn(ev(event.KindEdit, 0, "a"))
	d.learn(save(5*time.Second, "a"))
	d.expect("frequency of a", d.score(hot.Frequency, "", "a", start), 1)
	d.learn(save(11*time.Second, "a"), save(12*time.Second, "b"))
	at := start.Add(12 * time.Second)
	d.expect("frequency of a", d.score(hot.Frequency, "", "a", at), math.Exp2(-12.0/(7*86400))+math.Exp2(-1.0/(7*86400)))
	d.learn(save(40*time.Minute, "c"))
	if d.score(hot.Comod, "a", "b", at) < 0.49 {
		t.Error("two saves are no change")
	}
}

func TestCommits(t *testing.T) {
	d := newFixture(t)
	c := commit(0, "a", "b", "c")
	eventtest.Set(&c, "Terms", []string{"login"})
	eventtest.Set(&c, "Gone", []event.Path{"old"})
	alone := commit(0, "a")
	d.learn(c, alone)
	d.expect("co-change a b", d.score(hot.Comod, "a", "b", start), 1.0/(4-1))
	d.expect("changes of a", d.score(hot.Changes, "", "a", start), 1.0/(4-1)+1)
	d.expect("churn of a", d.score(hot.Churn, "", "a", start), 2)
	d.expect("login → a", d.score(hot.TermFiles, "login", "a", start), 1.0/4)
	d.expect("committed a", d.score(hot.Committed, "", "a", start), float64(start.Unix()))
	d.expect("co-change a old", d.score(hot.Comod, "a", "old", start), 0)
	c.Body, alone.Body = event.Uncommit(c.Body.(event.Commit)), event.Uncommit(alone.Body.(event.Commit))
	d.learn(c, alone)
	for _, f := range []*hot.Family{hot.Churn, hot.Changes} {
		d.expect(f.Name+" after uncommit", d.score(f, "", "a", start), 0)
	}
	d.expect("co-change after uncommit", d.score(hot.Comod, "a", "b", start), 0)
	d.expect("term after uncommit", d.score(hot.TermFiles, "login", "a", start), 0)
}

func TestNamesOfPackagesAreNoWordsOfManifests(t *testing.T) {
	d := newFixture(t)
	bump := commit(0, "go.mod", "go.sum")
	eventtest.Set(&bump, "Text", "build(deps): bump example.com/certificates from 1 to 2", "Terms", []string{"bump",
		"certificate"})
	d.learn(bump)
	d.expect("bump → go.mod", d.score(hot.TermFiles, "bump", "go.mod", start), 1.0/2)
	d.expect("certificate → go.mod", d.score(hot.TermFiles, "certificate", "go.mod", start), 0)
	d.expect("certificate", d.score(hot.TermFreq, "", "certificate", start), 0)
	d.expect("co-change", d.score(hot.Comod, "go.mod", "go.sum", start), 1)
	eventtest.Set(&bump, "Paths", append(bump.Paths(), "tls.go"))
	d.learn(bump)
	d.expect("certificate → go.mod, with a source", d.score(hot.TermFiles, "certificate", "go.mod", start), 1.0/3)
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

// TestUncommitStampsNothing: a commit that is taken back makes no file newer.
func TestUncommitStampsNothing(t *testing.T) {
	d := newFixture(t)
	c := commit(0, "a", "b")
	back := commit(time.Hour, "a", "b")
	back.Body = event.Uncommit(back.Body.(event.Commit))
	d.learn(c, back)
	for _, f := range []*hot.Family{hot.Committed, hot.Changed} {
		d.expect(f.Name, d.score(f, "", "a", start), float64(start.Unix()))
	}
}

// TestPastRename: a rename of before the log began moves nothing, for its commits are learned under
// the new name.
func TestPastRename(t *testing.T) {
	d := newFixture(t)
	d.learn(commit(0, "old", "x"), event.Event{Time: start, Body: event.Rename{From: []event.Path{"old"}, To: []event.Path{"new"}, Past: true}})
	d.expect("churn of the old name", d.score(hot.Churn, "", "old", start), 1)
	d.expect("churn of the new name", d.score(hot.Churn, "", "new", start), 0)
}

// TestBoundsOfPairs: a file is paired with the 20 that were opened before it, and a change of more
// than 20 files pairs none.
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

// TestTermsAreShares: of the turns and commits under a word, no more than all led to a file.
func TestTermsAreShares(t *testing.T) {
	d := newFixture(t)
	for i := range 4 {
		prompt := ev(event.KindPrompt, 0)
		prompt.Turn = fmt.Sprint(i)
		eventtest.Set(&prompt, "Terms", []string{"login", "token", "x", "y"})
		run := ev(event.KindRun, 0)
		eventtest.Set(&run, "Terms", []string{"login", "grep"})
		d.learn(prompt, run, ev(event.KindRead, 0, "a"), ev(event.KindRead, 0, "b"), run, ev(event.KindRead, 0, "a"))
		c := commit(0, "a", "b")
		eventtest.Set(&c, "Terms", []string{"login"})
		d.learn(c)
	}
	for _, w := range []string{"login", "token", "grep"} {
		n := d.score(hot.TermFreq, "", w, start)
		for _, f := range []string{"a", "b"} {
			if got := d.score(hot.TermFiles, w, f, start); got > n+1e-9 || got < n/2 {
				t.Errorf("%s led to %s %v times of %v", w, f, got, n)
			}
		}
	}
}

// TestASweepIsNoCoupling: what goes through all files for the sake of a tool says nothing about
// which belong together.
func TestASweepIsNoCoupling(t *testing.T) {
	d := newFixture(t)
	sweep := commit(time.Hour, "a/a", "b/b", "c/c", "d/d", "e/e")
	eventtest.Set(&sweep, "Text", "apply golangci-lint autofixes", "Terms", []string{"lint"})
	d.learn(commit(0, "a/a", "b/b"), sweep, commit(time.Hour, "go.mod", "go.sum"))
	at := start.Add(time.Hour)
	d.expect("pair of the sweep", d.score(hot.Comod, "a/a", "c/c", at), 0)
	d.expect("pair before", d.score(hot.Comod, "a/a", "b/b", at), 1)
	d.expect("changes", d.score(hot.Changes, "", "a/a", at), 1)
	d.expect("manifest and lock", d.score(hot.Comod, "go.mod", "go.sum", at), 1)
	d.expect("its word", d.score(hot.TermFiles, "lint", "a/a", at), 0)
	if d.score(hot.Churn, "", "c/c", at) == 0 || d.score(hot.Committed, "", "c/c", at) == 0 {
		t.Error("it is a commit none the less")
	}
}

// TestUnchangedFilesKeepTheirPairs: what changed together six years ago, and not at all since,
// still does.
func TestUnchangedFilesKeepTheirPairs(t *testing.T) {
	d := newFixture(t)
	d.learn(commit(0, "man.go", "man_test.go"), commit(0, "man.go", "man_test.go"), commit(0, "busy.go", "man_test.go"))
	late := 6 * 365 * 24 * time.Hour
	d.learn(commit(late, "busy.go", "lint.yml"))
	at := start.Add(late)
	d.expect("co-change", d.score(hot.Comod, "man.go", "man_test.go", at), 2)
	d.expect("changes", d.score(hot.Changes, "", "man.go", at), 2)
	d.expect("a partner that went on without it", d.score(hot.Comod, "busy.go", "man_test.go", at), 1.0/64)
	v := d.store.View(at)
	top := v.Top(hot.Comod, "man.go", 8)
	if err := v.Load(t.Context()); err != nil || len(top.Members) != 1 || top.Values[0] != 2 {
		t.Fatalf("partners are %+v, %v", top, err)
	}
}
