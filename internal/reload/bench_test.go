package reload

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// crowd is a cache of n different requests, made of the test data's words.
func crowd(b *testing.B, n int) (*Cache, Worktree, []string) {
	root := b.TempDir()
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("f%d.go", i)), []byte("package a\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	now := time.Now().Add(time.Hour)
	c := New(benchOptions(b, filepath.Join(b.TempDir(), "cache.db"), now))
	c.loaded = true
	source := testLines(b, "different.txt")
	rnd := rand.New(rand.NewPCG(1, 2))
	var prompts []string
	for i := range n {
		p := source[i%len(source)]
		if i >= len(source) { // more requests: words of two others
			x, y := strings.Fields(source[rnd.IntN(len(source))]), strings.Fields(source[rnd.IntN(len(source))])
			p = strings.Join(append(x[:len(x)/2+1:len(x)/2+1], y[len(y)/2:]...), " ")
		}
		prompts = append(prompts, p)
		e := &Entry{ID: fmt.Sprint("cache-", i), Trigger: Trigger{Type: Prompt}, Text: p, Outcome: Outcome{Ended: true},
			Used: now}
		for k := range 5 {
			f := event.Path(fmt.Sprintf("f%d.go", (i+k)%20))
			e.Files = append(e.Files, File{Path: f, After: blobOf(b, root, string(f))})
		}
		c.put(e)
	}
	return c, Worktree{Root: event.Root(root)}, prompts
}

// BenchmarkFind: one prompt against 100 and 10,000 entries, the files on disk compared; p50 and p99 of the calls.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, w, prompts := crowd(b, n)
			took := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for i := range b.N {
				begin := time.Now()
				if _, err := c.Find(b.Context(), w,
					Ask{Trigger: Trigger{Type: Prompt}, Text: prompts[(i*7919)%len(prompts)] + " please"}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
			}
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkReplay: ten reads of 10 KB and a search through 200 files, in one answer.
func BenchmarkReplay(b *testing.B) {
	root := b.TempDir()
	var files []event.Path
	for i := range 200 {
		f := event.Path(fmt.Sprintf("f%d.go", i))
		files = append(files, f)
		if err := os.WriteFile(filepath.Join(root, string(f)),
			[]byte(strings.Repeat("var something = other // words\n", 330)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	now := time.Now().Add(time.Hour)
	c := New(benchOptions(b, filepath.Join(b.TempDir(), "cache.db"), now))
	defer c.Close(b.Context())
	w := Worktree{Root: event.Root(root), Files: func() []event.Path { return files }}
	e := &Entry{ID: "cache-x", Trigger: Trigger{Type: Prompt}, Text: "explain it all", Outcome: Outcome{Ended: true},
		Used: now}
	for i := range 10 {
		e.Actions = append(e.Actions,
			Action{Tool: "Read", Act: event.ActRead, Paths: files[i : i+1], Limit: 100, OK: true})
	}
	e.Actions = append(e.Actions,
		Action{Tool: "Grep", Act: event.ActSearch, Pattern: `some\w+ = another`, Mode: "content", OK: true})
	if err := c.load(b.Context()); err != nil {
		b.Fatal(err)
	}
	c.put(e)
	for b.Loop() {
		if _, err := c.Replay(b.Context(), w, Request{ID: "cache-x"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSteady fills a cache with a hundred turns of 40 calls and reports what it takes on disk.
func BenchmarkSteady(b *testing.B) {
	for range b.N {
		now := time.Now()
		path := filepath.Join(b.TempDir(), "cache.db")
		c := New(benchOptions(b, path, now))
		source := testLines(b, "different.txt")
		rnd := rand.New(rand.NewPCG(1, 2))
		for i := range 300 {
			session, seq := fmt.Sprint("s", i), int64(i)
			events := []event.Event{{ID: source[i], Time: now, Session: session, Body: event.Prompt{Text: source[i]}}}
			for k := range 40 {
				call := event.Call{Tool: "Edit", Act: event.ActEdit,
					Paths:  []event.Path{event.Path(fmt.Sprintf("internal/part%d/file%d.go", rnd.IntN(20), rnd.IntN(50)))},
					Digest: fmt.Sprintf("%016x", rnd.Uint64()), Bytes: rnd.IntN(4000)}
				if k%4 == 0 {
					call.Edits = []event.Swap{{Old: fmt.Sprintf("%x", rnd.Uint64()) +
						strings.Join(source[rnd.IntN(400):][:6], "\n"), New: strings.Join(source[rnd.IntN(400):][:8], "\n")}}
				}
				events = append(events, event.Event{ID: fmt.Sprint(i, "-", k, ":post:"), Time: now, Session: session, Body: call})
			}
			c.Keep(events)
			events = append(events, event.Event{ID: fmt.Sprint("stop", i), Time: now, Session: session, Body: event.Stop{}})
			if err := c.Apply(b.Context(), seq, events); err != nil {
				b.Fatal(err)
			}
			c.makeEntries(b.Context(), true)
		}
		s, err := c.Stats(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(c.Close(b.Context()), c.o.Blobs.Close()); err != nil {
			b.Fatal(err)
		}
		st, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Entries), "entries")
		b.ReportMetric(float64(st.Size())/1000, "file-KB")
	}
}

func benchOptions(b *testing.B, path string, at time.Time) Options {
	now := func() time.Time { return at }
	blobs := cold.NewBlobs(cold.BlobOptions{Path: path, Now: now})
	b.Cleanup(func() { _ = blobs.Close() })
	return Options{Blobs: blobs, Now: now, EndsTurns: func(string) bool { return true },
		Text: func(_ context.Context, id string) (string, error) { return id, nil }}
}
