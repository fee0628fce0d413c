package contexts

import (
	"context"

	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
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

// TestContext: what a session gets, word for word; after a compaction it is told no actions, for its own summary has
// them.
func TestContext(t *testing.T) {
	r := newContextFixture(t)
	s := &tape{session: "s"}
	s.ask("make the ranker faster").do(event.KindRead, "rank/rank.go", "rank/pool.go").do(event.KindEdit, "rank/rank.go").
		run("go test ./rank", false).ask("yes").do(event.KindEdit, "rank/pool.go")
	r.log(t, s.events...)
	want := preamble + `
Prompt at Mar 1 12:00: "make the ranker faster"
Prompt at 12:04: "yes"
Latest actions: read rank/rank.go, rank/pool.go; edited rank/rank.go; ran "go test ./rank"; edited rank/pool.go.
last check: go test ./rank; after it rank/pool.go changed.
Edited earlier: rank/pool.go, rank/rank.go.`
	c := r.context(t, Request{Session: "s"})
	fault.Same(t, "text", c.Text(), want)
	compact := r.context(t, Request{Session: "s", For: ForCompact}).Text()
	want = strings.Replace(want, "Prompt at 12:04: \"yes\"\nLatest actions: read rank/rank.go, rank/pool.go; edited rank/rank.go; "+
		"ran \"go test ./rank\"; edited rank/pool.go.\n", "", 1)
	fault.Same(t, "after a compaction", compact, want)
	if len(c.Segments) != 5 || c.Segments[0].Role != "system" || c.Segments[1].Role != "user" ||
		!c.Segments[2].Cacheable ||
		c.Segments[4].Cacheable {
		t.Errorf("segments are %+v", c.Segments)
	}
	fault.Same(t, "files", c.Files, []event.Path{"rank/pool.go", "rank/rank.go"})

	// The worktree's word counts: one of them does not differ from HEAD any more, and a person saved another.
	r.log(t, s.add(event.Event{Body: event.Call{Act: event.ActRun, Tool: "Bash", Text: "go test ./...", Exit: "0"}}).events...)
	state := func(_ context.Context, since time.Time, files []event.Path) Worktree {
		fault.Same(t, "asked for what changed since", since, s.events[len(s.events)-1].Time)
		fault.Same(t, "asked for the lines of", files, []event.Path{"rank/pool.go", "rank/rank.go"})
		return Worktree{Known: true, Branch: "main", Changed: []event.Path{"rank/pool.go", "README.md"}, After: []event.Path{"README.md"},
			Lines: map[event.Path][][2]int{"rank/pool.go": {{3, 3}, {10, 12}}}}
	}
	c = r.context(t, Request{Session: "s", State: state})
	for _, want := range []string{"Changed and not committed: rank/pool.go:3,10-12.\nEdited earlier: rank/rank.go.",
		`last check: go test ./...; exit status 0; after it README.md changed.`, `On branch "main"`} {
		if !strings.Contains(c.Text(), want) {
			t.Errorf("no %q in\n%s", want, c.Text())
		}
	}
	if c := r.context(t, Request{Session: "nobody"}); len(c.Segments) != 0 || c.Tokens != 0 {
		t.Errorf("a session that never was has %+v", c)
	}
}

// TestRenamed: an edit goes with its file to its next name; a file that was only renamed or deleted is not one that was
// edited.
func TestRenamed(t *testing.T) {
	r := newContextFixture(t)
	s := &tape{session: "s"}
	s.ask("move it").do(event.KindEdit, "old.go", "gone.go").do(event.KindDelete, "gone.go").
		add(event.Event{Body: event.Rename{From: []event.Path{"old.go", "mere.go"}, To: []event.Path{"new.go", "moved.go"}}})
	r.log(t, s.events...)
	fault.Same(t, "state", lastLine(r.context(t, Request{Session: "s"}).Text()), "Edited earlier: new.go.")
	known := func(context.Context, time.Time, []event.Path) Worktree {
		return Worktree{Known: true, Changed: []event.Path{"gone.go", "mere.go", "moved.go", "new.go", "old.go"}}
	}
	fault.Same(t, "as git has it", lastLine(r.context(t, Request{Session: "s", State: known}).Text()),
		"Changed and not committed: moved.go, new.go, gone.go.")
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// TestSpace: what does not fit loses lines before it loses files, and the check stays.
func TestSpace(t *testing.T) {
	s := &tape{session: "s"}
	st := Worktree{Known: true, Lines: map[event.Path][][2]int{}}
	for i := range 20 {
		f := event.Path(fmt.Sprintf("some/folder/file%02d.go", i))
		s.do(event.KindEdit, f)
		st.Changed, st.Lines[f] = append(st.Changed, f), [][2]int{{100, 200}}
	}
	w := &historyOf(numbered(s.run("make test", true).events...), DefaultBudget).work
	for tokens, want := range map[int]int{300: 20, 150: 20, 100: 20, 60: 20, 30: 6, 20: 0} {
		text, files, _ := formatState(w, st, ForCompact, tokens)
		if !strings.HasPrefix(text, "last check: make test.") || len(files) != want || (tokens == 300) != strings.Contains(text, "file03.go:100-200") {
			t.Errorf("in %d tokens %d files, not %d:\n%s", tokens, len(files), want, text)
		}
	}
}

// TestGrouped: a group is written as a shell would expand it.
func TestGrouped(t *testing.T) {
	for files, want := range map[string]string{
		"a/b.go c.go a/d.go":                "a/{b,d}.go c.go",
		"t/test_a.py t/test_ab.py":          "t/test_{a,ab}.py",
		"x/pool.go x/pool_test.go x/doc.go": "x/{pool,pool_test,doc}.go",
		"a.go b.go":                         "a.go b.go",
		"a/aa a/aa.x":                       "a/{aa,aa.x}",
	} {
		fault.Same(t, files, strings.Join(grouped(eventtest.Paths(strings.Fields(files))), " "), want)
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
	for _, want := range []string{"Earlier prompts, in short: \"port the parser", "ran go test ", "ran git commit",
		"12 files in config/", `last check: go test ./config.`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	// Another budget is served, too.
	for _, total := range []int{1, 30, 60, 120, 250, 2000} {
		c, err := r.Assemble(t.Context(), Request{Session: "long", Total: total})
		fault.Check(t, err)
		if c.Tokens > total || total >= 60 && c.Tokens == 0 {
			t.Errorf("%d tokens of %d:\n%s", c.Tokens, total, c.Text())
		}
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
	for _, want := range []string{"edited cache/old.go; deleted cache/new.go", "ran git commit. Then edited cache/old.go",
		"git revert --no-edit HEAD"} {
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
