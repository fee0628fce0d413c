package hint

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
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

// TestUnreadFiles: while the files are read after a start, no kind is ranked: what is known without
// their contents is another answer.
func TestUnreadFiles(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	h := New(Options{Count: uncounted{}})
	w := &checkout.Checkout{Reader: index.NewReader(event.Root(t.TempDir()))} // without a ranker: ranking would panic
	for _, kind := range []prefetch.HintKind{prefetch.Prompt, prefetch.Partner, prefetch.Next} {
		if s := h.ask(ctx, w, question{Question: prefetch.Question{Kind: kind}}, 1000); s.text != "" {
			t.Errorf("%s says %q", kind, s.text)
		}
	}
}

type uncounted struct{}

func (uncounted) Decision(string, string) {}

func TestFindWork(t *testing.T) {
	e := func(min int, kind event.Kind, files ...event.Path) event.Event {
		return event.Event{Time: epoch.Add(time.Duration(min) * time.Minute), Body: eventtest.Body(kind, files...)}
	}
	got := findWork([]event.Event{e(1, event.KindRead, "r.go", "e.go"), e(2, event.KindEdit, "e.go"),
		e(3, event.KindWrite, "w.go"), e(4, event.KindRead, "late.go", "gone.go"), e(5, event.KindSearch, "s.go")},
		func(p event.Path) bool { return p != "gone.go" }, epoch.Add(time.Hour))
	var files []event.Path
	for _, s := range got {
		files = append(files, s.File)
	}
	fault.Same(t, "working set", files, []event.Path{"w.go", "e.go", "late.go", "r.go"})
}
