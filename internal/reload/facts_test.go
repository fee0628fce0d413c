package reload

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFacts: in testdata/facts.txt what actions are in words, what reads, searches and listings print
// again, which names a glob fits, the call of an event's ID, what a prompt asks for, and of an entry
// its line, what it refers to, what is worth keeping, an offer, a replay, and how much of its files
// is as it was.
func TestFacts(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\nTwo\nthree\nfour\n", "b.go": "two\r\ntwo one\n",
		"c.bin": "two\x00", "d.secret": "two", "e.txt": "x\xff\n"})
	fault.Check(t, os.Mkdir(filepath.Join(d.root, "sub"), 0o700))
	d.write("sub/f.go", "two\n")
	w := d.w
	w.Files = func() []event.Path { return []event.Path{"a.go", "b.go", "c.bin", "d.secret", "e.txt", "sub/f.go"} }
	dir := fault.Must(os.OpenRoot(d.root))
	defer dir.Close()
	p := &replay{w: w, dir: dir}
	fault.Replies(t, "testdata/facts.txt", func(line string) []string {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "glob":
			pattern, name, _ := strings.Cut(rest, " ")
			return []string{fmt.Sprint(matchGlob("", pattern, event.Path(name)))}
		case "call":
			return []string{strconv.Quote(callOf(rest))}
		case "prompt", "timer", "notice":
			return []string{asksFor(verb, rest)}
		case "entry":
			return ofEntry(t, w, rest)
		}
		a := Action{}
		fault.Check(t, json.Unmarshal([]byte(rest), &a))
		s := newStep(0, a)
		switch {
		case verb == "what":
			return []string{a.what()}
		case a.Act == event.ActRead:
			p.read(a, &s)
		default:
			p.search(t.Context(), a, &s)
		}
		return strings.Split(strings.TrimSpace(fmt.Sprintf("%s %q\n%s", s.State, s.Note, s.Output)), "\n")
	})
	long := Entry{Actions: []Action{reads(strings.Repeat("n", 100))}, Files: []File{{Path: event.Path(strings.Repeat("n", 100)), Wrote: true}}}
	long.Actions[0].OK = true
	fault.Same(t, "bytes of a summary", len(long.summary()), 160)
	now := time.Now()
	for age, want := range map[time.Duration]bool{0: false, 24 * time.Hour: false, 24*time.Hour + 1: true,
		-24 * time.Hour: false, -24*time.Hour - 1: true} {
		fault.Same(t, fmt.Sprint("idle after ", age), (&Entry{Used: now.Add(-age)}).idle(now), want)
	}
	fault.Same(t, "no glob fits", matchGlob("", "", "x"), true)
	for n, want := range map[int]string{996: "nothing found", 997: "the pattern has a syntax that aOa does not know"} {
		s := Step{}
		p.search(t.Context(), Action{Act: event.ActSearch, Pattern: strings.Repeat("x", n)}, &s)
		fault.Same(t, fmt.Sprint("a pattern of ", n), s.Note+s.Output, want)
	}
	// Bounds: 2000 lines, 1000 bytes of a line, 250 files, 8000 bytes in which a NUL is looked for.
	var b strings.Builder
	number(&b, []byte(strings.Repeat("\n", 2001)), 1, 0)
	fault.Same(t, "lines of a read", strings.Count(b.String(), "\n")+strings.Count(b.String(), "…"), 2002)
	fault.Same(t, "bytes of a line", len(shown([]byte(strings.Repeat("x", 1001)))), 1000)
	for n, want := range map[int]bool{7999: true, 8000: false} {
		fault.Same(t, fmt.Sprint("a NUL at ", n), binary([]byte(strings.Repeat("x", n)+"\x00")), want)
	}
	w.Files = func() (out []event.Path) {
		for i := range 300 {
			out = append(out, event.Path(fmt.Sprint("f", i)))
		}
		return out
	}
	s := Step{}
	(&replay{w: w, dir: dir}).search(t.Context(), Action{Act: event.ActList}, &s)
	fault.Same(t, "files of a listing", strings.Count(s.Output, "\n")+strings.Count(s.Output, "…"), 252)
	fault.Same(t, "cut at a line", cutLines("one\ntwo\nthree", 9), "one\ntwo\n…\n")
	fault.Same(t, "cut behind an empty line", cutLines("\nlong", 3), "\n…\n")
	fault.Same(t, "not cut", cutLines("one\ntwo\nx", 9), "one\ntwo\nx")
}

// asksFor is what the text of a prompt, of a timer, or of a report on what runs behind asks for.
func asksFor(kind, text string) string {
	body := map[string]event.Body{"prompt": event.Prompt{Text: text},
		"timer":  event.Call{Act: event.ActOther, Tool: event.ToolScheduled, Text: text},
		"notice": event.Call{Act: event.ActOther, Tool: event.ToolNotice, Text: text}}[kind]
	ask, ok := AskOf(event.Event{Body: body})
	return fmt.Sprintf("%v %s %q %q", ok, ask.Type, ask.Target, ask.Text)
}

// ofEntry is what is known of an entry. Before its JSON stand names that it may refer to.
func ofEntry(t *testing.T, w Worktree, line string) []string {
	names, text, _ := strings.Cut(line, "{")
	e := &Entry{Trigger: Trigger{Type: Prompt}}
	fault.Check(t, json.Unmarshal([]byte("{"+text), e))
	now := e.compare(w)
	said := []string{e.summary(), fmt.Sprintf("worth %v, offered %v, tests %q, unchanged %v, gone %v, edited %v",
		e.worth(), e.offerable(), tested(e.Actions), now.unchanged, now.gone, now.edited)}
	for _, a := range e.Actions {
		if note := e.note(a); note != "" {
			said = append(said, a.what()+": "+note)
		}
	}
	for _, name := range strings.Fields(names) {
		said = append(said, fmt.Sprint(name, " ", e.names(event.Path(name))))
	}
	return said
}

// TestEntryBounds: what is kept of a turn, at most.
func TestEntryBounds(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "a"})
	d.turn("s", "explain the zebra crossing "+strings.Repeat("x", 2000), slices.Repeat([]Action{reads("a.go")}, 73)...)
	all := fault.Must(d.cache.List(t.Context()))
	fault.Same(t, "text, actions, more", fmt.Sprint(len(all[0].Text), len(all[0].Actions), all[0].More), "1024 64 9")
	for more, want := range map[string]int{"": 16<<10 - 96, "c": 0} {
		e := &Entry{Actions: []Action{{Command: more}}, Files: []File{{Patch: strings.Repeat("x", 16<<10-96)}}}
		e.shrink()
		fault.Same(t, "the patch of an entry of 16 KiB"+more, len(e.Files[0].Patch), want)
	}
	fault.Same(t, "the id of a turn", entryID("s", "m"), "cache-dzj6tbfwhy")
	var found []Match
	for i := range 5 {
		found = append(found, Match{Entry: Entry{ID: fmt.Sprint(i), Session: map[bool]string{true: "mine"}[i == 0]}})
	}
	offered := d.cache.NotOffered("mine", found)
	d.cache.NoteOffer("mine", offered)
	fault.Same(t, "offered at once and then", fmt.Sprint(len(offered), len(d.cache.NotOffered("mine", found)),
		len(d.cache.NotOffered("s2", found))), "3 1 3")
	// An entry that failed more often than it went well, of three replays at least.
	for _, c := range []struct{ good, bad, left int }{{0, 2, 1}, {1, 2, 0}, {2, 2, 1}} {
		d := newFixture(t, map[string]string{"a.go": "a"})
		d.turn("s", "explain the zebra crossing", looks("a.go")...)
		id := d.find("explain the zebra crossing")
		for i := range c.good + c.bad {
			fault.Check(t, d.cache.used(t.Context(), id, i < c.good))
		}
		d.cache.Evict(t.Context(), d.w)
		all := fault.Must(d.cache.List(t.Context()))
		fault.Same(t, fmt.Sprint(c.good, " good, ", c.bad, " bad"), len(all), c.left)
	}
	if fmt.Sprint(maxEntries, maxBytes, maxUndos, maxInputs, maxThread, maxMatches) != "100 900000 5 8388608 1000 10" {
		t.Error("what is kept of all, of undo records and inputs, and what is read and found, has another bound")
	}
}

// FuzzDecode: no stored row breaks its reader, and what is read can be stored and read again.
func FuzzDecode(f *testing.F) {
	f.Add(fault.Must(codec.Encode(Entry{ID: "cache-x", Text: "explain", Actions: make([]Action, 1), Uses: 3})))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, again := &Entry{}, &Entry{}
		if codec.Decode(data, e) != nil {
			return
		}
		e.Summary = e.summary()
		for _, a := range e.Actions {
			_, _ = a.what(), e.note(a)
		}
		if err := codec.Decode(fault.Must(codec.Encode(e)), again); err != nil || again.ID != e.ID || len(again.Actions) != len(e.Actions) || len(e.Summary) > 160 {
			t.Errorf("%+v is read again as %+v, %v", e, again, err)
		}
	})
}

// TestActions: the parts of a call are one action, those of subagents none. Texts are added later.
func TestActions(t *testing.T) {
	part := func(id string, b event.Body) event.Event { return event.Event{ID: id, Session: "s", Body: b} }
	side := part("t6:post:sub", event.Call{Act: event.ActRead, Paths: []event.Path{"side.go"}})
	side.Subagent = "sub"
	line := "cat a.go; make test"
	var thread []cold.Numbered
	for _, e := range []event.Event{part("p", event.Prompt{}),
		part("t1:post:", event.Call{Act: event.ActRead, Tool: "Read", Paths: []event.Path{"a.go"}, Offset: 3, Blob: "b1"}),
		part("t1:post::1", event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}, Blob: "b2"}),
		part("t1:post::2", event.Call{Act: event.ActList, Paths: []event.Path{"folder"}}),
		part("t2:post:", event.Call{Act: event.ActRead, Tool: "Bash", Paths: []event.Path{"a.go"}}),
		part("t2:post::1", event.Call{Act: event.ActRun, Checks: true, Failure: event.FailStatus, Seen: []event.Path{"b.go"}}),
		part("t3:post:", event.Call{Act: event.ActEdit, Tool: "apply_patch", Paths: []event.Path{"a.go"}}),
		part("t3:post::1", event.Rename{From: []event.Path{"x"}, To: []event.Path{"y"}}),
		part("t3:post::2", event.Call{Act: event.ActWrite, Paths: []event.Path{"b.go"}}),
		part("t4:post:", event.Call{Act: event.ActSearch, Tool: "Grep", Text: "one", Glob: "*.go", Mode: "files"}),
		part("t5:post:", event.Call{Act: event.ActList, Tool: "Glob", Text: "**/*.go"}), side,
		part("save", event.Save{Paths: []event.Path{"a.go"}}), part("gone", event.Delete{Paths: []event.Path{"a.go"}}),
		part("t8:post:", event.Call{Act: event.ActRun, Text: "make"}),
		part("t8:post::1", event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}),
		part("t7:post:", event.Delete{Paths: []event.Path{"a.go"}})} {
		thread = append(thread, cold.Numbered{Event: e})
	}
	got := turnsOf(thread, func(string) bool { return true })[0].actions
	for i := range got {
		in := input{}
		if i == 1 {
			in.Command = line
		}
		got[i].fill(in)
	}
	want := []Action{
		{ID: "t1:post:", Tool: "Read", Act: event.ActOther, Paths: []event.Path{"a.go"}, Offset: 3, OK: true, Cut: true,
			Seen: []string{"b1"}, Parts: 2},
		{ID: "t2:post:", Tool: "Bash", Act: event.ActRun, Command: line, Checks: true, Found: 1, Parts: 1},
		{ID: "t3:post:", Tool: "apply_patch", Act: event.ActOther, Paths: []event.Path{"a.go", "b.go"}, OK: true, Cut: true,
			Seen: []string{"", ""}, Parts: 2},
		{ID: "t4:post:", Tool: "Grep", Act: event.ActSearch, Pattern: "one", Glob: "*.go", Mode: "files", OK: true,
			Seen: []string{}},
		{ID: "t5:post:", Tool: "Glob", Act: event.ActList, Glob: "**/*.go", OK: true, Seen: []string{}},
		{ID: "t8:post:", Act: event.ActRun, Command: "make", OK: true, Parts: 1},
		{ID: "t7:post:", Act: event.ActOther, OK: true, Cut: true},
	}
	fault.Same(t, "actions", got, want)
}
