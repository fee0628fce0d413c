package main

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestStoreReplaced: the store is deleted under a running daemon and made again at once. The new
// daemon answers, the old one ends and puts nothing into the new store.
func TestStoreReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted here")
	}
	d := initialized(t, 16)
	d.must("daemon", "stop")
	book := fault.Open(t, "store deleted and made again")
	for range fault.Size(1, fault.Rounds()) {
		old := d.daemon()
		d.read()
		if _, err := d.send(api.Hook{Agent: "claude", Dir: d.dir,
			Payload: d.hook("PostToolUse", "old", "t1", "Read", "README.md")}); err != nil {
			t.Fatal(err)
		}
		// the daemon may be writing into it
		d.until("the store is deleted", func() bool { return os.RemoveAll(d.place().Store) == nil })
		d.must("init")
		d.ends(old)
		if out := d.must("suggest", "server/wire.go"); !strings.Contains(out, "docs/protocol.md") {
			t.Errorf("after the old daemon ended: %s", out)
		}
		if pid := d.status().Pid; pid == old.Process.Pid {
			t.Errorf("daemon %d serves a store that it did not make", pid)
		}
		if out := d.must("session", "list", "--json"); strings.Contains(out, "old") {
			t.Errorf("the new store holds a session of the old one: %s", out)
		}
		if got := d.log("--kind", "read"); len(got) != 0 {
			t.Errorf("the new store holds %d events of the old one", len(got))
		}
		d.must("daemon", "stop")
		book.Add(verdict(t), 1)
	}
}
