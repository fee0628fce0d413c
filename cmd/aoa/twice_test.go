package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestKilledWhileAnswering: the daemon is killed in the moment in which what a command says is in the log, and not yet
// answered. The command asks the next daemon, and counts once.
func TestKilledWhileAnswering(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("another program cannot read the log beside the daemon while it is killed")
	}
	d := initialized(t, 4)
	d.read()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(d.place().Store, "aoa.db")+"?mode=ro&_pragma=busy_timeout(5000)")
	check(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	said := func() (n int) {
		check(t, db.QueryRow("SELECT count(*) FROM events WHERE kind = 'feedback'").Scan(&n))
		return n
	}
	book := fault.Open(t, "daemon killed before it answered")
	for round := range max(5, fault.Rounds()) {
		running, err := os.FindProcess(d.status().Pid)
		check(t, err)
		cmd := d.command(d.bin, "feedback", "good")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		check(t, cmd.Start())
		for give := time.Now().Add(patient); said() <= round && time.Now().Before(give); {
			continue // as often as can be: the answer follows within a millisecond
		}
		check(t, running.Kill())
		err = cmd.Wait()
		d.must("status") // there is a daemon again
		switch n := said(); {
		case err != nil:
			t.Fatalf("round %d: %v\n%s", round, err, &errs)
		case n != round+1:
			book.Add(fault.Wrong, 1)
			t.Fatalf("%d commands made %d events", round+1, n)
		}
		book.Add(fault.Whole, 1)
	}
}
