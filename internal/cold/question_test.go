package cold

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSnapshot: a state comes back with the number of its batch. It does not count in another log, in
// one that ends earlier, once it was dropped, and while something is forgotten, even if a power cut
// brings it back then.
func TestSnapshot(t *testing.T) {
	s := openStores(t, t.TempDir())
	save := func(seq int64, state string) {
		t.Helper()
		fault.Check(t, s.state.Save(t.Context(), seq, []byte(state)))
	}
	load := func(what string, from *Snapshot, want int64) {
		t.Helper()
		state, seq, err := from.Load(t.Context())
		fault.Check(t, err)
		if seq != want || want > 0 && string(state) != "state" {
			t.Errorf("%s: %q at %d, want %d", what, state, seq, want)
		}
	}
	load("a new log", s.state, 0)
	mustAppend(t, s.DB, read("a", noon, "s", "x"))
	save(1, "other")
	save(1, "state")
	load("saved", s.state, 1)
	save(2, "state")
	load("more than the log has", s.state, 0)
	load("dropped", s.state, 0)
	save(1, "state")
	load("another log", NewSnapshot(newTest(t), s.Blobs, "scores"), 0)
	save(1, "state")
	fault.Check(t, s.state.Drop(t.Context()))
	load("dropped at once", s.state, 0)
	save(1, "state")
	fault.Must(s.DB.Forget(t.Context(), ForgetFilter{Session: "s"}))
	load("something was forgotten", s.state, 0)
	save(1, "state")
	load("brought back", s.state, 0)
	fault.Check(t, s.DB.Overwrite(t.Context(), s.Blobs))
	save(1, "state")
	load("saved when it was over", s.state, 1)
}

// TestReadersDoNotWait reads while a write transaction is open.
func TestReadersDoNotWait(t *testing.T) {
	d := newTest(t)
	mustAppend(t, d, read("a", noon, "s", "x"))
	fault.Check(t, d.Write(t.Context(), "hold", func(tx *Tx) error {
		if err := tx.run([]any{"k", "v"}, setMeta); err != nil {
			return err
		}
		same(t, "replay inside a write", len(replayAll(t, d, 0)), 1)
		v, err := d.Meta(t.Context(), "k")
		same(t, "not yet visible", v, "")
		return err
	}))
}

// FuzzRow: whatever a row holds, reading it is an event or an error, and an event is written and read
// the same, whatever bytes it has.
func FuzzRow(f *testing.F) {
	same := func(t testing.TB, e event.Event) (r *row) {
		r = fault.Must(encodeRow(e, nil))
		fault.Same(t, "read back", fault.Must(r.withText(nil)), e, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
		return r
	}
	hint := event.Hint{Paths: []event.Path{"\xff.go"}, Text: "\xff\x00", Scores: []float64{math.NaN(), math.Copysign(0, -1)}}
	for _, e := range []event.Event{read("id", noon, "s", "a", "b"), commit(1, noon, "a", "b"), {ID: "日本", Time: noon, Body: hint},
		{ID: "x", Time: moment(-1), Body: event.Call{Act: event.ActSearch, Tags: []string{"a", ""}}}} {
		f.Add(same(f, e).body, []byte{0, 'x'})
	}
	f.Add([]byte{0xbb, 255, 255, 255, 255, 15}, []byte{})
	f.Fuzz(func(t *testing.T, body, text []byte) {
		kinds := event.Kinds()
		r := row{kind: kinds[len(text)%len(kinds)], body: body, text: text}
		e, err := r.withText(nil)
		if e.Kind() != r.kind {
			t.Fatalf("%+v is no %s", e, r.kind)
		}
		if err == nil {
			same(t, e)
		}
	})
}

func TestEveryFieldIsStored(t *testing.T) {
	d := newTest(t)
	for _, k := range event.Kinds() {
		full := event.Event{ID: "id " + string(k), Time: noon, Agent: "a", Session: "s", Subagent: "u", Turn: "n",
			Body: eventtest.Full(k, 2)}
		switch k {
		case event.KindCommit:
			full.ID = "commit:" + sha(1)
		case event.KindUncommit:
			full.ID = "uncommit:" + sha(1) + ":1"
		}
		from, _ := mustAppend(t, d, full)
		if k != event.KindUncommit { // it is the commit that it takes back
			same(t, string(k), replayAll(t, d, from-1)[0].Batch, []event.Event{full.WithoutText()})
			got := fault.Must(d.Log(t.Context(), LogFilter{Kinds: []event.Kind{k}, Limit: 1}))
			same(t, string(k)+" with its text", got, []event.Event{full})
		}
		full.Origin, full.ID = "o", "o:"+full.ID
		from, _, err := d.Append(t.Context(), []event.Event{full})
		fault.Check(t, err)
		same(t, string(k)+" of another clone", replayAll(t, d, from-1)[0].Batch, []event.Event{full.WithoutText()})
	}
}
