package log

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// killed is the store as a kill at this moment leaves it.
func (k *kept) killed() (dir string) {
	k.Helper()
	dir = k.TempDir()
	fault.Check(k, os.CopyFS(dir, os.DirFS(k.dir)))
	return dir
}

// holds reports whether a file of the store has these bytes.
func (k *kept) holds(what string) (found bool) {
	k.Helper()
	files, err := filepath.Glob(filepath.Join(k.dir, "*.db*"))
	fault.Check(k, err)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		fault.Check(k, err)
		found = found || bytes.Contains(raw, []byte(what))
	}
	return found
}

// TestForgetKilledTwice: a kill while something is forgotten, and another one during the start
// after it, leave all of it, so that it can be forgotten again, or nothing: no event, no state, no
// snapshot, no copy and no byte.
func TestForgetKilledTwice(t *testing.T) {
	const secret = "secretplan.go"
	f := cold.ForgetFilter{Path: secret}
	k := newKept(t)
	l := k.begin()
	var images []string // as the first kill leaves the store, one for each step of forgetting
	kill := func() { images = append(images, k.killed()) }
	forgetting := false // belongs to Run
	l.o.Elsewhere = func(context.Context, cold.ForgetFilter) error { forgetting = true; kill(); return nil }
	l.o.Count = counted(func() {
		if forgetting {
			kill()
		}
	})
	end := k.running(l)
	for _, e := range []event.Event{deleted("a"), {ID: "b", Time: eventtest.Start, Session: "gone", Agent: "test",
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{secret}}}, deleted("c")} {
		_, err := l.Append(t.Context(), []event.Event{e})
		fault.Check(t, err)
	}
	fault.Check(t, l.Save(t.Context()))
	_, err := k.db.Copy(t.Context())
	fault.Check(t, err)
	_, err = l.forget(t.Context(), func(ctx context.Context) (cold.Forgotten, error) {
		fault.Check(t, l.o.Elsewhere(ctx, f))
		gone, err := k.db.Forget(ctx, f)
		kill()
		return gone, err
	})
	fault.Check(t, err)
	end()
	fault.Same(t, "kills", len(images), 2+2) // before it is deleted, after, and at each batch that is learned again
	for i, dir := range images {
		first := keptIn(t, dir)
		var second string
		o := first.options()
		o.Count = counted(func() { second = first.killed() })
		starting := newLog(newStates(o), o)
		fault.Check(t, starting.load(t.Context()))
		_, err := starting.Replay(t.Context())
		fault.Check(t, err)
		if second == "" { // nothing is to be read again
			second = first.killed()
		}
		again := keptIn(t, second)
		l := again.begin()
		end := again.running(l)
		if i == 0 {
			gone, err := l.Forget(t.Context(), f)
			fault.Check(t, err)
			fault.Same(t, "events that were still there", len(gone.Events), 1)
		}
		fault.Check(t, l.Scrub(t.Context()))
		fault.Check(t, l.Save(t.Context()))
		left, err := again.db.Log(t.Context(), cold.LogFilter{})
		fault.Check(t, err)
		fault.Same(t, "events", len(left), 2)
		if known := l.Sessions.Get("gone", eventtest.Start).Exists(); known || again.holds(secret) {
			t.Errorf("kill %d: its session is known: %v; bytes are left: %v", i, known, again.holds(secret))
		}
		end()
	}
}
