package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/event/eventtest"
)

// snapshotFixture is a store that consumes a log, as in the daemon.
type snapshotFixture struct {
	*Store
	t   testing.TB
	db  *cold.DB
	dir string
	n   int
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func newSnapshotFixture(t testing.TB) *snapshotFixture {
	t.Helper()
	h := &snapshotFixture{t: t, dir: t.TempDir()}
	seal, err := cold.OpenSeal(cold.SealOptions{Identity: filepath.Join(h.dir, "identity"),
		Keys: filepath.Join(h.dir, "keys")})
	must(t, err)
	h.db, err = cold.Open(t.Context(), filepath.Join(h.dir, "aoa.db"), cold.Options{Now: time.Now, Seal: seal})
	must(t, err)
	h.begin()
	return h
}

// begin opens a store on what is there, as a new daemon does.
func (h *snapshotFixture) begin() {
	blobs := cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(h.dir, "cache.db"), Now: time.Now})
	h.Store = New(Options{Blobs: blobs, DB: h.db, Now: time.Now})
	st, err := h.db.Status(h.t.Context())
	must(h.t, err)
	must(h.t, h.Open(h.t.Context(), "log", st.Seq, 0))
	must(h.t, h.db.Replay(h.t.Context(), h.Applied(), func(seq int64, events []event.Event) error {
		return h.Apply(h.t.Context(), seq, events)
	}))
}

func flush(t testing.TB, h *snapshotFixture) {
	t.Helper()
	_, err := h.Flush(t.Context())
	must(t, err)
}

func (h *snapshotFixture) close() { must(h.t, errors.Join(h.o.Blobs.Close(), h.db.Close())) }

// did logs an event of a session and folds it.
func (h *snapshotFixture) did(session string, kind event.Kind, text string, paths ...event.Path) {
	h.t.Helper()
	h.n++
	e := event.Event{ID: fmt.Sprint("e", h.n), Time: time.Now(), Agent: "claude", Session: session,
		Body: eventtest.Fill(kind, eventtest.Fields{"Paths": paths, "To": paths, "Tool": string(kind), "Text": text,
			"Source": text, "Reason": text})}
	seq, fresh, err := h.db.Append(h.t.Context(), []event.Event{e})
	must(h.t, err)
	must(h.t, h.Apply(h.t.Context(), seq, fresh))
}

// running runs fn in a bubble with its own time.
func running(t *testing.T, fn func(t *testing.T, h *snapshotFixture)) {
	synctest.Test(t, func(t *testing.T) {
		h := newSnapshotFixture(t)
		defer h.close() // a failure must not leave the bubble's goroutines
		fn(t, h)
	})
}

func wait(d time.Duration) { <-time.After(d) } // in a synctest bubble

func TestSnapshotSuffices(t *testing.T) {
	running(t, func(t *testing.T, h *snapshotFixture) {
		h.did("s", event.KindStart, "startup")
		h.did("s", event.KindPrompt, "turn the marmalade green")
		for i := range 20 {
			wait(time.Second)
			h.did("s", event.KindRead, "", event.Path(fmt.Sprint("f", i, ".go")))
		}
		h.did("s", event.KindEdit, "", "f3.go")
		h.did("s", event.KindRun, "go test -run Marmalade")
		must(t, h.Spend(t.Context(), "s", 1200, "one"))
		must(t, h.Spend(t.Context(), "s", 34, "two"))
		h.did("s", event.KindEnd, "other")
		got, err := h.Get(t.Context(), "s")
		must(t, err)
		same(t, "counts", []any{got.State, got.Commands, got.Turns, got.Tokens, got.Resumed, got.Agent},
			[]any{Paused, 23, 1, int64(1234), 0, "claude"})
		same(t, "files", got.Files, []event.Path{"f3.go", "f19.go", "f18.go", "f17.go", "f16.go", "f15.go", "f14.go",
			"f13.go"})
		same(t, "edited", got.Edited, []event.Path{"f3.go"})
		same(t, "recent", []any{len(got.Recent), got.Recent[2].Kind, got.Recent[1].Files},
			[]any{3, event.KindRun, []event.Path{"f3.go"}})
		flush(t, h)
		v, _, err := h.snapshots.Get(t.Context(), "s")
		must(t, err)
		if s := strings.ToLower(string(v.Meta)); !strings.Contains(s, "f19.go") || strings.Contains(s, "marmalade") {
			t.Fatal("the snapshot tells words, or is not there")
		}
		h.did("s", event.KindStart, "resume")
		got, err = h.Get(t.Context(), "s")
		must(t, err)
		same(t, "resumed", []any{got.State, got.Resumed}, []any{Active, 1})
	})
}

// TestKilled: what a kill lost is read again from the log, once, and what the log does not have is written at once.
func TestKilled(t *testing.T) {
	running(t, func(t *testing.T, h *snapshotFixture) {
		expect := func(what string, commands int, tokens int64) {
			t.Helper()
			got, err := h.Get(t.Context(), "s")
			must(t, err)
			same(t, what, []any{got.Commands, got.Tokens}, []any{commands, tokens})
		}
		restart := func() {
			must(t, h.o.Blobs.Close())
			h.begin() // another process
		}
		h.did("s", event.KindPrompt, "begin")
		must(t, h.Spend(t.Context(), "s", 50, "one"))
		for range 10 {
			wait(100 * time.Millisecond)
			h.did("s", event.KindRead, "", "a.go")
		}
		restart()
		expect("after a kill", 11, 50)
		must(t, h.Spend(t.Context(), "s", 50, "one"))
		h.did("s", event.KindEdit, "", "b.go")
		flush(t, h)
		restart()
		h.did("s", event.KindRead, "", "a.go")
		expect("after a restart", 13, 50)
	})
}

func TestStates(t *testing.T) {
	running(t, func(t *testing.T, h *snapshotFixture) {
		set := func(id string, to State) error {
			_, err := h.Set(t.Context(), id, to, "")
			return err
		}
		if err := set("nobody", Paused); !errors.Is(err, ErrUnknown) {
			t.Fatalf("paused: %v", err)
		}
		if _, err := h.Get(t.Context(), "nobody"); !errors.Is(err, ErrUnknown) {
			t.Fatalf("got: %v", err)
		}
		must(t, set("mine", Active)) // begun by a person
		must(t, set("mine", Paused))
		if err := set("mine", Paused); !errors.Is(err, ErrState) || !strings.Contains(err.Error(), "mine is paused") {
			t.Fatalf("paused twice: %v", err)
		}
		must(t, set("mine", Completed))
		if err := set("mine", Failed); !errors.Is(err, ErrState) {
			t.Fatalf("failed after it was completed: %v", err)
		}
		must(t, set("mine", Archived))
		must(t, set("mine", Active))
		wait(time.Second)
		h.did("other", event.KindPrompt, "begin")
		list := func(q Filter) string {
			t.Helper()
			all, err := h.List(t.Context(), q)
			must(t, err)
			out := ""
			for _, s := range all {
				out += s.ID + " "
			}
			return out
		}
		same(t, "list", list(Filter{}), "other mine ")
		must(t, set("other", Completed))
		same(t, "active", list(Filter{State: Active}), "mine ")
		must(t, set("other", Archived))
		same(t, "not archived", list(Filter{}), "mine ")
		same(t, "all", list(Filter{Archived: true}), "other mine ")
		h.did("other", event.KindPrompt, "there is more")
		same(t, "it goes on", list(Filter{State: Active}), "other mine ")
		must(t, h.Remove(t.Context(), "mine"))
		if err := h.Remove(t.Context(), "mine"); !errors.Is(err, ErrUnknown) {
			t.Fatalf("removed twice: %v", err)
		}
		same(t, "left", list(Filter{Archived: true}), "other ")
	})
}

func TestArchiveAndCleanUp(t *testing.T) {
	running(t, func(t *testing.T, h *snapshotFixture) {
		sweep := func(want ...int) {
			t.Helper()
			gone, err := h.o.Blobs.Sweep(t.Context())
			must(t, err)
			removed := 0
			for _, e := range gone {
				removed += e.Count
			}
			archived, err := h.Sweep(t.Context())
			must(t, err)
			same(t, "archived and removed", []int{archived, removed}, want)
		}
		h.did("old", event.KindPrompt, "begin")
		wait(archiveAfter - time.Second)
		h.did("new", event.KindPrompt, "begin")
		sweep(0, 0)
		wait(2 * time.Second)
		sweep(1, 0)
		got, err := h.Get(t.Context(), "old")
		must(t, err)
		same(t, "state", got.State, Archived)
		wait(cleanUpAfter - archiveAfter)
		sweep(1, 1)
		if _, err := h.Get(t.Context(), "old"); !errors.Is(err, ErrUnknown) {
			t.Fatalf("still there: %v", err)
		}
	})
}

func TestForget(t *testing.T) {
	running(t, func(t *testing.T, h *snapshotFixture) {
		h.did("a", event.KindRead, "", "secret/<plan>.go")
		h.did("b", event.KindRead, "", "x.go")
		forget := func(f cold.ForgetFilter) {
			t.Helper()
			_, err := h.o.Blobs.Forget(t.Context(), f)
			must(t, err)
		}
		forget(cold.ForgetFilter{Path: "secret/<plan>.go"})
		if _, err := h.Get(t.Context(), "a"); !errors.Is(err, ErrUnknown) {
			t.Fatalf("still there: %v", err)
		}
		_, err := h.Get(t.Context(), "b")
		must(t, err)
		forget(cold.ForgetFilter{Session: "b"})
		if _, err := h.Get(t.Context(), "b"); !errors.Is(err, ErrUnknown) {
			t.Fatalf("still there: %v", err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"id":"s","state":"active","version":1}`)
	f.Add(`{"version":2}`)
	f.Add(`{"recent":[{"files":["a"]}],"started":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := decode("s", text)
		if err != nil {
			return
		}
		s.fold(event.Event{Body: event.Call{Act: event.ActEdit, Paths: []event.Path{"a", "b"}}})
		again, err := s.encode()
		must(t, err)
		back, err := decode("s", again)
		must(t, err)
		if len(back.Recent) > recentKept || len(back.Edited) > filesKept || back.ID != "s" {
			t.Fatalf("%+v", back)
		}
	})
}

// BenchmarkContext is the time to a session's context: from the snapshot in the file, and from the full record, whose
// texts are opened one by one.
func BenchmarkContext(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		h := newSnapshotFixture(b)
		for at := 0; at < n; at += 1000 {
			batch := make([]event.Event, min(1000, n-at))
			for i := range batch {
				batch[i] = event.Event{ID: fmt.Sprint("e", at+i), Time: time.UnixMilli(int64(1e12 + 1000*(at+i))),
					Agent: "claude", Session: "s",
					Body: event.Call{Act: event.ActRun, Tool: "Bash", Text: strings.Repeat("go test ./... ", 14),
						Paths: []event.Path{event.Path(fmt.Sprint("dir/file", i))}}}
			}
			seq, fresh, err := h.db.Append(b.Context(), batch)
			must(b, err)
			must(b, h.Apply(b.Context(), seq, fresh))
		}
		flush(b, h)
		b.Run(fmt.Sprint("snapshot/", n), func(b *testing.B) {
			for b.Loop() {
				clear(h.held) // as after a start
				if s, err := h.Get(b.Context(), "s"); err != nil || s.Commands != n {
					b.Fatal(s.Commands, err)
				}
			}
		})
		b.Run(fmt.Sprint("record/", n), func(b *testing.B) {
			for b.Loop() {
				all, err := h.db.Log(b.Context(), cold.LogFilter{Session: "s", Oldest: true, Limit: n})
				if err != nil || len(all) != n || all[0].Text() == "" {
					b.Fatal(len(all), err)
				}
			}
		})
		h.close()
	}
}

// TestBadSnapshot: a snapshot that cannot be read is begun from the log again; the others are listed as they are.
func TestBadSnapshot(t *testing.T) {
	for _, bad := range []string{`{"id":`, `{"version":7,"state":"active"}`, `{"version":1,"state":"asleep"}`} {
		h := newSnapshotFixture(t)
		for i := range 3 {
			h.did("one", event.KindPrompt, "words")
			h.did("two", event.KindRead, "", event.Path(fmt.Sprint("f", i)))
		}
		flush(t, h)
		want, err := h.List(t.Context(), Filter{})
		must(t, err)
		for _, ask := range []func() (Snapshot, error){
			func() (Snapshot, error) { return h.Get(t.Context(), "one") },
			func() (Snapshot, error) {
				got, err := h.List(t.Context(), Filter{})
				same(t, bad+": the list", got, want)
				return got[slices.IndexFunc(got, func(s Snapshot) bool { return s.ID == "one" })], err
			},
		} {
			_, err := h.snapshots.Write(t.Context(), "spoil", func(tx *cold.BlobTx) error {
				return tx.Put(h.snapshots.Pack(cold.Blob{Key: "one", Session: "one", Meta: []byte(bad)}))
			})
			must(t, err)
			must(t, h.o.Blobs.Close())
			h.begin()
			got, err := ask()
			must(t, err)
			same(t, bad, [2]int{got.Turns, got.Commands}, [2]int{3, 3})
		}
		must(t, h.Remove(t.Context(), "one"))
		h.close()
	}
}
