package daemon_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

var replayTime = flag.Duration("replay", 0,
	"how long TestReplayEqualsLive generates sequences; 0: the seeds that every run takes")

// TestReplayEqualsLive: whatever happened, a daemon that replays the whole log answers as the one that saw it live.
func TestReplayEqualsLive(t *testing.T) {
	seeds := 3
	if testing.Short() {
		seeds = 1
	}
	begin := time.Now()
	for seed := uint64(1); int(seed) <= seeds || time.Since(begin) < *replayTime; seed++ {
		for _, way := range []string{"replayed", "snapshot", "without the key", "every cut"} {
			t.Run(fmt.Sprintf("%d/%s", seed, way), func(t *testing.T) {
				if *replayTime == 0 {
					t.Parallel()
				}
				checkReplay(t, seed, way)
			})
		}
	}
}

// checkReplay lets agents, people and git work, and compares what is known before and after a restart.
func checkReplay(t *testing.T, seed uint64, way string) {
	g := newGenerator(t, seed)
	steps, cuts := 120, 1
	if way == "every cut" {
		steps, cuts = 1, 40
	}
	for cut := range cuts {
		for range steps {
			g.step()
		}
		g.stop()
		g.start() // jobs that were due run now, and log what they did
		before := g.state()
		g.stop()
		if way != "snapshot" && cut%2 == 0 {
			g.noSnapshot()
		}
		if way == "without the key" {
			fault.Check(t, os.Remove(filepath.Join(locate.StateFolder(config.Lookup(g.o.Env)), "identity")))
			delete(before, "sequences") // they are sealed with it
		}
		g.start()
		after := g.state()
		if way == "without the key" {
			delete(after, "sequences")
		}
		for _, d := range differences("", before, after) {
			t.Errorf("seed %d, cut %d: %s", seed, cut, d)
		}
	}
}

// generator reports the steps of a sequence: what agents do through their hooks, the rest through the API.
type generator struct {
	*fixture
	*eventtest.Sequence
	kept *counter
}

func newGenerator(t *testing.T, seed uint64) *generator {
	d, kept := newKept(t, "AOA_HOLDOUT=.3")
	g := &generator{d, eventtest.NewSequence(seed, "a.go", "b.go", "in/side/c.go", "api/wire.go", "api/server.go", "api/wire_test.go",
		"store/table.go", "store/row.go", "store/row_test.go", "web/page.go", "web/style.go"), kept}
	at := time.Now().Add(-30 * 24 * time.Hour).Truncate(time.Minute)
	g.o.Log = slog.New(slog.NewTextHandler(io.MultiWriter(kept, t.Output()), &slog.HandlerOptions{Level: slog.LevelDebug}))
	g.o.Now = func() time.Time { return at.Add(time.Duration(g.late.Load())) }
	g.git(`mkdir -p api store web && for f in api/wire api/server api/wire_test store/table store/row store/row_test web/page web/style; do
		printf 'package x\n\nfunc %s() {} // %s\n' "$(basename $f)" "$f" >$f.go; done && git add . && git commit -qm "store: rows and tables"`)
	g.start()
	return g
}

func (g *generator) abs(p event.Path) string { return g.o.Repo.Root.Abs(p) }

// step does one thing.
func (g *generator) step() {
	switch g.Step() {
	case eventtest.Restarts:
		g.stop()
		g.start()
	case eventtest.Killed:
		g.stop()
		g.noSnapshot()
		g.start()
	case eventtest.Forgets:
		call(g.fixture, api.Forget, api.ForgetRequest{Session: eventtest.Pick(g.Sequence, eventtest.Sessions...)})
		g.stop() // it may have ended already, to be started again without what was forgotten
		g.start()
	default:
		e := g.Next()
		if pause := g.Now.Sub(eventtest.Start) - time.Duration(g.late.Load()); pause > time.Hour {
			g.stop()
			g.late.Add(int64(pause))
			g.start()
		} else {
			g.late.Add(int64(pause))
		}
		g.report(e)
	}
}

// start starts the daemon and waits until nothing is under way.
func (g *generator) start() {
	g.Helper()
	g.housekept(g.kept)
	g.until("the history is read", func() bool { return call(g.fixture, api.Status, api.None{}).Import.State == "done" })
	call(g.fixture, api.Events, []event.Event{})
}

// report tells the daemon of an event.
func (g *generator) report(e event.Event) {
	more := map[string]any{"tool_use_id": e.ID}
	if e.Subagent != "" {
		more["agent_id"] = e.Subagent
	}
	switch b := e.Body.(type) {
	case event.Start:
		g.hook(e.Session, "SessionStart", map[string]any{"source": b.Source})
	case event.Stop:
		g.hook(e.Session, "Stop", more)
	case event.End:
		g.hook(e.Session, "SessionEnd", map[string]any{"reason": b.Reason})
	case event.Prompt:
		more["prompt_id"], more["prompt"] = e.ID, eventtest.Pick(g.Sequence, "why does store/row.go lose its names?",
			"make the wire of the api server faster, and its test", "now fix the failing test of the table")
		g.hook(e.Session, "UserPromptSubmit", more)
	case event.Call:
		g.tool(e.Session, b, more)
	case event.Hint: // the daemon makes its own
		g.hook(e.Session, "PostToolBatch", map[string]any{})
	case event.Feedback:
		call(g.fixture, api.Feedback, api.FeedbackRequest{Session: e.Session, Helpful: b.Helped})
	case event.Setting:
		fault.Check(g, config.Set(g.o.Place.Settings(), b.Name, b.Value))
		call(g.fixture, api.Config, api.None{})
	default:
		e.Time = g.o.Now()
		call(g.fixture, api.Events, []event.Event{e})
	}
}

// tool reports a tool call.
func (g *generator) tool(session string, b event.Call, more map[string]any) {
	file := eventtest.Pick(g.Sequence, append(b.Paths, b.Named...)...)
	input := map[string]any{"file_path": g.abs(file)}
	more["tool_name"], more["tool_input"] = "Read", input
	switch b.Act {
	case event.ActSearch:
		more["tool_name"], more["tool_input"] = "Grep", map[string]any{"pattern": "func " +
			strings.TrimSuffix(filepath.Base(string(file)), ".go")}
		more["tool_response"] = map[string]any{"filenames": []string{g.abs(file)}, "numFiles": 1}
	case event.ActRun:
		more["tool_name"], more["tool_input"] = "Bash", map[string]any{"command": eventtest.Pick(g.Sequence, "git diff",
			"go test ./store", "cat api/wire.go", "git add .")}
		more["tool_response"] = map[string]any{"stdout": "ok"}
	case event.ActEdit:
		more["tool_name"], more["tool_response"] = "Edit", map[string]any{"filePath": g.abs(file)}
		input["old_string"], input["new_string"] = "func", "func // seen\nfunc"
	case event.ActWrite:
		more["tool_name"], input["content"] = "Write", "package x"
	}
	if b.Kind() == event.KindFailed {
		input["file_path"], more["error"] = g.abs("store/wire.go"), "File does not exist."
		g.hook(session, "PostToolUseFailure", more)
		return
	}
	if g.IntN(3) > 0 {
		g.hook(session, "PreToolUse", more)
	}
	g.hook(session, "PostToolUse", more)
}

// state is everything that a client can ask for, as JSON has it.
func (g *generator) state() map[string]any {
	g.Helper()
	out := map[string]any{}
	add := func(name string, v any) {
		raw, err := json.Marshal(v)
		fault.Check(g, err)
		var plain any
		fault.Check(g, json.Unmarshal(raw, &plain))
		out[name] = plain
	}
	for _, set := range []string{api.ScoresRecency, api.ScoresFrequency, api.ScoresTagFreq} {
		add(set, g.set(set, ""))
	}
	for _, set := range []string{api.ScoresComod, api.ScoresTag, api.ScoresFile, api.ScoresSession} {
		for _, owner := range g.set(set, "").Members {
			add(set+" of "+owner.Name, g.set(set, owner.Name))
		}
	}
	for _, table := range []string{"files", "tags", "sessions", "hints"} {
		add("stats "+table, call(g.fixture, api.Stats, api.StatsRequest{Table: table, Limit: 1000}))
	}
	add("threshold", call(g.fixture, api.Threshold, api.None{}))
	add("sessions", call(g.fixture, api.Sessions, api.SessionsRequest{Archived: true, Limit: 1000}))
	add("sequences", call(g.fixture, api.ReloadList, api.SequencesRequest{All: true}))
	for _, s := range append(eventtest.Sessions, "") {
		// the first question waits until the files are read, the second would not
		for _, task := range []event.Task{event.TaskPrompt, event.TaskOpen, event.TaskChange} {
			q := event.Query{Session: s, Task: task, Limit: 10, Prompt: "the wire of the api"}
			ans := call(g.fixture, api.Rank, q)
			ans.Ms, ans.At = 0, 0
			add(fmt.Sprintf("answer to %s of %q", task, s), ans)
		}
	}
	add("composite", g.set(api.ScoresComposite, "")) // the answers above have waited until the files were read
	add("check", call(g.fixture, api.Check, change.Request{Files: []event.Path{"store/row.go"}}))
	return out
}

// set is a set of scores in a fixed order.
func (g *generator) set(name, owner string) api.ScoresAnswer {
	a := call(g.fixture, api.Scores, api.ScoresRequest{Set: name, Owner: owner})
	slices.SortFunc(a.Members, func(x, y hot.Member) int { return cmp.Compare(x.Name, y.Name) })
	return a
}

// differences lists where two values that JSON has differ. Numbers may differ in the twelfth digit: sums are added in
// another order.
func differences(at string, a, b any) (out []string) {
	switch x := a.(type) {
	case map[string]any:
		y, same := b.(map[string]any)
		if !same {
			break
		}
		for k := range x {
			out = append(out, differences(at+"/"+k, x[k], y[k])...)
		}
		for k := range y {
			if _, known := x[k]; !known {
				out = append(out, fmt.Sprintf("%s/%s: only after the restart: %v", at, k, y[k]))
			}
		}
		slices.Sort(out)
		return out
	case []any:
		y, same := b.([]any)
		if !same || len(x) != len(y) {
			break
		}
		for i := range x {
			out = append(out, differences(fmt.Sprintf("%s/%d", at, i), x[i], y[i])...)
		}
		return out
	case float64:
		if y, same := b.(float64); same && math.Abs(x-y) <= 1e-12*max(1, math.Abs(x)) {
			return nil
		}
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return []string{fmt.Sprintf("%s:\n  before %.2000v\n  after  %.2000v", at, a, b)}
}
