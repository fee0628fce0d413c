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

// TestFullDisk: what does not fit into the log or the cache is refused whole, what was there stays,
// and both go on when the disk has space again.
func TestFullDisk(t *testing.T) {
	dir := fault.Disk(t, "4m")
	if dir == "" {
		return
	}
	d, _ := openTest(t, filepath.Join(dir, "aoa.db"))
	_, cache, _, _, _ := openBlobs(t, filepath.Join(dir, "cache.db"))
	noise := make([]byte, 300<<10)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	keep(t, cache, Blob{Key: "before", Data: noise})
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
	if _, err := cache.Put(t.Context(), Blob{Key: "a", Data: noise}, Blob{Key: "b", Data: noise}); !errors.Is(err, ErrFull) {
		t.Fatalf("the cache on a full disk: %v", err)
	}
	same(t, "cached", keysOf(t, cache, Selection{}), "before")
	fault.Check(t, cache.Use(t.Context(), "before", nil))
	if _, err := d.Prune(t.Context(), 0, math.MaxInt64, nothing); err != nil {
		t.Logf("prune on the full disk: %v", err)
	}
	fault.Check(t, syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	_, fresh := mustAppend(t, d, read("after", noon, "s", "x"))
	same(t, "appended after the disk had space again", len(fresh), 1)
	keep(t, cache, Blob{Key: "after", Data: noise})
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
