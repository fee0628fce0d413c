package daemon

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/prefetch"
)

// TestPace: quantiles lie within a tenth of the true ones, what is newer weighs more, and a restart keeps both.
func TestPace(t *testing.T) {
	near := func(what string, got, want time.Duration) {
		t.Helper()
		if math.Abs(float64(got-want)) > .1*float64(want) {
			t.Errorf("%s is %s, want about %s", what, got, want)
		}
	}
	var p hookTimes
	for i := range 1000 { // 1 … 1000 tenths of a millisecond
		p.took([]prefetch.Kind{prefetch.Rescue, prefetch.Next}, time.Duration(i+1)*100*time.Microsecond)
	}
	n, p50, p99 := p.of(prefetch.Next)
	if n != 1000 {
		t.Errorf("%d hooks, want 1000", n)
	}
	near("p50", p50, 50*time.Millisecond)
	near("p99", p99, 99*time.Millisecond)

	file := hookTimeFile(t.TempDir())
	if err := p.save(file); err != nil {
		t.Fatal(err)
	}
	var again hookTimes
	again.load(file)
	if n2, a, b := again.of(prefetch.Rescue); n2 != n || a != p50 || b != p99 {
		t.Errorf("after a restart: %d hooks, %s, %s", n2, a, b)
	}
	for range 3 * maxCounted {
		again.took([]prefetch.Kind{prefetch.Rescue}, time.Millisecond)
	}
	n, p50, p99 = again.of(prefetch.Rescue)
	if n > maxCounted {
		t.Errorf("%d hooks are counted, at most %d should be", n, maxCounted)
	}
	near("p50 of what is newer", p50, time.Millisecond)
	near("p99 of what is newer", p99, time.Millisecond)

	for _, d := range []time.Duration{-time.Second, 0, time.Hour} {
		again.took([]prefetch.Kind{prefetch.Pair}, d)
	}
	if n, _, p99 := again.of(prefetch.Pair); n != 3 || p99 > 2*time.Second || p99 < time.Second/2 {
		t.Errorf("durations beyond the widths: %d, p99 %s", n, p99)
	}
}

// TestPaceOnFullDisk: what cannot be written leaves the old file as it is, and is written when it can be.
func TestPaceOnFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	file := hookTimeFile(t.TempDir())
	var p hookTimes
	p.took([]prefetch.Kind{prefetch.Next}, time.Millisecond)
	if err := p.save(file); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(file)
	if err != nil || len(old) == 0 {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", file+".new"); err != nil { // where it is written first
		t.Fatal(err)
	}
	p.took([]prefetch.Kind{prefetch.Next}, time.Second)
	if err := p.save(file); err == nil {
		t.Fatal("a full disk took it")
	}
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		t.Fatalf("the file is now %v, %v", info.Mode(), err)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(old) {
		t.Errorf("the file holds %d bytes, it had %d: %v", len(now), len(old), err)
	}
	if err := p.save(file); err != nil {
		t.Fatal(err)
	}
	var again hookTimes
	again.load(file)
	if n, _, _ := again.of(prefetch.Next); n != 2 {
		t.Errorf("%d hooks are kept, want 2", n)
	}
}

// TestPaceFile: what stands in the file need not be ours.
func TestPaceFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pace.json")
	for _, text := range []string{"", "{", `[]`, `{"next":null}`, `{"next":{"widths":[-1]}}`,
		`{"next":{"widths":[99999999999]}}`, `{"gossip":{"widths":[1]}}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var p hookTimes
		p.load(file)
		if n, _, _ := p.of(prefetch.Next); n != 0 {
			t.Errorf("%q: %d hooks", text, n)
		}
		p.took([]prefetch.Kind{prefetch.Next}, time.Millisecond)
		if n, p50, _ := p.of(prefetch.Next); n != 1 || p50 == 0 {
			t.Errorf("%q: %d hooks, %s", text, n, p50)
		}
	}
}
