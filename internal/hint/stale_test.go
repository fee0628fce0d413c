package hint

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/watcher"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestStale: a file is stale when it has other bytes than the session last read or left in it, and
// no call of the session wrote them. All files are written ten minutes after the session opened
// them.
func TestStale(t *testing.T) {
	root, at := t.TempDir(), epoch.Add(time.Hour)
	w := checkout.New(&watcher.Repo{Root: event.Root(root)})
	l := session.New()
	h := New(Options{Sessions: l})
	write := func(name, text string, after time.Duration) {
		fault.Check(t, os.WriteFile(w.Repo.Root.Abs(event.Path(name)), []byte(text), 0o600))
		fault.Check(t, os.Chtimes(w.Repo.Root.Abs(event.Path(name)), epoch.Add(after), epoch.Add(after)))
	}
	clock := epoch
	open := func(kind event.Kind, name, blob string) {
		e := event.Event{ID: name, Time: clock, Session: "s", Body: eventtest.Body(kind, event.Path(name))}
		eventtest.Set(&e, "Blob", blob)
		l.Apply(e)
	}
	open(event.KindRead, "changed.go", index.BlobID([]byte("old")))
	open(event.KindRead, "touched.go", index.BlobID([]byte("new")))
	open(event.KindEdit, "edited.go", index.BlobID([]byte("new")))
	open(event.KindEdit, "formatted.go", index.BlobID([]byte("old")))
	open(event.KindRead, "unknown.go", "")
	open(event.KindRead, "gone.go", "")
	open(event.KindRead, "refused.go", "")
	open(event.KindRead, "begun.go", index.BlobID([]byte("old")))
	open(event.KindWrite, "just.go", "")
	open(event.KindRead, "future.go", "")
	for _, name := range []string{"changed.go", "touched.go", "edited.go", "formatted.go", "unknown.go", "refused.go",
		"begun.go"} {
		write(name, "new", 10*time.Minute)
	}
	write("just.go", "new", time.Second)
	write("future.go", "new", 2*time.Hour)
	w.Identify(hooks.Call{Session: "s", Next: "begun.go"}, at.Add(-time.Minute))
	refused := event.Event{Body: eventtest.Body(event.KindFailed, "refused.go")}
	eventtest.Set(&refused, "Failure", event.FailUnread)
	q := event.Query{Session: "s", At: at}
	var got []string
	for _, s := range h.stale(w, q, []event.Event{refused}) {
		got = append(got, string(s.File)+": "+s.Reasons[0].Text)
	}
	said := ": changed 50 min ago, last read 1 h ago"
	fault.Same(t, "stale", got, []string{"unknown.go" + said, "formatted.go" + said, "changed.go" + said})
	q.Subagent = "sub"
	fault.Same(t, "of a subagent", len(h.stale(w, q, nil)), 0)

	// Only the files that were opened last are looked at.
	for i := range 2 * maxStale {
		open(event.KindRead, fmt.Sprint("f", i), "")
		write(fmt.Sprint("f", i), "new", 10*time.Minute)
	}
	q.Subagent = ""
	fault.Same(t, "of many files", len(h.stale(w, q, nil)), maxStale)
}
