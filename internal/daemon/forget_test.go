package daemon_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestForgottenAtOnce: no answer after that of aoa forget has what was forgotten, also while the
// daemon opens its stores again.
func TestForgottenAtOnce(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Start()
	for i := range 3 {
		session := fmt.Sprint("session-", i)
		call(d, api.Events, []event.Event{read(fmt.Sprint("e", i), session, d.Options.Now().Add(-time.Minute), "a.go")})
		call(d, api.Names, api.NamesRequest{Session: session}) // it is known
		call(d, api.Forget, api.ForgetRequest{Session: session})
		c := d.Client(d.Repo.Dir)
		if ans, err := api.Call(t.Context(), c, api.Names, api.NamesRequest{Session: session}); err == nil {
			t.Errorf("the daemon knows the session %q after it was forgotten", ans.Session)
		}
	}
}

// TestForgetBesideReader: another program reads the log while something is forgotten. It is out of
// every answer at once, the caller learns that the bytes are left, and they go when the reader
// ends.
func TestForgetBesideReader(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Start()
	call(d, api.Events, []event.Event{read("e", "secretplan", d.Options.Now(), "a.go")})
	db := fault.Must(sql.Open("sqlite", filepath.Join(d.Options.Place.Store, "aoa.db")))
	reader, err := db.BeginTx(t.Context(), nil)
	fault.Check(t, err)
	var n int
	fault.Check(t, reader.QueryRowContext(t.Context(), "SELECT count(*) FROM events").Scan(&n))
	warned := func() bool {
		return strings.Contains(fmt.Sprint(call(d, api.Status, api.None{}).Warnings), "forgetting is not finished")
	}
	_, err = api.Call(t.Context(), d.Client(d.Repo.Dir), api.Forget, api.ForgetRequest{Session: "secretplan"})
	if err == nil || !strings.Contains(err.Error(), "the bytes are still on the disk") || !warned() {
		t.Errorf("with a reader: %v", err)
	}
	fault.Same(t, "events in the log", d.ids("e"), 0)
	fault.Check(t, errors.Join(reader.Rollback(), db.Close()))
	d.Stop()
	d.Start()
	d.Until("the bytes are overwritten", func() bool { return !warned() })
	d.Stop()
	for _, name := range []string{"aoa.db", "aoa.db-wal", "aoa.log"} {
		if raw, _ := os.ReadFile(filepath.Join(d.Options.Place.Store, name)); bytes.Contains(raw, []byte("secretplan")) {
			t.Errorf("%s has the name", name)
		}
	}
}

// contents are the files in which the store keeps what files say, by name, decrypted.
func (d *fixture) contents() map[string][]byte {
	d.Helper()
	seal := fault.Must(cold.OpenSeal(locate.KeyFile(config.Lookup(d.Options.Env))))
	names := fault.Must(filepath.Glob(filepath.Join(d.Options.Place.Store, "contents", "*")))
	out := map[string][]byte{}
	for _, name := range names {
		if filepath.Ext(name) == ".tmp" {
			continue // it is being written
		}
		raw, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its worktree has just been removed
		}
		fault.Check(d, err)
		if bytes.Contains(raw, []byte("zanzibar")) {
			d.Errorf("%s is not sealed", name)
		}
		if out[name], err = (cold.SealedFile{Name: name, Seal: seal}).Read(); err != nil {
			d.Error(err)
		}
	}
	return out
}

// TestContentsAreKept: what files say lies sealed in the store, and goes from it with what is
// forgotten and with what is left of checkouts that are no more.
func TestContentsAreKept(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Repo.Run("mkdir secret && echo 'func zanzibarQuux() {}' >secret/x.go && echo 'func keptName() {}' >kept.go && git add " +
		". && git commit -qm two")
	d.Start()
	own := filepath.Join(d.Options.Place.Store, "contents", locate.Fingerprint(d.Repo.Dir))
	d.Until("the contents are kept", func() bool { _, err := os.Stat(own); return err == nil })
	if kept := d.contents()[own]; !bytes.Contains(kept, []byte("secret/x.go")) || !bytes.Contains(kept, []byte("kept.go")) {
		t.Errorf("kept are %q", kept)
	}
	d.Stop()
	other := filepath.Join(filepath.Dir(own), "0123456789abcdef")
	fault.Check(t, os.WriteFile(other, []byte("of a checkout that was removed"), 0o600))
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	d.Repo.Run("git rm -qr secret && git commit -qm three")
	d.Start()
	d.Until("the other file is gone", func() bool { _, err := os.Stat(other); return err != nil })
	call(d, api.Forget, api.ForgetRequest{File: "secret"})
	for name, kept := range d.contents() {
		for _, word := range []string{"zanzibar", "quux", "secret"} {
			if bytes.Contains(kept, []byte(word)) {
				t.Errorf("%s still has %s", name, word)
			}
		}
	}
	d.Stop()
	for name, kept := range d.contents() {
		if bytes.Contains(kept, []byte("zanzibar")) {
			t.Errorf("%s has it again", name)
		}
	}
}

const day = 24 * time.Hour

func (d *fixture) edits(prefix string, n int) {
	d.Helper()
	var batch []event.Event
	for i := range n {
		batch = append(batch, event.Event{ID: fmt.Sprint(prefix, i), Time: d.Options.Now(), Agent: "tool", Session: prefix,
			Body: event.Call{Act: event.ActEdit, Paths: []event.Path{"a.go", "in/side/c.go"}}})
	}
	call(d, api.Events, batch)
}

// ids are those of the log that begin so.
func (d *fixture) ids(prefix string) int {
	d.Helper()
	n := 0
	for _, e := range call(d, api.Log, cold.LogFilter{Limit: 100_000}).Events {
		if strings.HasPrefix(e.ID, prefix) {
			n++
		}
	}
	return n
}

// TestTicksOnALaptop: what is done once a day or a week is done at the next start, if no daemon ran
// at the hour.
func TestTicksOnALaptop(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "AOA_HOLDOUT=0", "AOA_IDLE_TIMEOUT=0")
	for week := range 4 {
		d.Start()
		d.Until("the tick is logged", func() bool { return d.ids("tick:sweep") == week+1 })
		d.Stop()
		d.Late.Add(int64(8 * day))
	}
}

// TestLevelFollows: a running daemon takes a changed log_level at once.
func TestLevelFollows(t *testing.T) {
	d := newFixture(t)
	d.Options.Level = new(slog.LevelVar)
	d.Start()
	fault.Check(t, config.Set(d.Options.Place.Settings(), "log_level", "debug"))
	_, err := api.Call(t.Context(), d.Client(d.Repo.Dir), api.Config, api.None{})
	fault.Check(t, err)
	fault.Same(t, "level", d.Options.Level.Level(), slog.LevelDebug)
}

// aside sets an item aside in a session.
func (d *fixture) aside(session string) {
	d.Helper()
	call(d, api.CachePut, api.CachePutRequest{Session: session, Item: llmcache.Item{Data: []byte("data")}})
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
	d.Start()
	exit := func(id string) {
		call(d, api.Events, []event.Event{read("read "+id, "s", d.Options.Now(), "a.go"),
			{ID: id, Time: d.Options.Now(), Agent: "test", Session: "s", Body: event.End{Reason: "exit"}}})
	}
	d.aside("s")
	exit("first")
	d.Until("the items of a session that exited are gone", func() bool { return d.asideOf("s") == 0 })
	d.Late.Add(int64(time.Second))
	d.aside("s")
	for what, again := range map[string]func(){
		"another file was forgotten": func() {
			call(d, api.Events, []event.Event{read("b", "other", d.Options.Now(), "b.go")})
			call(d, api.Forget, api.ForgetRequest{File: "b.go"})
			d.Stop()
			d.Start()
		},
		"the snapshot was lost": func() {
			d.Stop()
			d.noSnapshot()
			d.Start()
		},
	} {
		again()
		call(d, api.Events, []event.Event{})
		if n := d.asideOf("s"); n != 1 {
			t.Errorf("%s: %d items are left, want 1", what, n)
		}
	}
	d.Stop() // an exit is in the log, and the daemon was killed before it deleted anything
	db, err := cold.Open(t.Context(), filepath.Join(d.Options.Place.Store, "aoa.db"), cold.Options{Now: d.Options.Now})
	fault.Check(t, err)
	_, _, err = db.Append(t.Context(), []event.Event{{ID: "second", Time: d.Options.Now(), Agent: "test", Session: "s",
		Body: event.End{Reason: "logout"}}})
	fault.Check(t, errors.Join(err, db.Close()))
	d.Start()
	d.Until("the items of a session that exited before a kill are gone", func() bool { return d.asideOf("s") == 0 })
}
