package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// restored is how many events the last start of a daemon replayed.
func (d *sandbox) restored() int {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.place().Store, "aoa.log"))
	fault.Check(d, err)
	all := regexp.MustCompile(`msg=restored .*?events=(\d+)`).FindAllSubmatch(text, -1)
	if len(all) == 0 {
		d.Fatalf("no start is logged:\n%s", text)
	}
	n, err := strconv.Atoi(string(all[len(all)-1][1]))
	fault.Check(d, err)
	return n
}

// TestSnapshotAfterLongReplay: a daemon that had to replay much writes a snapshot soon, so that the
// next one need not, however early the first was killed.
func TestSnapshotAfterLongReplay(t *testing.T) {
	t.Parallel()
	d := newSandbox(t, 4)
	d.env = append(d.env, "AOA_LOG_LEVEL=info")
	d.must("init")
	d.must("daemon", "stop")
	const many = 6000
	db := openLog(d)
	for i := 0; i < many; i += 500 {
		var batch []event.Event
		for j := range 500 {
			batch = append(batch, event.Event{ID: fmt.Sprint("e", i+j),
				Time: time.Now().UTC().Truncate(time.Millisecond), Session: fmt.Sprint("s", j%7),
				Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}})
		}
		if _, _, err := db.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	fault.Check(t, db.Close())
	begin := time.Now()
	first := d.daemon()
	if n := d.restored(); n < many {
		t.Fatalf("the first start replayed %d events, want %d", n, many)
	}
	d.until("a snapshot is written", func() bool { return mustCall(d, api.Status, api.None{}).Snapshot.After(begin) })
	d.kill(first)
	d.kill(d.daemon())
	if n := d.restored(); n > 100 {
		t.Errorf("the second start replayed %d events", n)
	}
}
