package cold

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

var million = flag.Int("events", 0, "TestStatsOfMany: how many events; 1000000 takes minutes to write")

// manyEvents are the tool calls of sessions of 200 among 1000 files, of which few have most.
func manyEvents(from, n int) []event.Event {
	out := make([]event.Event, n)
	for i := range out {
		k := from + i
		e := read(fmt.Sprintf("toolu_01ABCDEFGHIJKLMN%06d:PostToolUse", k), noon.Add(time.Duration(k)*time.Second), fmt.Sprintf("0b7f7e0e-aaaa-bbbb-cccc-%012d", k/200),
			event.Path(fmt.Sprint("internal/dir/file", k%997*(k%991)/990, ".go")))
		e.Tags, e.Turn = []string{"go", "reading"}, fmt.Sprintf("prompt-0b7f7e0e-%08d", k/10)
		if k%5 == 0 {
			e.Kind, e.Paths, e.Terms, e.Text = event.KindSearch, nil, []string{"some", "term"}, "func some.*term"
			for j := range 10 {
				e.Seen = append(e.Seen, event.Path(fmt.Sprint("internal/dir/file", (k+j*3)%1000, ".go")))
			}
		}
		out[i] = e
	}
	return out
}

// TestStatsOfMany prints what the statistics take.
func TestStatsOfMany(t *testing.T) {
	if *million == 0 {
		t.Skip("set -events")
	}
	d := newTest(t)
	for i := range 5 {
		mustAppend(t, d, history(i*20000, 20000)...)
	}
	for n := 0; n < *million; n += 5000 {
		mustAppend(t, d, manyEvents(n, 5000)...)
	}
	t.Logf("%d MB", d.Bytes()>>20)
	for range 2 {
		for name, ask := range map[string]func() error{
			"files":    func() error { _, err := d.FileStats(t.Context(), 20); return err },
			"tags":     func() error { _, err := d.TagStats(t.Context(), 20); return err },
			"sessions": func() error { _, err := d.SessionStats(t.Context(), 20); return err },
			"status":   func() error { _, err := d.Status(t.Context()); return err },
			"prompts":  func() error { _, err := d.Prompts(t.Context(), 0, 100); return err },
			"log":      func() error { _, err := d.Log(t.Context(), LogFilter{Limit: 20}); return err },
			"session": func() error {
				_, err := d.Log(t.Context(), LogFilter{Session: "0b7f7e0e-aaaa-bbbb-cccc-000000000007"})
				return err
			},
			"file": func() error {
				_, err := d.Log(t.Context(), LogFilter{File: "internal/dir/file7.go", Limit: 20})
				return err
			},
			"tail": func() error {
				return d.Replay(t.Context(), d.seq.Load()-1, func(int64, []event.Event) error { return nil })
			},
			"meant": func() error { _, err := d.Meant(t.Context(), ForgetFilter{Path: "x"}); return err },
		} {
			began := time.Now()
			must(t, ask())
			t.Logf("%-8s %s", name, time.Since(began).Round(time.Millisecond))
		}
	}
}

// TestConvertMany prints what the conversion takes of a store of schema 4 that the environment names.
func TestConvertMany(t *testing.T) {
	old := os.Getenv("COLD_TEST_SCHEMA4")
	if old == "" {
		t.Skip("set COLD_TEST_SCHEMA4")
	}
	path := filepath.Join(t.TempDir(), "aoa.db")
	copyFile(t, old, path)
	began := time.Now()
	d, s := openTest(t, path)
	t.Logf("%s, %d MB, %v", time.Since(began), d.Bytes()>>20, s.records)
	n := 0
	must(t, d.Replay(t.Context(), 0, func(_ int64, b []event.Event) error { n += len(b); return nil }))
	t.Logf("%d events", n)
}
