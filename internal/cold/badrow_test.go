package cold

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// The store that the tests below damage.
const (
	rowReads   = 40 // one batch each
	rowPrompts = 5  // sealed, one batch each
	rowCommits = 12 // one batch, and one more commit that was taken back
)

// rowStore makes a closed store of many batches and returns its path and the seal of its texts.
func rowStore(t testing.TB) (path string, seal *Seal) {
	t.Helper()
	dir := t.TempDir()
	path, seal = filepath.Join(dir, "aoa.db"), fault.Must(OpenSeal(filepath.Join(dir, "key")))
	d, _ := openSealed(t, path, seal)
	var commits []event.Event
	for i := range rowCommits {
		commits = append(commits, commit(i, noon.Add(-time.Hour), event.Path(fmt.Sprint("c", i)), "doc.md"))
	}
	mustAppend(t, d, commits...)
	for i := range rowReads {
		mustAppend(t, d, read(fmt.Sprint("r", i), noon, fmt.Sprint("s", i%3), event.Path(fmt.Sprint("f", i))))
	}
	for i := range rowPrompts {
		e := read(fmt.Sprint("p", i), noon, "s0")
		e.Body = event.Prompt{Text: "some words", Tags: []string{"tag"}}
		mustAppend(t, d, e)
	}
	mustAppend(t, d, commit(500, noon, "late.go", "doc.md"))
	mustAppend(t, d, uncommit(500))
	mustAppend(t, d, rename("rename", noon, "f1", "g1"))
	fault.Check(t, d.Close())
	return path, seal
}

const rowEvents = rowReads + rowPrompts + rowCommits + 3

// TestBadRows: a value that cannot be read costs its row, or what the row stands for, and one
// warning; all else is read, live and replayed alike, and the store goes on.
func TestBadRows(t *testing.T) {
	whole, seal := rowStore(t)
	for _, c := range []struct {
		change string
		lost   int  // events that are missing in the replay
		quiet  bool // it shows only at other work, or heals
	}{
		{`UPDATE events SET body = substr(body, 1, length(body) - 1) WHERE id = 20`, 1, false},
		{`UPDATE events SET body = x'037f' WHERE id = 20`, 1, false},
		{`UPDATE events SET kind = 'later' WHERE id = 20`, 1, false}, // of a newer version
		{`UPDATE events SET time = 1 << 62 WHERE id = 20`, 1, false},
		{`UPDATE events SET seq = 1 << 60 WHERE id = 20`, 1, false},
		{`UPDATE events SET seq = 1 << 40 WHERE id = 20`, 1, false},
		{`UPDATE events SET seq = 1 WHERE id = 20`, 1, false},
		{`UPDATE events SET seq = -1 WHERE id = 20`, 1, true}, // before all that is asked for
		{`UPDATE events SET text = CAST(substr(text, 1, length(text) - 1) || x'00' AS BLOB) WHERE id = 54`, 0, true},
		{`UPDATE events SET text = x'0102' WHERE id = 54`, 0, true}, // what is folded has no text,
		{`UPDATE events SET body = x'02' WHERE id = 5`, 1, false},   // a commit
		{`UPDATE events SET time = 1 << 62 WHERE id = 5`, 1, false},
		{`UPDATE events SET counted = 0 WHERE id = 5`, 0, true},
		{`UPDATE sqlite_sequence SET seq = 2 WHERE name = 'events'`, 0, true},
		{`UPDATE files SET id = 7777 WHERE file = 'f1'`, 0, true},
		{`UPDATE ids SET event = 1 << 62 WHERE event = 5`, 0, true},
	} {
		t.Run(c.change, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aoa.db")
			copyStore(t, whole, path)
			alter(t, path, c.change)
			for start := range 2 {
				d, s := openSealed(t, path, seal)
				got, last := 0, int64(0)
				for _, b := range replayAll(t, d, 0) {
					got += len(b.Batch)
					if b.Seq <= last {
						t.Errorf("batch %d after %d", b.Seq, last)
					}
					last = b.Seq
				}
				fault.Same(t, fmt.Sprintf("start %d: events that are replayed", start), got, rowEvents-c.lost+start)
				works(t, d)
				seq, fresh := mustAppend(t, d, read(fmt.Sprint("new", start), noon, "s0", "f1"))
				if len(fresh) != 1 || seq <= last {
					t.Errorf("start %d: batch %d after %d, %d events", start, seq, last, len(fresh))
				}
				if !c.quiet {
					fault.Same(t, fmt.Sprintf("start %d: warnings", start), len(s.records), 1)
				}
				fault.Check(t, d.Close())
			}
			if aside, _ := filepath.Glob(path + "?*"); len(aside) != 0 && !strings.HasSuffix(aside[0], ".mark") {
				t.Errorf("left beside the store: %v", aside)
			}
		})
	}
}

// works asks the store what its users ask.
func works(t *testing.T, d *DB) {
	t.Helper()
	for _, f := range []LogFilter{{}, {Oldest: true, Kinds: []event.Kind{event.KindCommit, event.KindUncommit}},
		{Session: "s1"}, {File: "doc.md"}, {File: "g1"}} {
		fault.Must(d.Log(t.Context(), f))
	}
	fault.Must(d.FileStats(t.Context(), 0))
	fault.Must(d.TagStats(t.Context(), 0))
	for _, s := range fault.Must(d.SessionStats(t.Context(), 0)) {
		if s.Last.Year() > 9999 {
			t.Errorf("session %s ends in the year %d", s.ID, s.Last.Year())
		}
	}
	fault.Must(d.Thread(t.Context(), "s0", 100))
	fault.Must(d.Prompts(t.Context(), 0, 100))
	fault.Must(d.History(t.Context(), nil, everything, nil))
	fault.Must(d.Status(t.Context()))
}

// TestBadRowsAreForgottenAndPruned: what cannot be read may hold what is to be forgotten, and grows
// old like the rest.
func TestBadRowsAreForgottenAndPruned(t *testing.T) {
	path, seal := rowStore(t)
	alter(t, path, `UPDATE events SET body = substr(body, 1, length(body) - 1) WHERE id IN (20, 21)`)
	alter(t, path, `UPDATE events SET body = substr(body, 1, length(body) - 1) WHERE id = 5`)
	d, _ := openSealed(t, path, seal)
	gone := fault.Must(eraser(t, d).Forget(t.Context(), ForgetFilter{Path: "f7"}))
	same(t, "forgotten: what names it, and what may", ids(gone.Events), []string{"r7", "r8"})
	fault.Check(t, d.Scrub(t.Context()))
	if holds(t, path+"*", `"f7"`) {
		t.Error("the name is still in the file")
	}
	pruned := fault.Must(d.Prune(t.Context(), 0, math.MaxInt64, nothing))
	same(t, "pruned", pruned.Events, rowReads+rowPrompts+1-2)
	fault.Check(t, d.Close())
	d, s := openSealed(t, path, seal)
	same(t, "left but commits", len(replayAll(t, d, 0)), 3)
	same(t, "warnings once the rows are gone", len(s.records), 0)
}
