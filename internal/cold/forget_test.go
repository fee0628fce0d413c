package cold

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const secret = "secret/launch-codes.txt"

// holds reports whether a file whose name fits the pattern has the bytes.
func holds(t *testing.T, pattern, what string) bool {
	t.Helper()
	return slices.ContainsFunc(fault.Must(filepath.Glob(pattern)), func(name string) bool {
		return bytes.Contains(fault.Must(os.ReadFile(name)), []byte(what))
	})
}

// remembered fills a store with events around a secret file; session b never saw it.
func remembered(t *testing.T) *DB {
	t.Helper()
	d := newTest(t)
	edit := func(id, session string, at time.Time, paths ...event.Path) event.Event {
		e := read(id, at, session, paths...)
		e.Body = event.Call{Act: event.ActEdit, Paths: paths, Tags: []string{"code"}}
		return e
	}
	search := event.Event{ID: "search", Time: noon, Agent: "claude", Session: "a",
		Body: event.Call{Act: event.ActSearch, Seen: []event.Path{"x.go", secret}}}
	prompt := event.Event{ID: "prompt", Time: noon, Agent: "claude", Session: "a",
		Body: event.Prompt{Text: "look into " + secret + ", please"}}
	mustAppend(t, d, edit("a1", "a", noon, secret), edit("a2", "a", noon.Add(time.Minute), "x.go"), search, prompt,
		edit("b1", "b", noon.Add(2*time.Minute), "x.go"), edit("b2", "b", noon.Add(3*time.Minute), "y.go"))
	c := commit(1, noon, "x.go", secret, "y.go")
	eventtest.Set(&c, "Text", "move "+secret)
	mustAppend(t, d, c, commit(2, noon, "x.go", "y.go"))
	if !holds(t, d.path+"*", secret) {
		t.Fatal("the file does not hold the secret to begin with")
	}
	return d
}

// both are a log and a cache, in which something is forgotten as package log does it.
type both struct {
	DB    *DB
	Blobs *Blobs
}

func (b both) Forget(ctx context.Context, f ForgetFilter) (gone Forgotten, err error) {
	cached, err := b.Blobs.Forget(ctx, f)
	if err == nil {
		gone, err = b.DB.Forget(ctx, f)
	}
	if gone.Cached = cached; err == nil {
		err = b.DB.Overwrite(ctx, b.Blobs)
	}
	return gone, err
}

// eraser forgets in a log whose cache is empty.
func eraser(t *testing.T, d *DB) both {
	b := fault.Must(OpenBlobs(t.Context(), filepath.Join(filepath.Dir(d.path), "cache.db"), Options{Now: fixed}))
	t.Cleanup(func() { _ = b.Close() })
	return both{d, b}
}

func nothing() error { return nil }

func ids(events []event.Event) (out []string) {
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}

// TestForget: what a filter names is in no answer, no statistics and no byte, and stays away when it comes again.
func TestForget(t *testing.T) {
	at := noon.Add(2 * time.Minute)
	named := []string{"a1", "search", "prompt"} // the prompt names the file
	for _, c := range []struct {
		filter         ForgetFilter
		removed, left  []string
		files, tags, n int // that the statistics know, and how often the tag
	}{
		{ForgetFilter{Path: secret}, named, []string{"a2", "b1", "b2"}, 2, 3, 2},
		{ForgetFilter{Path: "secret"}, named, []string{"a2", "b1", "b2"}, 2, 3, 2},
		{ForgetFilter{Session: "a"}, []string{"a1", "a2", "search", "prompt"}, []string{"b1", "b2"}, 2, 2, 1},
		{ForgetFilter{Since: at}, []string{"b1", "b2"}, []string{"a1", "a2", "search", "prompt"}, 2, 2, 1},
	} {
		t.Run(fmt.Sprint(c.filter), func(t *testing.T) {
			d := remembered(t)
			gone := fault.Must(eraser(t, d).Forget(t.Context(), c.filter))
			same(t, "removed", ids(gone.Events), c.removed)
			batches := replayAll(t, d, 0)
			same(t, "left", ids(batches[0].Batch), c.left)
			both, of := together(t, d, "x.go", "y.go")
			same(t, "the commits stay", [2]int{both, of}, [2]int{2, 2})
			fault.Check(t, d.Scrub(t.Context()))
			if c.filter.Path != "" {
				same(t, "the commit", batches[1].Batch[0].Paths(), []event.Path{"x.go", "y.go"})
				if holds(t, d.path+"*", secret) || holds(t, d.path+"*", "launch") {
					t.Error("the bytes are still there")
				}
			}
			files := fault.Must(d.FileStats(t.Context(), 0))
			tags := fault.Must(d.TagStats(t.Context(), 0))
			sessions := fault.Must(d.SessionStats(t.Context(), 0))
			same(t, "statistics", []int{len(files), tags[0].Uses, len(sessions)}, []int{c.files, c.tags, c.n})
			if c.filter.Session != "" {
				same(t, "files", files, []FileStat{{File: "y.go", Accesses: 1, First: at.Add(time.Minute), Last: at.Add(time.Minute)},
					{File: "x.go", Accesses: 1, First: at, Last: at}})
				same(t, "sessions", sessions, []SessionStat{{ID: "b", Agent: "claude", Started: at, Last: at.Add(time.Minute),
					Duration: 60, Events: 2, Files: 2}})
			}
			_, fresh := mustAppend(t, d, gone.Events...)
			same(t, "delivered again", len(fresh), 0)
		})
	}
	d := remembered(t)
	if _, err := eraser(t, d).Forget(t.Context(), ForgetFilter{Session: "a", Path: "x.go"}); err == nil {
		t.Fatal("two filters at once")
	}
}

func TestInText(t *testing.T) {
	for text, want := range map[string]bool{"a.go": true, "see a.go": true, "a.go, b": true, "a.gone": false,
		"ba.go": false, "a.go:12": true,
		"": false, "x/a.go": true, "a.go/b": true, "aa.go a.go": true} {
		fault.Same(t, text, inText(text, "a.go"), want)
	}
}

func TestPrune(t *testing.T) {
	d := newTest(t)
	day := 24 * time.Hour
	for i := range 100 {
		mustAppend(t, d, read(fmt.Sprint("old", i), noon.Add(time.Duration(i-200)*day), "s", "x.go"),
			commit(i, noon.Add(time.Duration(i-400)*day), "x.go"))
	}
	mustAppend(t, d, read("new", noon, "s", "x.go"))
	same(t, "pruned: those that every consumer has", fault.Must(d.Prune(t.Context(), 0, 160, nothing)).Events, 80)
	st := fault.Must(d.Status(t.Context()))
	if st.Events != 21 || st.Commits != 100 || st.Bytes == 0 {
		t.Fatalf("%+v", st)
	}
	same(t, "statistics of what is kept", fault.Must(d.FileStats(t.Context(), 0))[0].Accesses, 21)
	seq, fresh := mustAppend(t, d, read("old3", noon.Add(-197*day), "s", "x.go"))
	if seq != 201 || len(fresh) != 0 {
		t.Fatal("a pruned event is fresh")
	}
	fault.Check(t, d.Close())
	d, _ = openTest(t, d.path)
	if _, fresh = mustAppend(t, d, read("old3", noon.Add(-197*day), "s", "x.go")); len(fresh) != 0 {
		t.Fatal("a pruned event is fresh after a restart")
	}
	same(t, "commits stay in replay", len(replayAll(t, d, 0)), 101)
}

// TestPruneLeavesCommits: a history that needs more than sessions and saves may costs none of
// these.
func TestPruneLeavesCommits(t *testing.T) {
	d := newTest(t)
	for i := range 40 {
		var batch []event.Event
		for j := range 100 {
			c := commit(100*i+j, noon.Add(time.Duration(i)*time.Hour), event.Path(fmt.Sprint("f", j)), "x.go")
			eventtest.Set(&c, "Text", strings.Repeat("word ", 100))
			batch = append(batch, c)
		}
		mustAppend(t, d, append(batch, read(fmt.Sprint("r", i), noon, "s", "x.go"))...)
	}
	p := fault.Must(d.Prune(t.Context(), fault.Must(d.Used(t.Context()))/10, math.MaxInt64, nothing))
	same(t, "pruned", p, Pruned{})
}

// TestPruneAsksNoClock: events of any time go in the order in which they were logged, and only for
// their size.
func TestPruneAsksNoClock(t *testing.T) {
	d := newTest(t)
	text := strings.Repeat("word ", 200)
	for i, at := range []time.Time{noon.AddDate(40, 0, 0), noon.AddDate(-40, 0, 0), noon, noon.AddDate(-1, 0, 0)} {
		var batch []event.Event
		for j := range 500 {
			e := read(fmt.Sprint(i, ":", j), at, "s", "x.go")
			eventtest.Set(&e, "Text", text)
			batch = append(batch, e)
		}
		mustAppend(t, d, batch...)
	}
	p := fault.Must(d.Prune(t.Context(), 500_000_000, math.MaxInt64, nothing))
	same(t, "below the limit", p.Events, 0)
	used := fault.Must(d.Used(t.Context()))
	p = fault.Must(d.Prune(t.Context(), used*6/10, math.MaxInt64, nothing))
	same(t, "above the limit", p.Events, 1000)
	if now, err := d.Used(t.Context()); err != nil || now > used*6/10 || p.Bytes == 0 {
		t.Errorf("%d bytes are used of %d, %d went: %v", now, used, p.Bytes, err)
	}
	same(t, "left", replayAll(t, d, 0)[0].Batch[0].ID, "2:0")
}
