package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const secretFile = "server/secretplan.go"

// secretive is a repository whose store knows a file that is to be forgotten: events, a prompt, a
// session, a cached step.
func secretive(t *testing.T, env ...string) *sandbox {
	t.Helper()
	d := newSandbox(t, 16)
	d.env = append(d.env, "AOA_WATCH=off") // a save that is seen later would be learned again
	d.env = append(d.env, env...)
	d.must("init")
	d.write(secretFile, "package server\n")
	d.read()
	var batch []event.Event
	for i := range 200 {
		batch = append(batch, event.Event{ID: fmt.Sprint("e", i, "-", time.Now().UnixNano()), Session: "s",
			Agent: "test", Time: time.Now().Add(-time.Minute),
			Body: event.Call{Act: event.ActEdit, Paths: []event.Path{secretFile, "docs/protocol.md"}}})
	}
	batch = append(batch, event.Event{ID: fmt.Sprint("p-", time.Now().UnixNano()), Session: "s", Agent: "test",
		Time: time.Now().Add(-time.Minute),
		Body: event.Prompt{Text: "change " + secretFile}})
	mustCall(d, api.Events, batch)
	d.must("stage", "run", "lines", "--dep", secretFile, "--", "echo", "printed")
	if !d.knows() {
		d.Fatal("the store does not know the file, the test says nothing")
	}
	return d
}

// knows reports whether a file of the store holds the name.
func (d *sandbox) knows() (found bool) {
	d.Helper()
	err := filepath.WalkDir(d.place().Store, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // it went meanwhile, or is a socket
		}
		if raw, err := os.ReadFile(name); err == nil && bytes.Contains(raw, []byte("secretplan")) {
			found = true
		}
		return nil
	})
	fault.Check(d, err)
	return found
}

// forgotten waits until nothing of the file is left: in no byte of the store, no answer, no log,
// and no request.
func (d *sandbox) forgotten() {
	d.Helper()
	d.until("the bytes are overwritten", func() bool {
		return !d.knows() && !strings.Contains(d.do("status").err, "forgetting is not finished")
	})
	for _, args := range [][]string{{"log", "--json"}, {"stats", "files", "--json"}, {"stage", "list", "--json"}} {
		if out := d.must(args...); strings.Contains(out, "secretplan") {
			d.Errorf("aoa %v still names it", args)
		}
	}
}

// verdict is the result of a round, as far as the test has seen.
func verdict(t *testing.T) fault.Verdict {
	if t.Failed() {
		return fault.Wrong
	}
	return fault.Whole
}

// TestForgetReader: another program reads the log while something is forgotten. It is out of every
// answer at once, the command says that the bytes are left, and they go when the reader ends.
func TestForgetReader(t *testing.T) {
	noRace(t)
	t.Parallel()
	book := fault.Open(t, "forget, reader open")
	for range fault.Size(1, fault.Rounds()) {
		d := secretive(t)
		db, err := sql.Open("sqlite", filepath.Join(d.place().Store, "aoa.db"))
		fault.Check(t, err)
		conn, err := db.Conn(context.Background())
		fault.Check(t, err)
		_, err = conn.ExecContext(context.Background(), "BEGIN")
		fault.Check(t, err)
		var n int
		fault.Check(t, conn.QueryRowContext(context.Background(), "SELECT count(*) FROM events WHERE counted IS NULL").Scan(&n))
		s := d.do("forget", secretFile)
		if s.code != 1 || !strings.Contains(s.err, "the bytes are still on the disk") {
			t.Errorf("with a reader: exit %d\n%s%s", s.code, s.out, s.err)
		}
		if out := d.must("log", "--json"); strings.Contains(out, "secretplan") {
			t.Error("it is still in the log")
		}
		if s := d.do("status"); !strings.Contains(s.err, "forgetting is not finished") {
			t.Errorf("status does not say that something is left: %s%s", s.out, s.err)
		}
		fault.Check(t, conn.Close())
		fault.Check(t, db.Close())
		d.must("daemon", "stop")
		d.must("daemon", "start")
		d.forgotten()
		d.must("daemon", "stop")
		book.Add(verdict(t), 1)
	}
}
