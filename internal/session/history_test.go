package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/event/eventtest"
	"github.com/aoa-dev/aoa/internal/index"
)

// tape is a session being recorded: an event a minute.
type tape struct {
	session string
	n       int
	events  []event.Event
}

func (p *tape) add(e event.Event) *tape {
	e.ID, e.Session, e.Agent = fmt.Sprint(p.session, p.n), p.session, "claude"
	e.Time = noon.Add(time.Duration(p.n) * time.Minute)
	p.n++
	p.events = append(p.events, e)
	return p
}

func (p *tape) ask(text string) *tape {
	return p.add(event.Event{Body: event.Prompt{Text: text, Terms: index.Terms(text, event.MaxTerms)}})
}

func (p *tape) do(kind event.Kind, files ...event.Path) *tape {
	return p.add(event.Event{Body: eventtest.Fill(kind, eventtest.Fields{"Paths": files, "To": files})})
}

func (p *tape) run(command string, ok bool) *tape {
	c := event.Call{Act: event.ActRun, Tool: "Bash", Text: command}
	if !ok {
		c.Failure = event.FailStatus
	}
	return p.add(event.Event{Body: c})
}

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// TestContext: what a session gets after a compaction, word for word.
func TestContext(t *testing.T) {
	r := newContextFixture(t)
	s := &tape{session: "s"}
	s.ask("make the ranker faster").do(event.KindRead, "rank/rank.go", "rank/pool.go").do(event.KindEdit, "rank/rank.go").
		run("go test ./rank", false).ask("yes").do(event.KindEdit, "rank/pool.go")
	r.log(t, s.events...)
	want := preamble + `
Prompt at Mar 1 12:00: "make the ranker faster"
Prompt at 12:04: "yes"
Latest actions: read rank/rank.go, rank/pool.go; edited rank/rank.go; ran go test ./rank (failed); edited rank/pool.go.
Failing: go test ./rank (1 file changed since).
Changed and not committed: rank/pool.go, rank/rank.go.`
	c := r.context(t, Request{Session: "s"})
	if d := cmp.Diff(want, c.Text()); d != "" {
		t.Error(d)
	}
	if len(c.Segments) != 5 || c.Segments[0].Role != "system" || c.Segments[1].Role != "user" ||
		!c.Segments[2].Cacheable ||
		c.Segments[4].Cacheable {
		t.Errorf("segments are %+v", c.Segments)
	}
	if d := cmp.Diff([]event.Path{"rank/pool.go", "rank/rank.go"}, c.Files); d != "" {
		t.Error(d)
	}

	// The worktree's word counts: one of them was committed by hand, and the test passes later.
	r.log(t, s.run("go test ./...", true).events...)
	state := func(context.Context, []event.Path) Worktree {
		return Worktree{Known: true, Branch: "main", Changed: []event.Path{"rank/pool.go", "README.md"}}
	}
	c = r.context(t, Request{Session: "s", State: state})
	for _, want := range []string{"Changed and not committed: rank/pool.go.",
		"Passing since the last change: go test ./....", "On branch main", "Also in hand: rank/rank.go"} {
		if !strings.Contains(c.Text(), want) {
			t.Errorf("no %q in\n%s", want, c.Text())
		}
	}
	if strings.Contains(c.Text(), "Failing") {
		t.Errorf("what passes still fails:\n%s", c.Text())
	}
	if _, err := os.Stat(r.summaryFile()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing had to be summarised, and there is a file: %v", err)
	}
	if c := r.context(t, Request{Session: "nobody"}); len(c.Segments) != 0 || c.Tokens != 0 {
		t.Errorf("a session that never was has %+v", c)
	}
}

// long is a session that has to be summarised.
func long(n int) *tape {
	s := &tape{session: "long"}
	s.ask("port the parser of the configuration to the new grammar, and keep every old file readable")
	for i := range n {
		f := event.Path(fmt.Sprintf("config/file%d.go", i%12))
		s.do(event.KindRead, f).do(event.KindEdit, f).run("go test ./config", i%3 != 0)
		if i%5 == 4 {
			s.run("git commit -qm step",
				true).ask(fmt.Sprintf("now convert the grammar rule number %d, with all that stands in its comments. "+
				"The order of the keys must stay as people wrote it, and a file that nobody touched must not change by a byte.", i))
		}
	}
	return s
}

// TestCompaction: the summary is made when the budget is full and not before; what stands in front stays the same
// meanwhile; the newest three stay word by word; nothing is shown twice.
func TestCompaction(t *testing.T) {
	r := newContextFixture(t)
	s := long(61)
	var texts []string
	for _, e := range s.events {
		r.log(t, e)
		c := r.context(t, Request{Session: "long"})
		if c.Tokens > DefaultBudget.Total {
			t.Fatalf("%d tokens:\n%s", c.Tokens, c.Text())
		}
		front := ""
		for _, seg := range c.Segments {
			if seg.Cacheable {
				front += seg.Content + "\n"
			}
		}
		if len(texts) == 0 || texts[len(texts)-1] != front {
			texts = append(texts, front)
		}
		if e.Kind() == event.KindPrompt && !strings.Contains(c.Text(), quote(e.Text())) {
			t.Fatalf("the last prompt is not there word by word:\n%s", c.Text())
		}
	}
	if len(texts) > len(s.events)/2 {
		t.Errorf("the front changed %d times in %d events", len(texts), len(s.events))
	}
	text := r.context(t, Request{Session: "long"}).Text()
	for _, want := range []string{"Earlier prompts, in short: \"port the parser", "ran go test ", "committed",
		"12 files in config/", "Failing: go test ./config"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	// Another process goes on from there, and another budget is served from the log.
	must(t, r.o.Blobs.Close())
	again := r.another(nil)
	t.Cleanup(func() { must(t, again.o.Blobs.Close()) })
	c, err := again.Assemble(t.Context(), Request{Session: "long"})
	must(t, err)
	if c.Text() != text {
		t.Errorf("after a restart:\n%s\nbefore:\n%s", c.Text(), text)
	}
	for _, total := range []int{1, 30, 60, 120, 250, 2000} {
		c, err := again.Assemble(t.Context(), Request{Session: "long", Total: total})
		must(t, err)
		if c.Tokens > total || total >= 60 && c.Tokens == 0 {
			t.Errorf("%d tokens of %d:\n%s", c.Tokens, total, c.Text())
		}
	}
	if c, err := again.Assemble(t.Context(), Request{Session: "long"}); err != nil || c.Text() != text {
		t.Errorf("another budget changed the summary: %v", err)
	}
}

// TestFoldedEqualsWhole: a summary that grew with the session says of the work what the whole log says.
func TestFoldedEqualsWhole(t *testing.T) {
	grown, whole := newContextFixture(t), newContextFixture(t)
	s := long(40)
	for _, e := range s.events {
		grown.log(t, e)
		grown.context(t, Request{Session: "long"})
	}
	whole.log(t, s.events...)
	a, err := grown.thread(t.Context(), "long", false)
	must(t, err)
	b, err := whole.thread(t.Context(), "long", true)
	must(t, err)
	if a.summary.Done == 0 || a.fresh || !b.fresh {
		t.Fatalf("one has a summary up to %d, the other %v", a.summary.Done, b.summary.Done)
	}
	if d := cmp.Diff(b.work(), a.work(), cmp.AllowUnexported(work{})); d != "" {
		t.Errorf("the work differs:\n%s", d)
	}
}

// TestStateInvalidates: a summary whose files others changed is made again, and a failure from before says so.
func TestStateInvalidates(t *testing.T) {
	r := newContextFixture(t)
	s := long(20)
	s.run("go test ./config", false)
	r.log(t, s.events...)
	hash := "one"
	state := func(_ context.Context, files []event.Path) Worktree {
		st := Worktree{Known: true, Head: "h", Files: map[event.Path]string{}}
		for _, f := range files {
			st.Files[f] = hash
		}
		return st
	}
	q := Request{Session: "long", State: state}
	before := r.context(t, q).Text()
	if again := r.context(t, q).Text(); again != before || !strings.Contains(before, "Failing: go test ./config (") ||
		strings.Contains(before, "others") {
		t.Fatalf("nothing has changed, and it is\n%s\nafter\n%s", again, before)
	}
	hash = "two"
	if after := r.context(t, q).Text(); !strings.Contains(after, "not run since others changed files") {
		t.Errorf("others have changed files, and it is\n%s", after)
	}
	// Its own change is none of others.
	hash = "three"
	var all []event.Path
	for i := range 12 {
		all = append(all, event.Path(fmt.Sprintf("config/file%d.go", i)))
	}
	d, ok, err := r.loadSummary(t.Context(), "long")
	must(t, err)
	if !ok || !d.Stamp.valid(state(t.Context(), all), []Action{{Verb: "edited", Paths: all}}) ||
		d.Stamp.valid(state(t.Context(), all), []Action{{Verb: "read", Paths: all}}) {
		t.Error("own changes count as those of others, or the other way round")
	}
}

// TestOrder: what was deleted, brought back or undone is shown in its order, also when it is summarised.
func TestOrder(t *testing.T) {
	r := newContextFixture(t)
	s := &tape{session: "s"}
	s.ask("clean up the old cache").do(event.KindEdit, "cache/old.go").do(event.KindDelete,
		"cache/old.go").do(event.KindWrite, "cache/old.go").
		do(event.KindWrite, "cache/new.go").do(event.KindDelete, "cache/new.go").
		run("git commit -qm one", true).do(event.KindEdit, "cache/old.go").run("git revert --no-edit HEAD", true)
	for i := range 30 {
		s.do(event.KindRead, event.Path(fmt.Sprintf("docs/a%d.md", i)))
	}
	r.log(t, s.events...)
	text := r.context(t, Request{Session: "s"}).Text()
	at := -1
	for _, want := range []string{"cache/new.go was edited, then deleted",
		"cache/old.go was edited, then deleted, then written again", "committed. Then edited cache/old.go", "git revert --no-edit HEAD"} {
		i := strings.Index(text, want)
		if i < at || i < 0 {
			t.Errorf("%q is not where it belongs in\n%s", want, text)
		}
		at = i
	}
}

// TestLate: events of long ago that come late, as an import brings them, are shown in the order of time.
func TestLate(t *testing.T) {
	r := newContextFixture(t)
	early, late := &tape{session: "s"}, &tape{session: "s", n: 600}
	early.ask("the first thing to do in this project")
	late.ask("the last thing to do in this project").do(event.KindEdit, "a.go")
	r.log(t, late.events...)
	r.log(t, early.events...)
	text := r.context(t, Request{Session: "s"}).Text()
	if i, j := strings.Index(text, "the first"), strings.Index(text, "the last"); i < 0 || j < i {
		t.Errorf("out of order:\n%s", text)
	}
}

// TestSealed: what is at rest is what Seal made of it, and a key that is lost loses no context.
func TestSealed(t *testing.T) {
	dir := t.TempDir()
	seal, err := cold.OpenSeal(cold.SealOptions{Identity: filepath.Join(dir, "identity"),
		Keys: filepath.Join(dir, "keys")})
	must(t, err)
	r := newSealedFixture(t, seal)
	r.log(t, long(30).events...)
	want := r.context(t, Request{Session: "long"}).Text()
	if _, ok, err := r.loadSummary(t.Context(), "long"); !ok || err != nil {
		t.Fatalf("nothing was kept: %v", err)
	}
	must(t, r.o.Blobs.Close())
	must(t, cold.ScrubFolder(t.Context(), r.dir))
	raw, err := os.ReadFile(r.summaryFile())
	must(t, err)
	if strings.Contains(string(raw), "port the parser") {
		t.Error("a prompt is readable at rest")
	}
	other, err := cold.OpenSeal(cold.SealOptions{Identity: filepath.Join(dir, "another"),
		Keys: filepath.Join(dir, "others")})
	must(t, err)
	lost := r.another(other)
	t.Cleanup(func() { must(t, lost.o.Blobs.Close()) })
	if c, err := lost.Assemble(t.Context(), Request{Session: "long"}); err != nil || c.Text() != want {
		t.Errorf("without the key: %v\n%s", err, c.Text())
	}
}

// TestForgetContexts: nothing of what was derived stays, not even as bytes.
func TestForgetContexts(t *testing.T) {
	r := newContextFixture(t)
	r.log(t, long(30).events...)
	r.context(t, Request{Session: "long"})
	if _, ok, err := r.loadSummary(t.Context(), "long"); !ok || err != nil {
		t.Fatalf("nothing was kept: %v", err)
	}
	_, err := r.o.Blobs.Forget(t.Context(), cold.ForgetFilter{Session: "another"})
	must(t, err)
	if _, ok, err := r.loadSummary(t.Context(), "long"); ok || err != nil {
		t.Errorf("a summary is left, %v", err)
	}
	must(t, r.o.Blobs.Close())
	must(t, cold.ScrubFolder(t.Context(), r.dir))
	raw, err := os.ReadFile(r.summaryFile())
	must(t, err)
	if strings.Contains(string(raw), "port the parser") {
		t.Error("the bytes are left")
	}
}

// TestSideBySide: sessions that run at the same time do not get into each other's memory, and a session that is asked
// twice at once answers the same.
func TestSideBySide(t *testing.T) {
	r := newContextFixture(t)
	var want [4]string
	for i := range want {
		alone := newContextFixture(t)
		s := long(25 + i)
		for j := range s.events {
			s.events[j].Session, s.events[j].ID = fmt.Sprint("s", i), fmt.Sprint(i, s.events[j].ID)
		}
		alone.log(t, s.events...)
		r.log(t, s.events...)
		want[i] = alone.context(t, Request{Session: fmt.Sprint("s", i)}).Text()
	}
	var g sync.WaitGroup
	for n := range 16 {
		g.Go(func() {
			c, err := r.Assemble(t.Context(), Request{Session: fmt.Sprint("s", n%4)})
			if err != nil || c.Text() != want[n%4] {
				t.Errorf("s%d: %v\n%s\nalone:\n%s", n%4, err, c.Text(), want[n%4])
			}
		})
	}
	g.Wait()
}
