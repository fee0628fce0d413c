package daemon_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// aside sets an item aside in a session.
func (d *fixture) aside(session string) {
	d.Helper()
	reply := stream(d, api.CachePut, api.CachePutRequest{Session: session, Item: llmcache.Item{Size: 4}},
		[]byte("data"))
	fault.Check(d, reply.Close())
}

// asideOf counts the items of a session.
func (d *fixture) asideOf(session string) int {
	d.Helper()
	return call(d, api.CacheList, api.CacheListRequest{Filter: llmcache.Filter{Session: session}}).Total
}

// TestAnExitIsReadAgain: what a session sets aside after it exited and was resumed stays, also when
// its exit is read again from the log, because something else was forgotten or the last snapshot
// was lost. What it had set aside before is deleted, also if the daemon was killed before it did
// that.
func TestAnExitIsReadAgain(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.start()
	exit := func(id string) {
		call(d, api.Events, []event.Event{read("read "+id, "s", d.o.Now(), "a.go"),
			{ID: id, Time: d.o.Now(), Agent: "test", Session: "s", Body: event.End{Reason: "exit"}}})
	}
	d.aside("s")
	exit("first")
	d.until("the items of a session that exited are gone", func() bool { return d.asideOf("s") == 0 })
	d.late.Add(int64(time.Second))
	d.aside("s")
	for what, again := range map[string]func(){
		"another file was forgotten": func() {
			call(d, api.Events, []event.Event{read("b", "other", d.o.Now(), "b.go")})
			call(d, api.Forget, api.ForgetRequest{File: "b.go"})
			d.stop()
			d.start()
		},
		"the snapshot was lost": func() {
			d.stop()
			d.noSnapshot()
			d.start()
		},
	} {
		again()
		call(d, api.Events, []event.Event{})
		if n := d.asideOf("s"); n != 1 {
			t.Errorf("%s: %d items are left, want 1", what, n)
		}
	}
	d.stop() // an exit is in the log, and the daemon was killed before it deleted anything
	db, err := cold.Open(t.Context(), filepath.Join(d.o.Place.Store, "aoa.db"), cold.Options{Now: d.o.Now})
	fault.Check(t, err)
	_, _, err = db.Append(t.Context(), []event.Event{{ID: "second", Time: d.o.Now(), Agent: "test", Session: "s",
		Body: event.End{Reason: "logout"}}})
	fault.Check(t, errors.Join(err, db.Close()))
	d.start()
	d.until("the items of a session that exited before a kill are gone", func() bool { return d.asideOf("s") == 0 })
}
