package cold

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSnapshot: a state comes back with the number of its batch. It does not count in another log, in
// one that ends earlier, once it was dropped, and while something is forgotten, even if a power cut
// brings it back then.
func TestSnapshot(t *testing.T) {
	s := openStores(t, t.TempDir())
	save := func(seq int64, state string) {
		t.Helper()
		fault.Check(t, s.state.Save(t.Context(), seq, []byte(state)))
	}
	load := func(what string, from *Snapshot, want int64) {
		t.Helper()
		state, seq, err := from.Load(t.Context())
		fault.Check(t, err)
		if seq != want || want > 0 && string(state) != "state" {
			t.Errorf("%s: %q at %d, want %d", what, state, seq, want)
		}
	}
	load("a new log", s.state, 0)
	mustAppend(t, s.DB, read("a", noon, "s", "x"))
	save(1, "other")
	save(1, "state")
	load("saved", s.state, 1)
	save(2, "state")
	load("more than the log has", s.state, 0)
	load("dropped", s.state, 0)
	save(1, "state")
	load("another log", NewSnapshot(newTest(t), s.Blobs, "scores"), 0)
	save(1, "state")
	fault.Check(t, s.state.Drop(t.Context()))
	load("dropped at once", s.state, 0)
	save(1, "state")
	fault.Must(s.DB.Forget(t.Context(), ForgetFilter{Session: "s"}))
	load("something was forgotten", s.state, 0)
	save(1, "state")
	load("brought back", s.state, 0)
	fault.Check(t, s.DB.Overwrite(t.Context(), s.Blobs))
	save(1, "state")
	load("saved when it was over", s.state, 1)
}

func TestLog(t *testing.T) {
	d := newTest(t)
	var want []string
	for i := range 10 {
		at := noon.Add(time.Duration(i) * time.Minute)
		e := read(fmt.Sprint("r", i), at, fmt.Sprint("s", i%2), event.Path(fmt.Sprint("f", i%3)))
		mustAppend(t, d, e, commit(i, at.Add(time.Second), event.Path(fmt.Sprint("f", i%3)), "all"))
		want = append(want, e.ID, "commit:"+sha(i))
	}
	mustAppend(t, d, uncommit(9))
	want = want[:19]
	ask := func(f LogFilter) []string {
		return ids(fault.Must(d.Log(t.Context(), f)))
	}
	same(t, "oldest first", ask(LogFilter{Oldest: true}), want)
	same(t, "newest first, three", ask(LogFilter{Limit: 3}), []string{want[18], want[17], want[16]})
	same(t, "since and until", ask(LogFilter{Since: noon.Add(time.Minute), Until: noon.Add(2 * time.Minute),
		Oldest: true}), want[2:4])
	same(t, "session", ask(LogFilter{Session: "s1", Oldest: true}), []string{"r1", "r3", "r5", "r7", "r9"})
	same(t, "file", ask(LogFilter{File: "f2"}), []string{"commit:" + sha(8), "r8", "commit:" + sha(5), "r5",
		"commit:" + sha(2), "r2"})
	same(t, "file and session", ask(LogFilter{File: "f2", Session: "s1"}), []string{"r5"})
	same(t, "file, kind", ask(LogFilter{File: "f2", Kinds: []event.Kind{event.KindRead, event.KindEdit}}),
		[]string{"r8", "r5", "r2"})
	same(t, "commits only", len(ask(LogFilter{Kinds: []event.Kind{event.KindCommit}})), 9)
	same(t, "an unknown file", len(ask(LogFilter{File: "none"})), 0)
}

func TestStats(t *testing.T) {
	d := newTest(t)
	m := time.Minute
	tagged := func(e event.Event, tags ...string) event.Event {
		eventtest.Set(&e, "Tags", tags)
		return e
	}
	mustAppend(t, d, tagged(read("1", noon, "a", "x"), "go"),
		tagged(read("2", noon.Add(4*m), "a", "x", "y"), "go", "test"), read("3", noon.Add(m), "b", "x"),
		event.Event{ID: "4", Time: noon.Add(9 * m), Session: "a", Body: event.Hint{Paths: []event.Path{"z"}}})
	mustAppend(t, d, read("5", noon.Add(3*m), "b", "x"),
		event.Event{ID: "6", Time: noon.Add(-m), Agent: "watch", Body: event.Save{Paths: []event.Path{"x"}}})
	files := fault.Must(d.FileStats(t.Context(), 0))
	same(t, "files", files, []FileStat{{"x", 5, noon.Add(-m), noon.Add(4 * m), 180, 0},
		{"y", 1, noon.Add(4 * m), noon.Add(4 * m), 0, 0}})
	tags := fault.Must(d.TagStats(t.Context(), 0))
	same(t, "tags", tags, []TagStat{{"go", 2, 2}, {"test", 1, 2}})
	sessions := fault.Must(d.SessionStats(t.Context(), 1))
	same(t, "sessions", sessions, []SessionStat{{"a", "claude", noon, noon.Add(4 * m), 240, 2, 2}})
}

// TestReadersDoNotWait reads while a write transaction is open.
func TestReadersDoNotWait(t *testing.T) {
	d := newTest(t)
	mustAppend(t, d, read("a", noon, "s", "x"))
	fault.Check(t, d.Write(t.Context(), "hold", func(tx *Tx) error {
		if err := tx.run([]any{"k", "v"}, setMeta); err != nil {
			return err
		}
		same(t, "replay inside a write", len(replayAll(t, d, 0)), 1)
		v, err := d.Meta(t.Context(), "k")
		same(t, "not yet visible", v, "")
		return err
	}))
}

// FuzzRow: whatever a row holds, reading it is an event or an error, and an event is written and read
// the same, whatever bytes it has.
func FuzzRow(f *testing.F) {
	same := func(t testing.TB, e event.Event) (r *row) {
		r = fault.Must(encodeRow(e, nil))
		fault.Same(t, "read back", fault.Must(r.withText(nil)), e, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
		return r
	}
	hint := event.Hint{Paths: []event.Path{"\xff.go"}, Text: "\xff\x00", Scores: []float64{math.NaN(), math.Copysign(0, -1)}}
	for _, e := range []event.Event{read("id", noon, "s", "a", "b"), commit(1, noon, "a", "b"), {ID: "日本", Time: noon, Body: hint},
		{ID: "x", Time: moment(-1), Body: event.Call{Act: event.ActSearch, Tags: []string{"a", ""}}}} {
		f.Add(same(f, e).body, []byte{0, 'x'})
	}
	f.Add([]byte{0xbb, 255, 255, 255, 255, 15}, []byte{})
	f.Fuzz(func(t *testing.T, body, text []byte) {
		kinds := event.Kinds()
		r := row{kind: kinds[len(text)%len(kinds)], body: body, text: text}
		e, err := r.withText(nil)
		if e.Kind() != r.kind {
			t.Fatalf("%+v is no %s", e, r.kind)
		}
		if err == nil {
			same(t, e)
		}
	})
}

func TestEveryFieldIsStored(t *testing.T) {
	d := newTest(t)
	for _, k := range event.Kinds() {
		full := event.Event{ID: "id " + string(k), Time: noon, Agent: "a", Session: "s", Subagent: "u", Turn: "n",
			Body: eventtest.Full(k, 2)}
		switch k {
		case event.KindCommit:
			full.ID = "commit:" + sha(1)
		case event.KindUncommit:
			full.ID = "uncommit:" + sha(1) + ":1"
		}
		from, _ := mustAppend(t, d, full)
		if k != event.KindUncommit { // it is the commit that it takes back
			same(t, string(k), replayAll(t, d, from-1)[0].Batch, []event.Event{full.WithoutText()})
			got := fault.Must(d.Log(t.Context(), LogFilter{Kinds: []event.Kind{k}, Limit: 1}))
			same(t, string(k)+" with its text", got, []event.Event{full})
		}
		full.Origin, full.ID = "o", "o:"+full.ID
		from, _, err := d.Append(t.Context(), []event.Event{full})
		fault.Check(t, err)
		same(t, string(k)+" of another clone", replayAll(t, d, from-1)[0].Batch, []event.Event{full.WithoutText()})
	}
}

// TestHistoryFollowsTheLog: what was counted is counted again when commits come, go or are renamed.
func TestHistoryFollowsTheLog(t *testing.T) {
	d := newTest(t)
	want := func(step string, both, of int) {
		t.Helper()
		for range 2 { // the second time from memory
			b, o := together(t, d, "a", "b")
			if b != both || o != of {
				t.Fatalf("%s: %d of %d, want %d of %d", step, b, o, both, of)
			}
		}
	}
	want("nothing", 0, 0)
	first, second := commit(1, noon, "a", "b"), commit(2, noon.Add(time.Minute), "a")
	mustAppend(t, d, first, second)
	want("two commits", 1, 2)
	mustAppend(t, d, read("r", noon, "s", "a"))
	want("a read", 1, 2)
	mustAppend(t, d, uncommit(2))
	want("one taken back", 1, 1)
	mustAppend(t, d, commit(3, noon.Add(time.Hour), "a", "b"))
	want("a newer one", 2, 2)
	mustAppend(t, d, commit(4, noon.Add(-time.Hour), "a"))
	want("an older one", 2, 3)
	fault.Must(eraser(t, d).Forget(t.Context(), ForgetFilter{Path: "b"}))
	want("b forgotten", 0, 3)
}

// TestThread: one sequence over all sessions, in the order of the log.
func TestThread(t *testing.T) {
	d := newTest(t)
	var events []event.Event
	for i := range 6 {
		e := event.Event{ID: fmt.Sprint("e", i), Time: noon.Add(time.Duration(-i) * time.Second), Session: "a",
			Body: event.Prompt{Text: fmt.Sprint("do ", i)}}
		if i%2 == 1 {
			e.Session = "b"
			e.Body = event.Call{Act: event.ActRun, Text: e.Text()}
		}
		events = append(events, e)
	}
	events = append(events, event.Event{ID: "s", Time: noon, Session: "a", Body: event.Hint{}})
	mustAppend(t, d, events...)
	all := fault.Must(d.Thread(t.Context(), "a", 10))
	if len(all) != 3 || all[0].Text() != "do 0" || all[2].Text() != "do 4" || all[0].Seq >= all[1].Seq ||
		all[1].Seq >= all[2].Seq {
		t.Fatalf("the thread is %+v", all)
	}
	if newest, err := d.Thread(t.Context(), "a", 2); err != nil || len(newest) != 2 || newest[0].Seq != all[1].Seq {
		t.Errorf("the newest two are %+v, %v", newest, err)
	}
	if none, err := d.Thread(t.Context(), "", 10); err != nil || len(none) != 0 {
		t.Errorf("no session has %+v, %v", none, err)
	}
	if prompts, err := d.Prompts(t.Context(), all[0].Seq, 10); err != nil || len(prompts) != 2 ||
		prompts[1].Text() != "do 4" {
		t.Errorf("later prompts are %+v, %v", prompts, err)
	}
}

func TestRenamed(t *testing.T) {
	d := newTest(t)
	for i, name := range [][2]event.Path{{"a.go", "b.go"}, {"b.go", "c.go"}, {"x.go", "y.go"}, {"y.go", "x.go"}, {"app.py", "src/app.py"},
		{"src/app.py", "src/sans/app.py"}, {"one.go", "two.go"}, {"two.go", "gone.go"}} {
		mustAppend(t, d, rename(fmt.Sprint(i), noon.Add(time.Duration(i)*time.Hour), name[0], name[1]))
	}
	for from, want := range map[event.Path]event.Path{"a.go": "c.go", "b.go": "c.go", "c.go": "", "x.go": "",
		"never.go": "", "app.py": "src/app.py", "src/app.py": "src/sans/app.py", "one.go": ""} {
		got, ok, err := d.Renamed(t.Context(), from, func(p event.Path) bool { return p != "b.go" && p != "y.go" && p != "two.go" && p != "gone.go" })
		if err != nil || got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, %v; want %q", from, got, ok, err, want)
		}
	}
}
