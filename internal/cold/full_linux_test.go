package cold

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestFullDisk(t *testing.T) {
	dir := fault.Disk(t, "4m")
	if dir == "" {
		return
	}
	d, _ := openTest(t, filepath.Join(dir, "aoa.db"))
	var want []replayed
	var err error
	for i := 0; err == nil && i < 10000; i++ {
		var batch []event.Event
		for j := range 50 {
			e := read(fmt.Sprint("r", i, "-", j), noon, "s", event.Path(fmt.Sprint("file", j)))
			eventtest.Set(&e, "Text", strings.Repeat("words ", 100))
			batch = append(batch, e)
		}
		var seq int64
		var fresh []event.Event
		if seq, fresh, err = d.Append(t.Context(), batch); err == nil {
			want = append(want, replayed{seq, fresh})
		}
	}
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "free some space") {
		t.Fatalf("a full disk: %v", err)
	}
	if len(want) < 5 {
		t.Fatalf("only %d batches fitted", len(want))
	}
	same(t, "nothing is half-written", replayAll(t, d, 0), want)
	if _, err := d.Prune(t.Context(), 0, math.MaxInt64, nothing); err != nil {
		t.Logf("prune on the full disk: %v", err)
	}
	// On a second, roomier start the same file goes on.
	fault.Check(t, syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	_, fresh := mustAppend(t, d, read("after", noon, "s", "x"))
	same(t, "appended after the disk had space again", len(fresh), 1)
}

func TestReadOnlyDisk(t *testing.T) {
	dir := fault.Disk(t, "4m")
	if dir == "" {
		return
	}
	path := filepath.Join(dir, "aoa.db")
	d, _ := openTest(t, path)
	mustAppend(t, d, read("a", noon, "s", "x"))
	fault.Check(t, d.Close())
	fault.Check(t, syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	_, err := Open(t.Context(), path, Options{Now: fixed})
	if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "permissions") {
		t.Fatalf("a read-only disk: %v", err)
	}
	_, err = Open(t.Context(), filepath.Join(dir, "new", "aoa.db"), Options{Now: fixed})
	if !errors.Is(err, ErrReadOnly) {
		t.Fatalf("a read-only disk: %v", err)
	}
}

// TestBlobsOnFullDisk: what does not fit is refused whole, and what was there stays.
func TestBlobsOnFullDisk(t *testing.T) {
	dir := fault.Disk(t, "4m")
	if dir == "" {
		return
	}
	_, quota, _, _, _ := openBlobs(t, filepath.Join(dir, "cache.db"))
	noise := make([]byte, 300<<10)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	kept := 0
	var err error
	for ; err == nil && kept < 100; kept++ {
		_, err = keepAll(t, quota, Blob{Key: fmt.Sprint(kept), Data: noise}, Blob{Key: fmt.Sprint(kept, "b"), Data: noise})
	}
	if !errors.Is(err, ErrFull) || kept < 3 {
		t.Fatalf("after %d: %v", kept, err)
	}
	same(t, "kept", len(strings.Fields(keysOf(t, quota, Selection{}))), 2*(kept-1))
	fault.Check(t, quota.Use(t.Context(), "0"))
	fault.Check(t, syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	keep(t, quota, Blob{Key: "after", Data: noise})
}
