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

// TestGitWork: what changes while git is at work waits, and who may have written it depends on when.
func TestGitWork(t *testing.T) {
	var g gitWork
	if g.look(false, ms(0), ms(0)) || g.writer(ms(0)) != people {
		t.Error("git is at work without a sign")
	}
	g.at = ms(100) // the lock was reported
	if !g.look(true, ms(90), ms(150)) || !g.until.Equal(ms(250)) {
		t.Errorf("nothing waits for the lock, or until %v", g.until)
	}
	if !g.look(false, ms(90), ms(249)) || g.look(false, ms(90), ms(250)) {
		t.Error("what changed must wait until 100 ms after the lock, and no longer") // a rebase takes it again
	}
	for at, want := range map[int]writer{90: maybeGit, 250: maybeGit, 251: either, 2150: either, 2151: people} {
		if got := g.writer(ms(at)); got != want {
			t.Errorf("what changed after %d ms: %d, want %d", at, got, want)
		}
	}
	for _, c := range []struct {
		last, at int
		wait     bool
	}{{39_000, 10_000, true}, {39_000, 39_999, true}, {39_000, 40_000, true}, {39_000, 41_000, false},
		{69_999, 69_999, true}, {70_000, 70_000, false}} { // a lock that was left behind, and a log that goes on
		g := gitWork{locked: ms(10_000)}
		if got := g.look(true, ms(c.last), ms(c.at)); got != c.wait {
			t.Errorf("after %d ms in a lock that does not end: waits %v", c.at, got)
		}
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
