package daemon_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/locate"
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

// generator makes what agents, people, the watcher and git report, one thing after the other.
type generator struct {
	*fixture
	kept     *counter
	r        *rand.Rand
	at       time.Time
	n        int
	sessions []string
	open     map[string]bool // sessions that have begun
	commits  []string        // that may be taken back
}

func newGenerator(t *testing.T, seed uint64) *generator {
	d, kept := newKept(t, "AOA_HOLDOUT=.3")
	g := &generator{fixture: d, kept: kept, r: rand.New(rand.NewPCG(seed, 28)),
		at:       time.Now().Add(-30 * 24 * time.Hour).Truncate(time.Minute),
		sessions: []string{"one", "two", "three", "four"}, open: map[string]bool{}}
	g.o.Log = slog.New(slog.NewTextHandler(io.MultiWriter(kept, t.Output()), &slog.HandlerOptions{Level: slog.LevelDebug}))
	g.o.Now = func() time.Time { return g.at.Add(time.Duration(g.late.Load())) }
	g.git(`mkdir -p api store web && for f in api/wire api/server api/wire_test store/table store/row store/row_test web/page web/style; do
		printf 'package x\n\nfunc %s() {} // %s\n' "$(basename $f)" "$f" >$f.go; done && git add . && git commit -qm "store: rows and tables"`)
	g.start()
	return g
}

var generated = []event.Path{"a.go", "b.go", "in/side/c.go", "api/wire.go", "api/server.go", "api/wire_test.go",
	"store/table.go", "store/row.go",
	"store/row_test.go", "web/page.go", "web/style.go"}

func pick[T any](g *generator, from ...T) T { return from[g.r.IntN(len(from))] }

func (g *generator) abs(p event.Path) string { return g.o.Repo.Root.Abs(p) }

func (g *generator) id(what string) string { g.n++; return fmt.Sprintf("%s-%d", what, g.n) }

// step does one thing after a pause of seconds, sometimes of hours.
func (g *generator) step() {
	if g.r.IntN(40) == 0 {
		g.stop()
		g.late.Add(int64(time.Duration(1+g.r.IntN(30)) * time.Hour))
		g.start()
	}
	g.late.Add(int64(time.Duration(1+g.r.IntN(90)) * time.Second))
	switch g.r.IntN(20) {
	case 0:
		g.restart()
	case 1, 2:
		g.event(g.fromGit())
	case 3:
		g.event(event.Event{ID: g.id("save"), Agent: "watch", Body: event.Save{Paths: []event.Path{pick(g,
			generated...)}}})
	case 4:
		g.said()
	default:
		g.session()
	}
}

// start starts the daemon and waits until nothing is under way.
func (g *generator) start() {
	g.Helper()
	g.housekept(g.kept)
	g.until("the history is read", func() bool { return call(g.fixture, api.Status, api.None{}).Import.State == "done" })
	call(g.fixture, api.Events, []event.Event{})
}

func (g *generator) restart() {
	g.stop()
	if g.r.IntN(2) == 0 {
		g.noSnapshot()
	}
	g.start()
}

func (g *generator) event(e event.Event) {
	e.Time = g.o.Now()
	call(g.fixture, api.Events, []event.Event{e})
}

// fromGit is something that git or the cron reports.
func (g *generator) fromGit() event.Event {
	switch k := g.r.IntN(8); {
	case k == 0 && len(g.commits) > 0:
		sha := g.commits[len(g.commits)-1]
		g.commits = g.commits[:len(g.commits)-1]
		return event.Event{ID: "uncommit:" + sha, Agent: "git", Body: event.Uncommit{Paths: generated[:3]}}
	case k == 1:
		return event.Event{ID: g.id("branch"), Agent: "git", Body: event.Checkout{Name: "work"}}
	case k == 2:
		return event.Event{ID: g.id("tick"), Agent: "cron", Body: event.Tick{Job: pick(g, "", "decay", "sweep")}}
	case k == 3:
		from, to := pick(g, generated...), event.Path(g.id("moved")+".go")
		return event.Event{ID: g.id("rename"), Agent: "watch",
			Body: event.Rename{From: []event.Path{from}, To: []event.Path{to}}}
	}
	sha := fmt.Sprintf("%040x", g.r.Uint64())
	g.commits = append(g.commits, sha)
	first := g.r.IntN(len(generated) - 3)
	return event.Event{ID: "commit:" + sha, Agent: "git",
		Body: event.Commit{Paths: generated[first : first+2+g.r.IntN(2)], Text: "wire: rows have names",
			Terms: []string{"wire", "rows"}}}
}

// said is what a person says or sets.
func (g *generator) said() {
	switch g.r.IntN(5) {
	case 0:
		call(g.fixture, api.Forget, api.ForgetRequest{Session: pick(g, g.sessions...)})
		g.stop() // it may have ended already, to be started again without what was forgotten
		g.start()
	case 1:
		value := strconv.FormatFloat(.4+.05*float64(g.r.IntN(6)), 'f', 2, 64)
		fault.Check(g, config.Set(g.o.Place.Settings(), "threshold", value))
		call(g.fixture, api.Config, api.None{})
	default:
		call(g.fixture, api.Feedback, api.FeedbackRequest{Session: pick(g, g.sessions...), Helpful: g.r.IntN(2) == 0})
	}
}

// session lets one session do one thing.
func (g *generator) session() {
	s := pick(g, g.sessions...)
	if !g.open[s] {
		g.open[s] = true
		g.hook(s, "SessionStart", map[string]any{"source": pick(g, "startup", "resume", "compact")})
		return
	}
	more := map[string]any{"tool_use_id": g.id("call")}
	if g.r.IntN(6) == 0 {
		more["agent_id"] = "helper"
	}
	file := pick(g, generated...)
	switch g.r.IntN(9) {
	case 0, 1:
		more["prompt"] = pick(g, "why does store/row.go lose its names?",
			"make the wire of the api server faster, and its test",
			"the page has no style, look at it", "now fix the failing test of the table")
		more["prompt_id"] = g.id("prompt")
		g.hook(s, "UserPromptSubmit", more)
		return
	case 2:
		g.hook(s, pick(g, "Stop", "SessionEnd"), map[string]any{"reason": "other"})
		return
	case 3:
		more["tool_name"], more["tool_input"] = "Grep", map[string]any{"pattern": "func " +
			strings.TrimSuffix(filepath.Base(string(file)), ".go")}
		more["tool_response"] = map[string]any{"filenames": []string{g.abs(file)}, "numFiles": 1}
	case 4:
		more["tool_name"], more["tool_input"] = "Bash", map[string]any{"command": pick(g, "git diff", "go test ./store",
			"cat api/wire.go", "git add .")}
		more["tool_response"] = map[string]any{"stdout": "ok"}
	case 5:
		more["tool_name"], more["error"] = "Read", "File does not exist."
		more["tool_input"] = map[string]any{"file_path": g.abs("store/wire.go")}
		g.hook(s, "PostToolUseFailure", more)
		return
	case 6:
		more["tool_name"] = "Edit"
		more["tool_input"] = map[string]any{"file_path": g.abs(file), "old_string": "func",
			"new_string": "func // seen\nfunc"}
		more["tool_response"] = map[string]any{"filePath": g.abs(file)}
	default:
		more["tool_name"], more["tool_input"] = "Read", map[string]any{"file_path": g.abs(file)}
	}
	if g.r.IntN(3) > 0 {
		g.hook(s, "PreToolUse", more)
	}
	g.hook(s, "PostToolUse", more)
	if g.r.IntN(3) == 0 {
		g.hook(s, "PostToolBatch", map[string]any{})
	}
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
	for _, s := range append(g.sessions, "") {
		// the first question waits until the files are read, the second would not
		for _, task := range []event.Task{event.TaskPrompt, event.TaskNext, event.TaskChange} {
			q := event.Query{Session: s, Task: task, Limit: 10, Prompt: "the wire of the api"}
			ans := call(g.fixture, api.Rank, q)
			ans.Ms, ans.At = 0, 0
			add(fmt.Sprintf("answer to %s of %q", task, s), ans)
		}
	}
	add("composite", g.set(api.ScoresComposite, "")) // the answers above have waited until the files were read
	add("partners", call(g.fixture, api.Partners, api.PartnersRequest{Files: []event.Path{"store/row.go"}}))
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
