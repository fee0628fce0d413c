package session

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

var (
	recordDir  = flag.String("sessions", "", "folder of recorded sessions (*.jsonl.gz, one event a line)")
	recordMost = flag.Int("most", 10, "sessions that are read, the richest in prompts of each file first")
	recordShow = flag.Bool("show", false, "print the contexts")
)

// row is a line of a recorded session.
type row struct {
	Session string
	TS      float64
	Seq     int64
	Agent   string
	Kind    string
	Path    string
	Text    string
	OK      *bool
	Why     string
}

// event is the event that the hooks would have made of it; false for rows without one.
func (r row) event() (event.Event, bool) {
	e := event.Event{ID: fmt.Sprint(r.Session, ":", r.Seq), Time: time.UnixMilli(int64(r.TS * 1000)).UTC(),
		Session: r.Session, Agent: "claude", Text: r.Text, OK: r.OK == nil || *r.OK, Why: r.Why}
	if strings.HasSuffix(r.Agent, "-sub") {
		e.Subagent = "sub"
	}
	if r.Path != "" {
		e.Paths = []event.Path{event.Path(r.Path)}
	}
	switch r.Kind {
	case "prompt":
		e.Kind, e.Terms = event.KindPrompt, index.Terms(r.Text, event.MaxTerms)
	case "read", "edit", "write", "search", "failed":
		e.Kind = event.Kind(r.Kind)
	case "bash", "commit":
		e.Kind, e.Paths = event.KindRun, nil
	default:
		return e, false
	}
	return e, e.Text != "" || len(e.Paths) > 0
}

// recorded reads the sessions of a folder: name of the file → session → events in order.
func recorded(t testing.TB) map[string][][]event.Event {
	t.Helper()
	if *recordDir == "" {
		t.Skip("give -sessions DIR to measure")
	}
	names, err := filepath.Glob(filepath.Join(*recordDir, "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][][]event.Event{}
	for _, n := range names {
		if !strings.HasSuffix(n, ".commits.jsonl.gz") {
			out[strings.TrimSuffix(filepath.Base(n), ".jsonl.gz")] = readRecord(t, n)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no recorded sessions in %s", *recordDir)
	}
	return out
}

func readRecord(t testing.TB, file string) [][]event.Event {
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	by := map[string][]event.Event{}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var r row
		must(t, json.Unmarshal(in.Bytes(), &r))
		if e, ok := r.event(); ok {
			by[r.Session] = append(by[r.Session], e)
		}
	}
	must(t, in.Err())
	var out [][]event.Event
	for _, s := range by {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b []event.Event) int {
		return cmp.Or(cmp.Compare(asks(b), asks(a)), cmp.Compare(len(b), len(a)), cmp.Compare(a[0].Session, b[0].Session))
	})
	return out
}

// asks counts prompts.
func asks(events []event.Event) (n int) {
	for _, e := range events {
		if e.Kind == event.KindPrompt {
			n++
		}
	}
	return n
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contextFixture is a store on a log of its own.
type contextFixture struct {
	*Store
	db *cold.DB
}

func newContextFixture(t testing.TB, o Options) contextFixture {
	t.Helper()
	dir := t.TempDir()
	now := func() time.Time { return noon.Add(time.Hour) }
	db, err := cold.Open(t.Context(), filepath.Join(dir, "aoa.db"), cold.Options{Now: now})
	must(t, err)
	o.Dir, o.DB, o.Now = dir, db, now
	r := contextFixture{New(o), db}
	t.Cleanup(func() { must(t, r.Close()); must(t, db.Close()) })
	return r
}

func (r contextFixture) summaryFile() string { return filepath.Join(r.o.Dir, "history.db") }

// log appends events, in batches as the daemon does.
func (r contextFixture) log(t testing.TB, events ...event.Event) {
	t.Helper()
	for batch := range slices.Chunk(events, 500) {
		_, _, err := r.db.Append(t.Context(), batch)
		must(t, err)
	}
}

func (r contextFixture) context(t testing.TB, q Request) Context {
	t.Helper()
	c, err := r.Assemble(t.Context(), q)
	must(t, err)
	return c
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestRecordedContexts assembles the context of recorded sessions at five points each.
//
//	go test ./internal/session -run RecordedContexts -v -sessions DIR [-most N] [-show]
func TestRecordedContexts(t *testing.T) {
	var tokens []int
	over, segments := 0, 0
	for name, sessions := range recorded(t) {
		r := newContextFixture(t, Options{})
		for _, s := range sessions[:min(len(sessions), *recordMost)] {
			line := fmt.Sprintf("%s %.8s: %d events, %d prompts; tokens", name, s[0].Session, len(s), asks(s))
			done := 0
			for point := 1; point <= 5; point++ {
				upto := len(s) * point / 5
				r.log(t, s[done:upto]...)
				done = upto
				c := r.context(t, Request{Session: s[0].Session})
				line += fmt.Sprintf(" %d", c.Tokens)
				tokens = append(tokens, c.Tokens)
				segments += len(c.Segments)
				if c.Tokens > defaultBudget.Total {
					over++
				}
				if *recordShow {
					t.Logf("--- %s %.8s at %d of 5\n%s", name, s[0].Session, point, c.Text())
				}
			}
			t.Log(line)
		}
	}
	slices.Sort(tokens)
	n := len(tokens)
	t.Logf("%d contexts of %d segments each: tokens p10 %d, median %d, p90 %d, most %d; over the budget of %d: %d", n, segments/max(1, n),
		tokens[n/10], tokens[n/2], tokens[n*9/10], tokens[n-1], defaultBudget.Total, over)
	if over > 0 {
		t.Error("the budget does not hold")
	}
}
