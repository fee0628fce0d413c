package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBrokenHead: without a HEAD that can be read there is no new history, but what was learned still answers.
func TestBrokenHead(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	head := filepath.Join(d.dir, ".git", "HEAD")
	whole, err := os.ReadFile(head)
	fault.Check(t, err)
	for _, text := range []string{"ref: refs/heads/none/such\n", "nonsense\n"} {
		fault.Check(t, os.WriteFile(head, []byte(text), 0o644))
		t.Logf("HEAD %q: %s", text, d.do("status").err)
		for range 2 { // with the daemon that saw it happen, and with a new one
			s := d.do("suggest", "server/wire.go")
			if s.code != 0 || !strings.Contains(s.out, "docs/protocol.md") {
				t.Errorf("HEAD %q: exit %d\n%s%s", text, s.code, s.out, s.err)
			}
			d.must("daemon", "stop")
		}
	}
	fault.Check(t, os.WriteFile(head, whole, 0o644))
	d.must("init")
	if st := d.status(); st.Commits != 16 || st.Import.State != "done" {
		t.Errorf("mended: %d commits, %+v", st.Commits, st.Import)
	}
}
