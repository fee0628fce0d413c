package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestAnotherVersion: a store that another aOa made, an older or a newer one, is moved aside with
// one line for each of its files, and made again from git and from the past sessions that were
// imported into it, but for what was forgotten.
func TestAnotherVersion(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	w := d.listen()
	d.start()
	d.fill()
	past := filepath.Join(t.TempDir(), "past")
	d.transcript(past, "kept", 3)
	d.transcript(past, "forgotten", 2)
	imported := func() int {
		return len(call(d, api.Log, api.LogRequest{Session: "kept"}).Events) +
			len(call(d, api.Log, api.LogRequest{Session: "forgotten"}).Events)
	}
	call(d, api.Import, api.ImportRequest{Transcripts: past})
	d.until("past sessions are imported", func() bool { return imported() == 5 })
	call(d, api.Forget, api.ForgetRequest{Session: "forgotten"})
	d.stop() // it opens its stores again meanwhile
	d.start()
	if n := imported(); n != 3 {
		t.Fatalf("%d events are left of past sessions", n)
	}
	for _, version := range []int{0, 99} {
		d.stop()
		files, err := filepath.Glob(filepath.Join(d.o.Place.Store, "*.db"))
		fault.Check(t, err)
		for _, f := range files {
			d.alter(filepath.Base(f), fmt.Sprint("PRAGMA user_version = ", version))
		}
		w.take()
		d.start()
		d.until("the history is read", func() bool { return call(d, api.Status, api.None{}).Commits == 1 })
		d.until("past sessions are imported again", func() bool { return imported() == 3 })
		d.fill() // uses every file
		warnings := w.take()
		for _, f := range files {
			of := slices.DeleteFunc(slices.Clone(warnings), func(s string) bool { return !strings.Contains(s, "file="+f+" ") })
			if len(of) != 1 || !strings.Contains(of[0], "another version") {
				t.Errorf("%d lines about %s:\n%s", len(of), filepath.Base(f), strings.Join(of, "\n"))
			}
		}
		if len(warnings) != len(files) {
			t.Errorf("%d lines about %d files:\n%s", len(warnings), len(files), strings.Join(warnings, "\n"))
		}
		aside, _ := filepath.Glob(filepath.Join(d.o.Place.Store, "*.version-*"))
		if len(aside) < len(files) {
			t.Errorf("moved aside: %v", aside)
		}
	}
}

// transcript writes a past session with so many prompts.
func (d *fixture) transcript(dir, session string, prompts int) {
	d.Helper()
	var lines strings.Builder
	for i := range prompts {
		fmt.Fprintf(&lines, `{"type":"user","sessionId":%q,"cwd":%q,"timestamp":"2026-01-31T15:04:0%dZ","uuid":"%s%d","promptId":"%s%d",`+
			`"message":{"role":"user","content":"please look at a.go"}}`+"\n", session, string(d.o.Repo.Root), i, session, i, session, i)
	}
	fault.Check(d, os.MkdirAll(dir, 0o700))
	fault.Check(d, os.WriteFile(filepath.Join(dir, session+".jsonl"), []byte(lines.String()), 0o600))
}
