package api

import (
	"os"
	"runtime"
	"testing"

	"github.com/gofrs/flock"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLockOfDeletedStore: a lock counts only as long as its file has its name. Who opened it before
// the store was deleted would write to the databases of the next store beside the daemon of that
// store.
func TestLockOfDeletedStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted here")
	}
	l := flock.New(t.TempDir() + "/lock")
	won, err := l.TryLock()
	if fault.Check(t, err); !won || !stands(l) {
		t.Fatalf("a lock that is free: %t, named %t", won, stands(l))
	}
	fault.Check(t, os.Remove(l.Path()))
	if stands(l) {
		t.Error("the lock of a deleted store counts")
	}
	fault.Check(t, os.WriteFile(l.Path(), nil, 0o600))
	if stands(l) {
		t.Error("it counts for the store that was made in its place")
	}
	fault.Check(t, l.Unlock())
}
