package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// These benchmarks time the real binary from outside, against the budgets of the design: make bench
// prints a table. Medians compare runs; a p99 says as much about the machine's scheduler as about
// the daemon.

var crowds = []struct {
	files  int
	query  float64 // ms at the median
	start  float64 // ms
	memory float64 // MB
}{{1_000, .6, 0, 0}, {10_000, .7, 60, 60}, {100_000, .8, 400, 250}}

// BenchmarkQuery asks the daemon through its socket, as commands and MCP do, and as a hook does.
func BenchmarkQuery(b *testing.B) {
	for _, c := range crowds {
		b.Run(fmt.Sprint(c.files), func(b *testing.B) {
			d := newBed(b, c.files).serve(b)
			for _, q := range []struct {
				name string
				event.Query
			}{
				{"open", event.Query{Task: event.TaskOpen, Session: "s", Current: d.files[5]}},
				{"prompt", event.Query{Task: event.TaskPrompt, Session: "s",
					Prompt: "make term3 of module001 honest, see package02/file000041.go"}},
				{"change", event.Query{Task: event.TaskChange, Files: d.files[:15]}},
			} {
				b.Run(q.name, func(b *testing.B) {
					var ts times
					cpu := d.cpu()
					for b.Loop() {
						begin := time.Now()
						answer, err := api.Call(b.Context(), d.asks, api.Rank, q.Query)
						ts.since(begin)
						if err != nil || len(answer.Suggestions) == 0 {
							b.Fatal(answer, err)
						}
					}
					b.ReportMetric(float64((d.cpu()-cpu).Microseconds())/float64(len(ts)), "cpu-µs/query")
					ts.report(b, c.query)
				})
			}
			b.Run("hook", func(b *testing.B) { // a prompt of a new session: a list is ranked, whether it is shown or not
				var ts times
				for b.Loop() {
					id := strconv.Itoa(len(ts))
					payload := d.hook("UserPromptSubmit", "p"+id, id, "", "why is "+d.files[5].Base()+" slow")
					begin := time.Now()
					_, err := d.tell(b.Context(), true, payload)
					ts.since(begin)
					fault.Check(b, err)
				}
				ts.report(b, c.query)
			})
		})
	}
}

// BenchmarkEvents sends events until they are learned: in batches of 500, each acknowledged when it
// is durable, and as hooks, whose client writes and leaves.
func BenchmarkEvents(b *testing.B) {
	d := newBed(b, 10_000).serve(b)
	n := 0
	file := func(i int) event.Path { return d.files[i*7%len(d.files)] }
	finish := func(b *testing.B, begin time.Time, cpu time.Duration, events int, ts times) {
		d.learned(b)
		b.ReportMetric(float64((d.cpu()-cpu).Microseconds())/float64(events), "cpu-µs/event")
		rate := float64(events) / time.Since(begin).Seconds()
		ts.report(b, 0)
		b.ReportMetric(rate, "events/s")
		b.ReportMetric(10_000/rate, "events/budget") // at most 1 is within it, as everywhere
	}
	b.Run("batch500", func(b *testing.B) {
		var ts times
		events := make([]event.Event, 500)
		begin, cpu := time.Now(), d.cpu()
		for b.Loop() {
			sent := time.Now()
			for i := range events {
				n++
				events[i] = opened(fmt.Sprint("e", n), file(n), time.Now())
				events[i].Session = fmt.Sprint("s", n/200)
			}
			got, err := api.Call(b.Context(), d.asks, api.Events, events)
			if err != nil || got.Accepted != len(events) {
				b.Error(got, err)
			}
			ts.since(sent)
		}
		finish(b, begin, cpu, len(events)*len(ts), ts)
	})
	b.Run("hook", func(b *testing.B) {
		var ts times
		logged := func() int64 {
			st, err := api.Call(b.Context(), d.asks, api.Status, api.None{})
			fault.Check(b, err)
			return st.Events
		}
		before, begin, cpu := logged(), time.Now(), d.cpu()
		for b.Loop() {
			n++
			payload := d.tool("PostToolUse", fmt.Sprint("f", n), file(n))
			sent := time.Now()
			fault.Must(d.tell(b.Context(), false, payload))
			ts.since(sent)
		}
		fault.Until(b, time.Minute, "every hook is logged", func() bool { return logged() >= before+int64(len(ts)) })
		finish(b, begin, cpu, len(ts), ts)
	})
}

// learned waits until nothing that was sent waits to be learned.
func (d *bed) learned(b *testing.B) {
	b.Helper()
	fault.Until(b, time.Minute, "all events are learned", func() bool {
		text, err := api.Call(b.Context(), d.asks, api.Metrics, api.None{})
		fault.Check(b, err)
		return bytes.Contains(text, []byte("\naoa_score_staleness_seconds 0\n"))
	})
}

// BenchmarkStart starts the daemon of a store until its first answer, and looks at its memory when
// it has resolved.
func BenchmarkStart(b *testing.B) {
	for _, c := range append(crowds[:0:0], crowds[1:]...) {
		b.Run(fmt.Sprint(c.files), func(b *testing.B) {
			d := newBed(b, c.files)
			ts, persons, cpu := d.starts(b)
			ts.report(b, c.start)
			b.ReportMetric(persons.at(.5), "person-ms")
			b.ReportMetric(cpu.at(.5), "cpu-ms")
		})
	}
}

// starts starts and stops the daemon again and again: until the first answer to a hook, to a
// person, and how long it computed until then.
func (d *bed) starts(b *testing.B) (hooks, persons, cpu times) {
	for b.Loop() {
		for range 5 { // one start may be longer than the time that a benchmark is given
			hook, person := d.start(b)
			hooks, persons = append(hooks, hook), append(persons, person)
			cpu = append(cpu, d.cpu())
			d.stop(b)
		}
	}
	return hooks, persons, cpu
}

// BenchmarkMemory is what stays resident of the process, in MB, when it rests after a few
// questions. All daemons rest at the same time.
func BenchmarkMemory(b *testing.B) {
	beds := map[int]*bed{}
	for _, c := range crowds {
		n := c.files
		if c.memory == 0 {
			n = 100 // idle
		}
		d := newBed(b, n).serve(b)
		for range 200 {
			_, err := api.Call(b.Context(), d.asks, api.Rank, event.Query{Session: "s", Current: d.files[5]})
			fault.Check(b, err)
		}
		beds[c.files] = d
	}
	<-time.After(70 * time.Second) // memory is returned when nothing has called for a minute
	for _, c := range crowds {
		b.Run(fmt.Sprint(c.files), func(b *testing.B) { beds[c.files].rest(b, cmp.Or(c.memory, 40)) })
	}
}

// rest reports what is resident of a daemon that rests.
func (d *bed) rest(b *testing.B, budget float64) {
	for mb := d.resident("VmRSS:") / 1e6; b.Loop(); { // asking the daemon would be work for it
		b.ReportMetric(mb, "MB")
		b.ReportMetric(d.resident("VmHWM:")/1e6, "peak-MB")
		b.ReportMetric(d.resident("RssFile:")/1e6, "mapped-MB")
		b.ReportMetric(mb/budget, "MB/budget")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStage is a whole process: aoa stage run of a step whose dependency did not change.
func BenchmarkStage(b *testing.B) {
	d := newBed(b, 1000).serve(b)
	var ts times
	for b.Loop() {
		for range 20 {
			cmd := d.command(d.bin, "stage", "run", "s", "--dep", string(d.files[5]), "--", "true")
			begin := time.Now()
			fault.Check(b, cmd.Run())
			ts.since(begin)
		}
	}
	ts.report(b, 10)
}

// BenchmarkHook times whole processes in turn, with the daemon: aoa-hook and aoa hook beside an
// empty Go program.
func BenchmarkHook(b *testing.B) {
	d := newBed(b, 1000).serve(b)
	small, empty := filepath.Join(filepath.Dir(d.bin), "aoa-hook"), filepath.Join(filepath.Dir(d.bin), "empty")
	d.build(empty, "../../hooks/client/testdata/empty")
	hint, learn := d.stdin(b, "PreToolUse"), d.stdin(b, "PostToolUse")
	type run struct {
		name, stdin string
		args        []string
		times
	}
	runs := []run{
		{"empty", os.DevNull, []string{empty}, nil},
		{"hint", hint, []string{small, "claude"}, nil},
		{"learn", learn, []string{small, "claude"}, nil},
		{"aoa", hint, []string{d.bin, "hook", "claude"}, nil},
	}
	for round := 0; round < 50 || b.Loop(); round++ { // a median of one would say nothing
		for i := range runs {
			in := fault.Must(os.Open(runs[i].stdin))
			cmd := d.command(runs[i].args[0], runs[i].args[1:]...)
			cmd.Stdin = in
			begin := time.Now()
			fault.Check(b, cmd.Run())
			runs[i].since(begin)
			in.Close()
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, r := range runs {
		b.ReportMetric(r.at(.5), r.name+"-p50-ms")
		b.ReportMetric(r.at(.99), r.name+"-p99-ms")
		if i > 0 {
			b.ReportMetric(r.at(.5)/runs[0].at(.5), r.name+"-/empty")
		}
		if budget := map[string]float64{"hint": 2.5, "learn": 2}[r.name]; budget > 0 {
			b.ReportMetric(r.at(.5)/runs[0].at(.5)/budget, r.name+"-p50/budget")
		}
	}
}

// stdin is a file with the JSON of a hook.
func (d *bed) stdin(b *testing.B, ev string) string {
	b.Helper()
	name := filepath.Join(filepath.Dir(d.bin), ev)
	fault.Check(b, os.WriteFile(name, d.tool(ev, "h", d.files[5]), 0o600))
	return name
}
