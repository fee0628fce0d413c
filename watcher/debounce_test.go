package watcher

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ms(n int) time.Time { return noon.Add(time.Duration(n) * time.Millisecond) }

func taken(b *debouncer, at time.Time) string {
	got := b.take(at)
	slices.Sort(got)
	return fmt.Sprint(got)
}

func testBurst() debouncer { return newDebouncer(100*time.Millisecond, 2*time.Second) }

func TestBurstWaitsForQuiet(t *testing.T) {
	b := testBurst()
	if !b.touch("a", ms(0)) || b.touch("b", ms(40)) || b.touch("a", ms(90)) {
		t.Error("only the first touch begins a burst")
	}
	fault.Same(t, "taken", taken(&b, ms(189)), "[]")
	if at, ok := b.due(); !ok || !at.Equal(ms(190)) {
		t.Errorf("due %v, want 100 ms after the last touch", at)
	}
	fault.Same(t, "taken", taken(&b, ms(190)), "[a b]")
	if _, ok := b.due(); ok {
		t.Error("an empty burst is due")
	}
}

func TestBurstWaitsAtMost(t *testing.T) {
	b := testBurst()
	b.touch("resting", ms(0))
	for at := 0; at < 2000; at += 50 {
		b.touch("busy", ms(at))
	}
	b.touch("young", ms(1990))
	fault.Same(t, "taken", taken(&b, ms(1999)), "[]")
	fault.Same(t, "taken", taken(&b, ms(2000)), "[busy resting]")
	fault.Same(t, "taken", taken(&b, ms(2090)), "[young]")
}

func TestBurstLimitsBusyFiles(t *testing.T) {
	b := testBurst()
	var at []int
	for now := 0; now < 60_000; now += 50 {
		b.touch("log", ms(now))
		if len(b.take(ms(now))) > 0 {
			at = append(at, now)
		}
	}
	fault.Same(t, "taken at", at, []int{2000, 4000, 8000, 16000, 32000})
	b.touch("other", ms(60_000))
	b.touch("log", ms(60_050))
	fault.Same(t, "taken", taken(&b, ms(60_100)), "[other]")
	fault.Same(t, "taken", taken(&b, ms(64_000)), "[log]")
	fault.Same(t, "taken", taken(&b, ms(500_000)), "[]")
	b.touch("log", ms(600_000))
	fault.Same(t, "taken", taken(&b, ms(600_100)), "[log]")
}

func TestBurstKeepsManyFilesTogether(t *testing.T) {
	b := testBurst()
	took := 0
	for i := range 5000 {
		b.touch(event.Path(fmt.Sprintf("f%d", i)), ms(i*2))
		took += len(b.take(ms(i * 2)))
	}
	fault.Same(t, "a formatter's run of 10 s was cut", took, 0)
	fault.Same(t, "taken", len(b.take(ms(4999*2+499))), 0)
	fault.Same(t, "taken", len(b.take(ms(4999*2+500))), 5000)
}

func TestWindow(t *testing.T) {
	var g gitWindow
	if g.covers(ms(0)) || g.close(ms(0)) {
		t.Error("an idle window covers or closes")
	}
	g.lock(ms(0))
	g.unlock(ms(50))
	if !g.covers(ms(150)) || g.covers(ms(151)) {
		t.Error("the window must cover 100 ms after the lock, and no more")
	}
	g.lock(ms(120)) // rebase takes it again
	if g.close(ms(160)) {
		t.Error("closed while locked")
	}
	g.unlock(ms(200))
	if g.close(ms(299)) || !g.close(ms(300)) || g.close(ms(300)) {
		t.Error("must close once, 100 ms after the last lock")
	}
	g.unlock(ms(400))
	if !g.idle() {
		t.Error("the end of a lock without its begin opens no window")
	}
	g.lock(ms(1000)) // left behind
	if at, ok := g.due(); !ok || !at.Equal(ms(1000).Add(reviewEvery)) {
		t.Errorf("review due %v", at)
	}
	if !g.close(ms(1000).Add(reviewEvery)) || !g.covers(ms(40_000)) {
		t.Error("a review leaves the window open")
	}
	if at, _ := g.due(); !at.Equal(ms(1000).Add(2 * reviewEvery)) {
		t.Errorf("second review due %v", at)
	}
}

// What is read from the disk may be older than the report of a lock.
func TestWindowWithoutItsEnd(t *testing.T) {
	var g gitWindow
	g.lock(ms(0))
	if g.missing(ms(999)); !g.open {
		t.Error("a fresh lock was given up")
	}
	if g.missing(ms(1000)); g.open || !g.covers(ms(1100)) {
		t.Error("an old lock that is not there was kept, or lost its grace")
	}
	g.lock(ms(1050))
	if g.missing(ms(1060)); !g.open {
		t.Error("the second lock of a rebase was given up")
	}
}

func TestTemporary(t *testing.T) {
	for _, name := range []string{".main.go.swp", ".main.go.swx", "4913", "main.go~", "a___jb_tmp___", "a___jb_old___",
		".#main.go", "#main.go#", "x.tmp", "sedAb12Zz", ".goutputstream-X1", "a.go.tmp.1234.1700000000"} {
		if !temporary.MatchString(name) {
			t.Errorf("%s is no temporary name", name)
		}
	}
	for _, name := range []string{"main.go", "sedan.txt", "sed", "#", "tmp", "tmp.go", "template.tmpl", "a.tmp.go",
		"49130"} {
		if temporary.MatchString(name) {
			t.Errorf("%s is a temporary name", name)
		}
	}
}
