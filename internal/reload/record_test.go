package reload

import (
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestNames: which files and folders an entry refers to.
func TestNames(t *testing.T) {
	e := &Entry{Text: "explain notes.txt", Files: []File{{Path: "kept/file.go"}}, Actions: []Action{
		{Act: event.ActRead, Paths: []event.Path{"read/a.go"}}, {Act: event.ActSearch, Folder: "searched/in"},
		{Act: event.ActRun, Command: "make -C built"}}}
	for p, want := range map[event.Path]bool{"read/a.go": true, "read": true, "read/a": false, "rea": false, "searched/in": true,
		"searched": true, "kept": true, "kept/file.go": true, "built": true, "notes.txt": true, "other": false} {
		fault.Same(t, string(p), e.names(p), want)
	}
}

// TestRecordedAgain: a turn of the same request takes the place of the one before unless it went worse, and keeps its
// counts.
func TestRecordedAgain(t *testing.T) {
	const prompt = "explain the zebra crossing in full"
	d := newFixture(t, map[string]string{"a.go": "a\n", "b.go": "b\n"})
	good, bad := commands("go test ./..."), commands("go test ./...")
	bad.Cut = true
	var id string
	for i, c := range []struct {
		file string
		test Action
		want event.Path
	}{{"a.go", good, "a.go"}, {"b.go", bad, "a.go"}, {"b.go", good, "b.go"}, {"a.go", good, "a.go"}} {
		d.turn("s", prompt, append(looks(c.file), c.test)...)
		all, err := d.cache.List(t.Context())
		d.must(err)
		if i == 0 {
			id = all[0].ID
			d.must(d.cache.used(t.Context(), id, true))
		}
		if len(all) != 1 || all[0].Actions[0].Paths[0] != c.want || all[0].ID != id || i > 0 && all[0].Successes != 1 {
			t.Errorf("after turn %d: %+v", i, all)
		}
	}
	steps := d.replay(Request{ID: id}).Steps
	fault.Same(t, "the command", steps[len(steps)-1].Note, "commands are not run")
	asked, ok := d.cache.Asked(t.Context(), "s")
	fault.Same(t, "asked", ok && asked.Text == prompt, true)
	d.begin("s", "and now something else")
	asked, _ = d.cache.Asked(t.Context(), "s")
	fault.Same(t, "asked last", asked.Text, "and now something else")
	_, ok = d.cache.Asked(t.Context(), "unknown")
	fault.Same(t, "a session that is not known was asked", ok, false)
}

// TestLargeInputs: an entry keeps the names of its files but not the texts of edits that are too large, nor a written
// text with a secret.
func TestLargeInputs(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "a\n"})
	d.close()
	d.open(Options{Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "…") }})
	write := func(text string) Action {
		a := edits("a.go", "", text)
		a.Act, a.Tool = event.ActWrite, "Write"
		return a
	}
	for prompt, c := range map[string]struct {
		text string
		kept int
	}{"write the first large file": {strings.Repeat("x", 20<<10), 0}, "write the second small file": {"x", 1},
		"write the password of the database": {"a secret", 0}} {
		d.turn("s", prompt, write(c.text))
		all, err := d.cache.List(t.Context())
		d.must(err)
		e := all[slices.IndexFunc(all, func(e Entry) bool { return e.Text == prompt })]
		fault.Same(t, prompt+": edits", len(e.Actions[0].Edits), c.kept)
		fault.Same(t, prompt+": files", len(e.Files), 1)
	}
}

// TestReadsOn: how far the log was read is known after a restart, and of a batch every event is read.
func TestReadsOn(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "a\n"})
	d.begin("s", "explain the zebra crossing in full")
	d.did("s", looks("a.go")...)
	stop := event.Event{ID: "stop", Time: d.at, Agent: "claude", Session: "s", Body: event.Stop{}}
	batch := []event.Event{{ID: "save", Time: d.at, Body: event.Save{Paths: []event.Path{"a.go"}}}, stop}
	seq, fresh, err := d.db.Append(t.Context(), batch)
	d.must(err)
	d.must(d.cache.Apply(t.Context(), seq, fresh))
	d.cache.makeEntries(t.Context(), true)
	if d.find("explain the zebra crossing in full") == "" {
		t.Error("an event behind one of no session is not read")
	}
	durable, err := d.cache.Flush(t.Context())
	d.must(err)
	d.close()
	d.open(Options{})
	fault.Same(t, "read after a restart", d.cache.Applied(), durable)
	fault.Same(t, "all was read", durable, d.db.Last())
}
