package cold

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/event/eventtest"
)

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
// events, with BIG=1 of a million, which take minutes to write.
func BenchmarkStats(b *testing.B) {
	events := 50_000
	if os.Getenv("BIG") != "" {
		events = 1_000_000
	}
	d := newTest(b)
	for i := range 5 {
		mustAppend(b, d, history(i*20000, 20000)...)
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
				must(b, q.ask())
			}
		})
	}
}
