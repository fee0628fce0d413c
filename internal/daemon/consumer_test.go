package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/event"
)

// recorder is a consumer that keeps what it got.
type recorder struct {
	name  string
	apply func(events []event.Event) error // nil: keeps it

	mu      sync.Mutex
	applied int64
	got     map[int64][]event.Event
}

func newRecorder(name string) *recorder { return &recorder{name: name, got: map[int64][]event.Event{}} }

func (r *recorder) Name() string { return r.name }

func (r *recorder) Applied() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied
}

func (r *recorder) Apply(_ context.Context, seq int64, events []event.Event) error {
	if r.apply != nil {
		if err := r.apply(events); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq <= r.applied {
		return fmt.Errorf("batch %d after %d", seq, r.applied)
	}
	r.applied, r.got[seq] = seq, slices.Clone(events)
	return nil
}

func (r *recorder) Flush(context.Context) (int64, error) { return 0, nil } // nothing of it is on disk

func (r *recorder) Forget(context.Context, cold.ForgetFilter) error { return nil }

// work does a bit of everything that makes events: tool calls, a prompt, an import with a rename, feedback, a setting.
func work(d *fixture) {
	d.Helper()
	now := d.o.Now()
	for i := range 20 {
		call(d, api.Events, []event.Event{read(fmt.Sprint("r", i), "s", now, "a.go"),
			read(fmt.Sprint("q", i), "s", now, "b.go", "in/side/c.go"),
			{ID: fmt.Sprint("p", i), Kind: event.KindPrompt, Time: now, Agent: "test", Session: "s",
				Text: "fix the marmalade", Terms: []string{"marmalade"}},
			{ID: fmt.Sprint("e", i), Kind: event.KindEdit, Time: now, Agent: "test", Session: "s", Paths: []event.Path{"a.go"}, OK: true}})
	}
	call(d, api.Feedback, api.FeedbackRequest{Session: "s", Helpful: true})
	call(d, api.SetThreshold, api.ThresholdRequest{Value: .7})
	d.git(`git mv b.go d.go && git commit -qam two && echo e >e.go && git add . && git commit -qm three`)
	call(d, api.Import, api.ImportRequest{})
	d.until("the history is read", func() bool { return call(d, api.Import, api.ImportRequest{Look: true}).History.State == "done" })
	d.git(`git reset -q --hard HEAD~1`)
	call(d, api.Import, api.ImportRequest{})
	d.until("the history is read", func() bool { return call(d, api.Import, api.ImportRequest{Look: true}).History.State == "done" })
}

// TestReplayIsLive: a consumer gets after a restart, from the log, exactly what it got live, batch by batch.
func TestReplayIsLive(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "AOA_WATCH=off")
	live := newRecorder("recorder")
	d.o.Consumers = []daemon.Consumer{live}
	d.start()
	work(d)
	d.stop()
	replayed := newRecorder("recorder")
	d.o.Consumers = []daemon.Consumer{replayed}
	d.start()
	d.stop()
	kinds := map[event.Kind]bool{}
	for seq, want := range live.got {
		if diff := cmp.Diff(want, replayed.got[seq]); diff != "" {
			t.Errorf("batch %d (-live +replayed):\n%s", seq, diff)
		}
		for _, e := range want {
			kinds[e.Kind] = true
		}
	}
	for _, k := range []event.Kind{event.KindRead, event.KindPrompt, event.KindEdit, event.KindFeedback, event.KindSetting,
		event.KindCommit,
		event.KindUncommit, event.KindRename, event.KindTick} {
		if !kinds[k] {
			t.Errorf("no event of kind %s was seen", k)
		}
	}
}

// TestConsumerFails: a consumer that fails or panics gets nothing more and is named in the warnings. The others go on,
// and the next start gives it what it missed.
func TestConsumerFails(t *testing.T) {
	t.Parallel()
	for what, fail := range map[string]func() error{
		"error": func() error { return errors.New("the consumer is broken") },
		"panic": func() error { panic("the consumer is broken") },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := newFixture(t, "AOA_WATCH=off")
			good, bad := newRecorder("good"), newRecorder("bad")
			calls := 0
			bad.apply = func(events []event.Event) error {
				if calls++; slices.ContainsFunc(events, func(e event.Event) bool { return e.Session == "s" }) {
					return fail()
				}
				return nil
			}
			d.o.Consumers = []daemon.Consumer{bad, good}
			d.start()
			work(d)
			if a := call(d, api.Rank, event.Query{Task: event.TaskChange, Files: []event.Path{"a.go"}}); a.At == 0 {
				t.Error("no answer")
			}
			warnings := strings.Join(call(d, api.Status, api.None{}).Warnings, "\n")
			if !strings.Contains(warnings, "consumer=bad") || strings.Contains(warnings, "consumer=good") {
				t.Errorf("the warnings are %q", warnings)
			}
			d.stop()
			if bad.Applied() >= good.Applied() || len(good.got) < 10 {
				t.Fatalf("the broken consumer stands at %d, the other at %d", bad.Applied(), good.Applied())
			}
			bad.apply = nil
			again := newRecorder("good")
			d.o.Consumers = []daemon.Consumer{bad, again}
			d.start()
			d.stop()
			if len(bad.got) != len(again.got) || bad.Applied() != again.Applied() {
				t.Errorf("after a restart the repaired consumer has %d batches up to %d, the other %d up to %d",
					len(bad.got), bad.Applied(), len(again.got), again.Applied())
			}
		})
	}
}
