package cold

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 100, 500} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := newTest(b)
			n := 0
			for b.Loop() {
				batch := make([]event.Event, size)
				for i := range batch {
					batch[i] = read(toolID(n), noon.Add(time.Duration(n)*time.Second), fmt.Sprint("session-", n/200),
						event.Path(fmt.Sprint("internal/dir/file", n*7%1000, ".go")))
					eventtest.Set(&batch[i], "Tags", []string{"go", "reading"}, "Terms", []string{"some", "term"})
					n++
				}
				mustAppend(b, d, batch...)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// manyCommits makes commits of 1 to 9 files among 5000.
func manyCommits(from, n int) []event.Event {
	out := make([]event.Event, n)
	for i := range out {
		k := from + i
		var paths []event.Path
		for j := range 1 + k%9/2 + k%2 {
			paths = append(paths, event.Path(fmt.Sprintf("internal/dir%d/file%d.go", (k*7+j)%100, (k*31+j*j*17)%5000)))
		}
		out[i] = commit(k, noon.Add(-time.Duration(k)*time.Minute), paths...)
	}
	return out
}

func BenchmarkImport(b *testing.B) {
	d := newTest(b)
	n := 0
	for b.Loop() {
		b.StopTimer()
		events := manyCommits(n, 20000)
		b.StartTimer()
		mustAppend(b, d, events...)
		n += len(events)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "commits/s")
}

func BenchmarkQuestions(b *testing.B) {
	d := newTest(b)
	for i := range 5 {
		mustAppend(b, d, manyCommits(i*20000, 20000)...)
	}
	x := manyCommits(0, 1)[0].Paths()[0]
	y := manyCommits(2, 1)[0].Paths()[0]
	b.Run("history", func(b *testing.B) {
		for b.Loop() {
			commits, err := d.History(b.Context(), nil, everything)
			fault.Check(b, err)
			if commits.Count(x, y).Of == 0 {
				b.Fatal("no commits")
			}
		}
	})
	b.Run("replay", func(b *testing.B) {
		for b.Loop() {
			n := 0
			fault.Check(b, d.Replay(b.Context(), 0, func(_ int64, batch []event.Event) error { n += len(batch); return nil }))
			b.ReportMetric(float64(n), "commits")
		}
	})
}

// toolID is an id as an agent gives it: of two in a row neither is the greater one.
func toolID(n int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(n)))
	return fmt.Sprintf("toolu_01%.22x", sum[:11])
}

// manyEvents are the tool calls of sessions of 200 among 1000 files, of which few have most.
func manyEvents(from, n int) []event.Event {
	out := make([]event.Event, n)
	for i := range out {
		k := from + i
		e := read(fmt.Sprintf("toolu_01ABCDEFGHIJKLMN%06d:PostToolUse", k), noon.Add(time.Duration(k)*time.Second),
			fmt.Sprintf("0b7f7e0e-aaaa-bbbb-cccc-%012d", k/200),
			event.Path(fmt.Sprint("internal/dir/file", k%997*(k%991)/990, ".go")))
		e.Turn = fmt.Sprintf("prompt-0b7f7e0e-%08d", k/10)
		eventtest.Set(&e, "Tags", []string{"go", "reading"})
		if k%5 == 0 {
			c := event.Call{Act: event.ActSearch, Terms: []string{"some", "term"}, Text: "func some.*term"}
			for j := range 10 {
				c.Seen = append(c.Seen, event.Path(fmt.Sprint("internal/dir/file", (k+j*3)%1000, ".go")))
			}
			e.Body = c
		}
		out[i] = e
	}
	return out
}

// BenchmarkStats asks each question of `aoa stats`, `aoa log` and `aoa status` on a log of 100,000 commits and 50,000
// events.
func BenchmarkStats(b *testing.B) {
	const events = 50_000
	d := newTest(b)
	for i := range 5 {
		mustAppend(b, d, manyCommits(i*20000, 20000)...)
	}
	for n := 0; n < events; n += 5000 {
		mustAppend(b, d, manyEvents(n, 5000)...)
	}
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"files", func() error { _, err := d.FileStats(b.Context(), 20); return err }},
		{"tags", func() error { _, err := d.TagStats(b.Context(), 20); return err }},
		{"sessions", func() error { _, err := d.SessionStats(b.Context(), 20); return err }},
		{"status", func() error { _, err := d.Status(b.Context()); return err }},
		{"prompts", func() error { _, err := d.Prompts(b.Context(), 0, 100); return err }},
		{"log", func() error { _, err := d.Log(b.Context(), LogFilter{Limit: 20}); return err }},
		{"log-session", func() error {
			_, err := d.Log(b.Context(), LogFilter{Session: "0b7f7e0e-aaaa-bbbb-cccc-000000000007"})
			return err
		}},
		{"log-file", func() error {
			_, err := d.Log(b.Context(), LogFilter{File: "internal/dir/file7.go", Limit: 20})
			return err
		}},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				fault.Check(b, q.ask())
			}
		})
	}
}
