package hint

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
	"github.com/aoa-dev/aoa/watcher"
)

// folding is a log whose events are folded at once.
type folding struct{ *session.Sessions }

func (t folding) Add(events ...event.Event) {
	for _, e := range events {
		t.Apply(e)
	}
}

func (folding) SyncBriefly(context.Context) {}

// newLog opens a log, at the epoch.
func newLog(t *testing.T) *cold.DB {
	t.Helper()
	now := func() time.Time { return epoch }
	db := fault.Must(cold.Open(t.Context(), filepath.Join(t.TempDir(), "aoa.db"), cold.Options{Now: now}))
	t.Cleanup(func() { fault.Check(t, db.Close()) })
	return db
}

// TestLateIsAskedAgain: what was found and could not be said in time is said with the next call,
// once.
func TestLateIsAskedAgain(t *testing.T) {
	r := repotest.New(t)
	r.Write("api/wire.go", "package api\n")
	root, env := r.Dir, r.Env
	repo := fault.Must(watcher.OpenRepo(t.Context(), root, env))
	cfg, _, err := config.Load(env, "")
	fault.Check(t, err)
	now := func() time.Time { return epoch }
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	db := newLog(t)
	w, sessions := checkout.New(repo), session.New()
	w.ReadFirst(t.Context(), log)
	w.Prefetch = prefetch.New(prefetch.NewState(), sessions, nil, prefetch.Options{Settings: func() prefetch.Settings {
		return prefetch.Settings{Threshold: prefetch.Balanced, List: prefetch.ListThreshold, Tokens: 2000}
	}})
	h := New(Options{Settings: config.Open(env, "", "", now, cfg), Now: now, Log: log, Factor: 1, Events: folding{sessions},
		DB: db, Sessions: sessions, Count: uncounted{}})
	at := event.Event{Time: epoch, Agent: "claude", Session: "s"}
	failed, read := at, at
	failed.ID, failed.Body = "failed", event.Call{Act: event.ActRead, Failure: event.FailMissing,
		Paths: []event.Path{"store/wire.go"}}
	read.ID, read.Body = "read", event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for i, step := range []struct {
		ctx   context.Context
		event event.Event
		says  bool
	}{{late, failed, false}, {late, read, false}, {t.Context(), read, true}, {t.Context(), read, false}} {
		sessions.Apply(step.event)
		got := string(h.Answer(step.ctx, w, hooks.Call{Agent: "claude", Event: "PostToolUse", Session: "s",
			Events: []event.Event{step.event}}))
		if strings.Contains(got, "api/wire.go") != step.says {
			t.Errorf("call %d says %q", i, got)
		}
	}
}

// TestEarly: that nothing is found in a change is no answer while earlier commits are being read; a
// finding is one.
func TestEarly(t *testing.T) {
	found := []change.Lack{{}}
	for _, c := range []struct {
		ans  change.Answer
		want bool
	}{{change.Answer{}, false}, {change.Answer{Reading: true}, true}, {change.Answer{Reading: true, Missing: found}, false}} {
		fault.Same(t, fmt.Sprintf("%+v", c.ans), early(c.ans), c.want)
	}
}

// TestLateEvents: each kind of hint is asked again about the events that it is about, once, and
// about no others; about a prompt and a start, too, at which the agent takes text.
func TestLateEvents(t *testing.T) {
	sessions := session.New()
	var all []event.Event
	for id, b := range map[string]event.Body{"failed": event.Call{Act: event.ActRead, Failure: event.FailMissing},
		"search": event.Call{Act: event.ActSearch}, "look": event.Call{Act: event.ActRun, Looks: true},
		"prompt": event.Prompt{}, "start": event.Start{}, "read": event.Call{Act: event.ActRead}} {
		all = append(all, event.Event{ID: id, Time: epoch, Agent: "claude", Session: "s", Body: b})
	}
	folding{sessions}.Add(all...)
	for kind, want := range map[prefetch.HintKind]string{prefetch.Rescue: "failed", prefetch.Search: "search",
		prefetch.Partner: "look", prefetch.Stale: "", prefetch.Next: "", prefetch.Prompt: "prompt",
		prefetch.Reload: "prompt", prefetch.Start: "start"} {
		var a answered
		take := func() string {
			var ids []string
			for _, e := range a.take(sessions.Get("s", epoch), hooks.Call{Agent: "claude", Session: "s"}, epoch) {
				ids = append(ids, e.ID)
			}
			slices.Sort(ids)
			return strings.Join(ids, " ")
		}
		fault.Same(t, "asked at first about", take(), "failed look search")
		a.again(question{Question: prefetch.Question{Kind: kind, Query: event.Query{Session: "s"}}, late: all})
		fault.Same(t, string(kind)+" is asked again about", take(), want)
		fault.Same(t, string(kind)+" is asked a third time about", take(), "")
	}
}

// TestTextsOfRecentEvents: an event of the call itself keeps its text although the session, which
// has none, knows the event already; a search of an earlier call gets it from the log.
func TestTextsOfRecentEvents(t *testing.T) {
	sessions := session.New()
	db := newLog(t)
	search := func(id, text string) event.Event {
		return event.Event{ID: id, Time: epoch, Agent: "claude", Session: "s", Body: event.Call{Act: event.ActSearch, Text: text}}
	}
	before, now := search("1", "frameLimit"), search("2", "frame_limit")
	_, _, err := db.Append(t.Context(), []event.Event{before, now})
	fault.Check(t, err)
	folding{sessions}.Add(before.WithoutText(), now.WithoutText())
	h := New(Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	recent := h.texts(t.Context(), h.answered.take(sessions.Get("s", epoch), hooks.Call{Agent: "claude", Session: "s",
		Events: []event.Event{now}}, epoch))
	fault.Same(t, "searched for", searchedFor(recent), "frameLimit\nframe_limit")
}

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
	got := findWork([]event.Event{e(5, event.KindSearch, "s.go"), e(4, event.KindRead, "late.go", "gone.go"),
		e(3, event.KindWrite, "w.go"), e(2, event.KindEdit, "e.go"), e(1, event.KindRead, "r.go", "e.go")},
		func(p event.Path) bool { return p != "gone.go" }, epoch.Add(time.Hour))
	var files []event.Path
	for _, s := range got {
		files = append(files, s.File)
	}
	fault.Same(t, "working set", files, []event.Path{"w.go", "e.go", "late.go", "r.go"})
}
