package daemon_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

var update = flag.Bool("update", false, "write the golden answers")

// editionTime is shortly after the events of the store in testdata/first-edition.tar.gz.
var editionTime = time.Date(2026, 11, 22, 23, 10, 0, 0, time.UTC)

// TestFirstEdition opens a store that the binary of the first edition made and compares the answers with those of the
// first edition: scores, sessions, thresholds, sealed texts, statistics. The log keeps the sessions' events from
// before a restart, one commit that was taken back, a rename, a path that was forgotten, and a changed threshold.
func TestFirstEdition(t *testing.T) {
	t.Parallel()
	d := firstEdition(t)
	d.start()
	d.ready()
	got := d.answers()
	d.stop()
	d.start() // the answers of a store that was migrated, and then replayed or loaded
	d.ready()
	again := d.answers()

	golden := filepath.Join("testdata", "first-edition.json")
	if *update {
		raw, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	compareJSON(t, "first start", got, want)
	compareJSON(t, "second start", again, want)
}

// firstEdition unpacks the store. The clock stands still: scores depend on the time of a question.
func firstEdition(t *testing.T) *fixture {
	t.Helper()
	top, err := os.MkdirTemp("", "aoa")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	if out, err := exec.Command("tar", "-xzf", filepath.Join("testdata", "first-edition.tar.gz"), "-C", top).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "XDG_CONFIG_HOME=" + top,
		"XDG_STATE_HOME=" + filepath.Join(top, "home", "s"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}
	return fixtureIn(t, filepath.Join(top, "repo"), env, func() time.Time { return editionTime })
}

// ready waits until git's history and the files' contents are read.
func (d *fixture) ready() {
	d.Helper()
	d.until("the history is read", func() bool { return call(d, api.Import, api.ImportRequest{Look: true}).History.State == "done" })
	d.until("the files are read", func() bool {
		return !call(d, api.Why, api.WhyRequest{File: "server/login.go"}).Reading
	})
}

// answers asks what the golden file holds, in its JSON form.
func (d *fixture) answers() any {
	d.Helper()
	events := slices.DeleteFunc(call(d, api.Log, api.LogRequest{Limit: 1000}).Events, func(e event.Event) bool {
		return e.Kind == event.KindTick || e.Kind == event.KindBranch || e.Time.After(editionTime.Add(-time.Minute)) // of this daemon
	})
	out := map[string]any{"log": events, "threshold": call(d, api.Threshold, api.None{}),
		"sessions": call(d, api.Sessions, api.SessionsRequest{Archived: true}),
		"cache":    call(d, api.CacheList, api.CacheListRequest{All: true}),
		"pairs":    call(d, api.Pairs, api.PairsRequest{}),
		"reload":   call(d, api.ReloadList, api.SequencesRequest{All: true})}
	for _, table := range []string{"files", "tags", "sessions", "kinds"} {
		out["stats "+table] = call(d, api.Stats, api.StatsRequest{Table: table})
	}
	for _, f := range []event.Path{"server/login.go", "client/backoff.go", "docs/protocol.md", "client/send.go",
		"server/wire.go", "server/cache.go", "server/login_test.go"} {
		for _, m := range []event.Task{event.TaskNext, event.TaskChange} {
			w := call(d, api.Why, api.WhyRequest{File: f,
				Query: event.Query{Task: m, Session: "three", Files: []event.Path{"server/login.go"}}})
			out[fmt.Sprint("why ", f, " ", m)] = w.Suggestion
		}
	}
	for _, id := range []string{"one", "two", "three"} {
		c := call(d, api.Context, api.ContextRequest{Session: id}) // its text has local times
		out["context "+id] = map[string]any{"tokens": c.Tokens, "segments": len(c.Segments)}
		out["session "+id] = call(d, api.Session, api.SessionRequest{Session: id})
	}
	raw, err := json.Marshal(out)
	if err != nil {
		d.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		d.Fatal(err)
	}
	return plain
}

// compareJSON compares numbers to 1e-9 of the larger of 1 and the number.
func compareJSON(t *testing.T, at string, got, want any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		for k := range w {
			compareJSON(t, at+" › "+k, g[k], w[k])
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		for i := range w {
			compareJSON(t, fmt.Sprint(at, " › ", i), g[i], w[i])
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 1e-9*max(1, math.Abs(w)) {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}
