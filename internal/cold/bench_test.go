package cold

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/event/eventtest"
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

// BenchmarkAppendTexts is Append of prompts and commands of 300 bytes, stored open and sealed.
func BenchmarkAppendTexts(b *testing.B) {
	o, _ := places(b)
	for _, way := range []struct {
		name string
		seal *Seal
	}{{"open", nil}, {"sealed", openSeal(b, o)}} {
		for _, size := range []int{1, 100, 500} {
			b.Run(fmt.Sprint(way.name, "/", size), func(b *testing.B) {
				d := sealed(b, filepath.Join(b.TempDir(), "aoa.db"), way.seal)
				n := 0
				for b.Loop() {
					batch := make([]event.Event, size)
					for i := range batch {
						batch[i] = event.Event{ID: toolID(n), Time: noon.Add(time.Duration(n) * time.Second),
							Agent: "claude", Session: fmt.Sprint("session-", n/200),
							Body: event.Call{Act: event.ActRun, Tool: "Bash",
								Text: strings.Repeat("go test ./... # again ", 14)}}
						n++
					}
					mustAppend(b, d, batch...)
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// history makes commits of 1 to 9 files among 5000.
func history(from, n int) []event.Event {
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
		events := history(n, 20000)
		b.StartTimer()
		mustAppend(b, d, events...)
		n += len(events)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "commits/s")
}

func BenchmarkQuestions(b *testing.B) {
	d := newTest(b)
	for i := range 5 {
		mustAppend(b, d, history(i*20000, 20000)...)
	}
	x := history(0, 1)[0].Paths()[0]
	y := history(2, 1)[0].Paths()[0]
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			_, of, err := d.Together(b.Context(), x, y)
			must(b, err)
			if of == 0 {
				b.Fatal("no commits")
			}
		}
	})
	b.Run("pairs", func(b *testing.B) {
		for b.Loop() {
			pairs, err := d.Pairs(b.Context(), 3, nil)
			must(b, err)
			if len(pairs) == 0 {
				b.Fatal("no pairs")
			}
		}
	})
	b.Run("replay", func(b *testing.B) {
		for b.Loop() {
			n := 0
			must(b, d.Replay(b.Context(), 0, func(_ int64, batch []event.Event) error { n += len(batch); return nil }))
			b.ReportMetric(float64(n), "commits")
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "aoa.db")
	d, _ := openTest(b, path)
	mustAppend(b, d, history(0, 20000)...)
	b.Logf("%d MB", d.bytes()>>20)
	must(b, d.Close())
	for b.Loop() {
		d, err := Open(b.Context(), path, Options{Now: fixed})
		must(b, err)
		must(b, d.Close())
	}
}

// toolID is an id as an agent gives it: of two in a row neither is the greater one.
func toolID(n int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(n)))
	return fmt.Sprintf("toolu_01%.22x", sum[:11])
}
