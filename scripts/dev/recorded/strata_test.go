package recorded

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// story makes a source of one session over a repository of four files.
func story(events ...event.Event) Source {
	s := Source{Source: eval.Source{Name: "story", Commits: []event.Event{{ID: "commit:1", Time: noon.Add(-time.Hour),
		Body: event.Commit{Paths: []event.Path{"a.go", "a_test.go", "b.go", "docs/c.md"}}}}}}
	session := Session{ID: "one"}
	for i, e := range events {
		e.ID, e.Session, e.Time = fmt.Sprint(i), "one", noon.Add(time.Duration(i)*time.Second)
		session.Events = append(session.Events, e)
	}
	s.Sessions = []Session{session}
	return s
}

func asks(text string, named ...event.Path) event.Event {
	return event.Event{Body: event.Prompt{Text: text, Named: named}}
}
func reads(batch string, p event.Path) event.Event {
	return event.Event{Body: event.Call{Act: event.ActRead, Batch: batch, Paths: []event.Path{p}}}
}
func lists(batch string, seen ...event.Path) event.Event {
	return event.Event{Body: event.Call{Act: event.ActSearch, Batch: batch, Seen: seen, Listing: true}}
}

// TestStrata: what an open counts as, and what its prompt was to predict. A line of
// testdata/strata.txt is a session; the line with a tab below it says the file and the stratum of each
// open, and the files of the turn of each prompt (-update writes it). Events stand between ;. BATCH
// is the number of the batch of a call.
//
//	asks TEXT, read BATCH FILE, fails BATCH FILE, helper BATCH FILE, list BATCH FILE, run BATCH FILE
func TestStrata(t *testing.T) {
	strata := [...]string{"unseen", "seen", "named"}
	fault.Replies(t, "testdata/strata.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		var events []event.Event
		for words := range strings.SplitSeq(line, ";") {
			events = append(events, happens(strings.Fields(words)))
		}
		var opens, turns []string
		fault.Check(t, Sessions(t.Context(), story(events...), Options{}, func(d *Decision) error {
			for _, o := range d.Next {
				opens = append(opens, string(o.File)+" "+strata[o.Stratum])
			}
			if slices.Sort(d.Turn); len(d.Turn) > 0 {
				turns = append(turns, fmt.Sprint("turn ", d.Turn))
			}
			return nil
		}))
		slices.Sort(opens)
		return []string{cmp.Or(strings.Join(slices.Concat(opens, turns), ", "), "nothing")}
	})
}

// happens is an event in words.
func happens(words []string) (e event.Event) {
	file := event.Path(words[len(words)-1])
	switch words[0] {
	case "asks":
		return asks(strings.Join(words[1:], " "))
	case "list":
		return lists(words[1], file)
	case "run":
		return event.Event{Body: event.Call{Act: event.ActRun, Batch: words[1], Named: []event.Path{file}}}
	case "fails":
		e = reads(words[1], file)
		eventtest.Set(&e, "Failure", event.FailOther)
	case "helper":
		e = reads(words[1], file)
		e.Subagent = "sub"
	default:
		e = reads(words[1], file)
	}
	return e
}

// TestSecondQuestion: an open is asked for a second time right after the file event before it,
// whatever came between.
func TestSecondQuestion(t *testing.T) {
	var asked []string
	err := Sessions(t.Context(), story(asks("go"), reads("1", "a.go"), lists("2", "b.go"), reads("3", "b.go")),
		Options{}, func(d *Decision) error {
			for _, o := range d.Next {
				asked = append(asked, fmt.Sprint("next ", o.File, " at ", d.Seq))
			}
			for _, o := range d.After {
				asked = append(asked, fmt.Sprint("after ", o.File, " at ", d.Seq))
			}
			return nil
		})
	want := []string{"next a.go at 0", "after b.go at 1", "next b.go at 2"}
	if err != nil || !slices.Equal(asked, want) {
		t.Errorf("asked %q (%v), want %q", asked, err, want)
	}
}

// TestSearchFailed: a search fails if it names no file or more than 30. Its truth is what the turn
// opens next.
func TestSearchFailed(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	call := func(act event.Act, c event.Call) event.Event { c.Act = act; return event.Event{Body: c} }
	prompt := event.Event{Body: event.Prompt{Text: "go"}}
	open := call(event.ActRead, event.Call{Paths: []event.Path{"a.go"}})
	var many []event.Path
	for i := range manyFound + 1 {
		many = append(many, event.Path("f"+string(rune('a'+i))))
	}
	commit := event.Event{Time: at, Body: event.Commit{Paths: append([]event.Path{"a.go", "b.go"}, many...)}}
	for name, c := range map[string]struct {
		search event.Call
		then   []event.Event
		want   string // "nothing", "much", or none
	}{
		"nothing":          {event.Call{}, []event.Event{open}, "nothing"},
		"too much":         {event.Call{Seen: many, Listing: true}, []event.Event{open}, "much"},
		"found":            {event.Call{Seen: many[:3], Listing: true}, []event.Event{open}, ""},
		"of a named file":  {event.Call{Named: []event.Path{"b.go"}}, []event.Event{open}, ""},
		"the turn is over": {event.Call{}, []event.Event{prompt, open}, "nothing, and nothing is opened"},
	} {
		seen := call(event.ActSearch, event.Call{Seen: []event.Path{"b.go"}, Listing: true}) // results are recorded
		s := Session{ID: "s", Events: append([]event.Event{prompt, seen, call(event.ActSearch, c.search)}, c.then...)}
		for i := range s.Events {
			s.Events[i].Time = at.Add(time.Duration(1+i) * time.Minute)
		}
		items, tracks := timeline(Source{Source: eval.Source{Commits: []event.Event{commit}}, Sessions: []Session{s}})
		label(items)
		got, is := tracks[0].units[2].search(), ""
		if got != nil {
			if is = "much"; got.Nothing {
				is = "nothing"
			}
			if len(got.Opened) == 0 {
				is += ", and nothing is opened"
			} else {
				fault.Same(t, name+": opened", got.Opened, []event.Path{"a.go"})
			}
		}
		fault.Same(t, name, is, c.want)
	}
}

// TestRules: what each rule lists, and in which order.
func TestRules(t *testing.T) {
	r := NewRules()
	commit := func(hour int, files ...event.Path) {
		r.Learn(event.Event{Time: noon.Add(time.Duration(hour) * time.Hour), Body: event.Commit{Paths: files}})
	}
	commit(0, "src/a.go", "docs/a.md", "src/gone.go")
	commit(1, "src/a.go", "docs/a.md")
	commit(2, "src/b.go", "top.go")
	commit(3, "top.go")
	commit(4, "top.go")
	r.Learn(event.Event{Time: noon.Add(5 * time.Hour), Body: event.Commit{Gone: []event.Path{"src/gone.go"}}})
	q := r.Question(event.Query{Task: event.TaskChange, Files: []event.Path{"src/a.go"}, At: noon})
	for rule, want := range map[string]string{
		Together: "[docs/a.md]",
		Folder:   "[src/b.go]",
		Frequent: "[top.go docs/a.md src/b.go]",
		Recent:   "[top.go src/b.go docs/a.md]",
	} {
		fault.Same(t, rule, fmt.Sprint(q.List(rule, 5, func(event.Path) bool { return true })), want)
	}
}

// TestTable: repositories count the same whatever was asked of them, and only those that were
// asked.
func TestTable(t *testing.T) {
	var x, y Table
	for i, place := range []int{1, 4, 0, 1} {
		x.Place(Own, "T2 ", "a/b", string(rune('p'+i)), place)
		x.Place("recent", "T2 ", "a/b", string(rune('p'+i)), 2)
		y.Place(Own, "T2 ", "a/b", string(rune('p'+i)), 0)
	}
	x.Place(Own, "T2 ", "c/d", "s", 3)
	x.Add(Own, "T2 hit1", "e/f", "s", 0, 0)
	for measure, want := range map[string]float64{"T2 hit1": .25, "T2 hit3": .75, "T2 hit5": .875, "T2 hit10": .875,
		"T2 mrr": (2.25/4 + 1./3) / 2} {
		if got := x.Mean(Own, measure); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", measure, got, want)
		}
	}
	if in := x.Interval(Own, "T2 hit1"); !(in[0] < .25 && .25 < in[1]) {
		t.Errorf("the interval %v does not hold the mean", in)
	}
	if n := x.N(Own, "T2 hit1"); n != 5 {
		t.Errorf("%d questions, want 5", n)
	}
	if got := x.Losses("T2 hit3"); got != "a/b .50 against 1.00 of recent" {
		t.Error(got)
	}
	if got := x.Losses("T2 hit1"); got != "none" {
		t.Error(got)
	}
	name := filepath.Join(t.TempDir(), "table.json")
	var out, said bytes.Buffer
	fault.Check(t, y.Write(&out))
	fault.Check(t, os.WriteFile(name, out.Bytes(), 0o600))
	if err := x.Compare(&said, name); err != nil || !strings.Contains(said.String(), "0.000 → 0.250: +0.500") {
		t.Errorf("%v: %s", err, &said) // of the repository that both have
	}
}
