package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/log"
	"github.com/aoa-dev/aoa/internal/monitor"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/hooktest"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// bed is a repository with a store that knows n files, for benchmarks of the real binary.
type bed struct {
	*sandbox
	files  []event.Path
	at     locate.Place
	asks   *api.Client
	served *exec.Cmd // the daemon
}

// newBed makes n empty files, and a store as an import of their history leaves it: every file has
// scores, a fifth of them partners, 8 on average, and a quarter of those was opened by agents too.
func newBed(b *testing.B, n int) *bed {
	b.Helper()
	d := &bed{sandbox: newSandbox(b, 0), files: make([]event.Path, n)}
	top := filepath.Dir(d.dir)
	d.bin, d.env = filepath.Join(top, "aoa"), repotest.Env(filepath.Join(top, "home"))
	d.build(top+string(filepath.Separator), ".", "../aoa-hook")
	for i := range d.files {
		d.files[i] = name(i)
		d.write(string(d.files[i]), "")
	}
	d.git("add", "-A")
	var err error
	d.at, err = locate.Create(d.path(".git"), config.Lookup(d.env))
	fault.Check(b, err)
	d.asks = &api.Client{Place: d.at, Dir: d.dir}
	d.fill(b)
	return d
}

func name(i int) event.Path {
	return event.Path(fmt.Sprintf("services/module%03d/package%02d/file%06d.go", i/400, i/20%20, i))
}

// build compiles programs as a release does.
func (d *bed) build(out string, programs ...string) {
	d.Helper()
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}, programs...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		d.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// fill writes the state as a snapshot of one logged batch, and logs commits behind it.
func (d *bed) fill(b *testing.B) {
	ctx := b.Context()
	now := time.Now()
	db, err := cold.Open(ctx, filepath.Join(d.at.Store, "aoa.db"), cold.Options{Now: time.Now})
	fault.Check(b, err)
	_, _, err = db.Append(ctx, []event.Event{{ID: "first", Time: now, Body: event.Call{Act: event.ActRun}}})
	fault.Check(b, err)
	cache := fault.Must(cold.OpenBlobs(ctx, filepath.Join(d.at.Store, "cache.db"), cold.Options{Now: time.Now}))
	quiet := slog.New(slog.DiscardHandler)
	l, err := log.Open(ctx, log.Options{DB: db, Blobs: cache, Kept: cold.NewSnapshot(db, cache, "states"), Now: time.Now,
		Log: quiet, Alert: quiet, Count: monitor.NewMetrics(), EndsTurns: func(string) bool { return true }})
	fault.Check(b, err)
	_, err = l.Replay(ctx)
	fault.Check(b, err)
	known(l.Hot, d.files, now)
	ctx, end := context.WithCancel(ctx)
	end()
	fault.Check(b, l.Run(ctx)) // it saves the states
	var commits []event.Event
	for i := 0; i+16 <= len(d.files) && len(commits) < 2000; i += 8 { // each half of a commit is in the next one, too
		commits = append(commits, event.Event{ID: fmt.Sprint("c", i), Time: now.Add(-time.Duration(i) * time.Minute),
			Agent: "git", Body: event.Commit{Paths: d.files[i : i+16]}})
	}
	_, _, err = db.Append(b.Context(), commits)
	fault.Check(b, err)
	fault.Check(b, cache.Close())
	fault.Check(b, db.Close())
}

func known(batch *hot.Store, files []event.Path, now time.Time) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() string { return string(files[r.IntN(len(files))]) }
	for i, p := range files {
		f, at := string(p), now.Add(-time.Duration(r.IntN(1e7))*time.Second)
		for _, fam := range []*hot.Family{hot.Committed, hot.Churn, hot.Changes} {
			batch.Add(fam, "", f, at, 1)
		}
		if i%20 == 0 {
			for _, fam := range []*hot.Family{hot.Recency, hot.Frequency, hot.Sessions} {
				batch.Add(fam, "", f, at, 1)
			}
			batch.Add(hot.FileTags, f, "go", at, 1)
		}
		for range 8 {
			if i%5 == 0 {
				batch.Add(hot.Comod, f, pick(), at, r.Float64())
			}
			if i%20 == 0 {
				batch.Add(hot.Coaccess, f, pick(), at, 1)
			}
		}
	}
	for i := range 200 {
		for range min(64, len(files)) {
			batch.Add(hot.TermFiles, fmt.Sprint("term", i), pick(), now, 1)
			batch.Add(hot.TagFiles, fmt.Sprint("tag", i%10), pick(), now, 1)
		}
	}
}

// start runs the daemon and returns how long it took until the first answer to a hook, which waits
// for no files to be read, and until the first one to a person, which does.
func (d *bed) start(b *testing.B) (hook, person time.Duration) {
	b.Helper()
	d.served = d.command(d.bin, "daemon", "run")
	begin := time.Now()
	fault.Check(b, d.served.Start())
	wait := time.NewTicker(500 * time.Microsecond)
	defer wait.Stop()
	for {
		if _, err := d.tell(b.Context(), true, d.tool("PreToolUse", "start", d.files[0])); err == nil {
			break
		} else if time.Since(begin) > 10*time.Minute {
			b.Fatal("no answer: ", err)
		}
		<-wait.C
	}
	hook = time.Since(begin)
	_, err := api.Call(b.Context(), d.asks, api.Rank, event.Query{Files: d.files[:min(1, len(d.files))]})
	fault.Check(b, err)
	return hook, time.Since(begin)
}

// cpu is how long the daemon has computed, 0 where the system does not say: on a busy machine it
// tells more than a clock.
func (d *bed) cpu() (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", d.served.Process.Pid))
	for _, name := range threads {
		if raw, err := os.ReadFile(name); err == nil {
			ns, _ := strconv.ParseInt(strings.Fields(string(raw))[0], 10, 64) // the system's own format
			sum += time.Duration(ns)
		}
	}
	return sum
}

// resident is how many bytes of the daemon are resident (VmRSS:), or of them pages of files, most
// of them the program itself, which the system may drop at any time (RssFile:); 0 where the system
// does not say.
func (d *bed) resident(which string) (bytes float64) {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.served.Process.Pid))
	for line := range strings.Lines(string(raw)) {
		if kb, ok := strings.CutPrefix(line, which); ok {
			bytes, _ = strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(kb), " kB"), 64) // the system's own format
		}
	}
	return bytes * 1024
}

func (d *bed) stop(b *testing.B) {
	b.Helper()
	fault.Check(b, d.served.Process.Signal(os.Interrupt))
	fault.Check(b, d.served.Wait())
}

// served starts the daemon for the rest of the benchmark, with a session that works in a corner of the repository.
func (d *bed) serve(b *testing.B) *bed {
	b.Helper()
	d.start(b)
	b.Cleanup(func() { d.stop(b) })
	_, err := api.Call(b.Context(), d.asks, api.Events, workedIn(d.files, time.Now()))
	fault.Check(b, err)
	return d
}

// workedIn is what a session does that works in a corner of the repository.
func workedIn(files []event.Path, now time.Time) []event.Event {
	events := []event.Event{{ID: "p", Time: now, Session: "s", Agent: "claude",
		Body: event.Prompt{Terms: []string{"term1", "module000"}}},
		{ID: "q", Time: now, Session: "s", Agent: "claude",
			Body: event.Call{Act: event.ActSearch, Seen: files[20:60], Terms: []string{"package"}}}}
	for i := range 12 {
		events = append(events, opened(fmt.Sprint("open", i), files[i*5], now))
	}
	return events
}

func opened(id string, f event.Path, at time.Time) event.Event {
	return event.Event{ID: id, Time: at, Session: "s", Agent: "claude",
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{f}, Tags: []string{"go"}}}
}

// tell sends a hook. It reads the answer if it waits, and leaves otherwise, as the hook client does.
func (d *bed) tell(ctx context.Context, wait bool, payload []byte) ([]byte, error) {
	return hooktest.Send(ctx, d.at, api.Hook{Agent: "claude", Dir: d.dir, Wait: wait, Payload: payload})
}

// tool is what Claude Code sends about a read.
func (d *bed) tool(ev, id string, f event.Path) []byte { return d.hook(ev, "s", id, "Read", string(f)) }

// times collects durations and reports median and p99.
type times []time.Duration

func (ts *times) since(begin time.Time) { *ts = append(*ts, time.Since(begin)) }

func (ts times) at(share float64) float64 {
	slices.Sort(ts)
	return ts[min(len(ts)-1, int(share*float64(len(ts))))].Seconds() * 1000
}

// report prints both, and how the median stands to its budget in milliseconds: at most 1 is within
// it.
func (ts times) report(b *testing.B, budget float64) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ts.at(.5), "p50-ms")
	b.ReportMetric(ts.at(.99), "p99-ms")
	if budget > 0 {
		b.ReportMetric(ts.at(.5)/budget, "p50/budget")
	}
}
