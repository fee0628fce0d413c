package hint

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
	"github.com/aoa-dev/aoa/watcher"
)

// told is a log whose events are folded at once.
type told struct{ *session.Sessions }

func (t told) Add(events ...event.Event) {
	for _, e := range events {
		t.Apply(e)
	}
}

func (told) SyncBriefly(context.Context) {}

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
	w.Prefetch = prefetch.New(prefetch.NewState(), sessions, nil, prefetch.Options{Holdout: func() float64 { return 0 }})
	h := New(Options{Settings: config.Open(env, "", "", now, cfg), Now: now, Log: log, Factor: 1, Events: told{sessions},
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
	told{sessions}.Add(all...)
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
	told{sessions}.Add(before.WithoutText(), now.WithoutText())
	h := New(Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	recent := h.texts(t.Context(), h.answered.take(sessions.Get("s", epoch), hooks.Call{Agent: "claude", Session: "s",
		Events: []event.Event{now}}, epoch))
	fault.Same(t, "searched for", searchedFor(recent), "frameLimit\nframe_limit")
}
