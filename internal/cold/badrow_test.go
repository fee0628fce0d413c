package cold

import (
	"fmt"
	"math"
	"os"
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
	path = filepath.Join(dir, "aoa.db")
	seal, err := OpenSeal(filepath.Join(dir, "key"))
	fault.Check(t, err)
	d := reopen(t, path, seal, &sink{})
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
	mustAppend(t, d, event.Event{ID: "rename", Time: noon,
		Body: event.Rename{From: []event.Path{"f1"}, To: []event.Path{"g1"}}})
	fault.Check(t, d.Close())
	return path, seal
}

const rowEvents = rowReads + rowPrompts + rowCommits + 3

func reopen(t testing.TB, path string, seal *Seal, s *sink) *DB {
	t.Helper()
	d, err := Open(t.Context(), path, Options{Now: fixed, Log: slogTo(s), Seal: seal})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// TestBadRows: a value that cannot be read costs its row, or what the row stands for, and one
// warning; all else is read, live and replayed alike, and the store goes on.
func TestBadRows(t *testing.T) {
	whole, seal := rowStore(t)
	content, err := os.ReadFile(whole)
	fault.Check(t, err)
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
			fault.Check(t, os.WriteFile(path, content, 0o600))
			copyFile(t, markFile(whole), markFile(path))
			alter(t, path, c.change)
			for start := range 2 {
				s := &sink{}
				d := reopen(t, path, seal, s)
				got := 0
				last := int64(0)
				for _, b := range replayAll(t, d, 0) {
					got += len(b.Batch)
					if b.Seq <= last {
						t.Errorf("batch %d after %d", b.Seq, last)
					}
					last = b.Seq
				}
				if want := rowEvents - c.lost + start; got != want {
					t.Errorf("start %d: %d events are replayed, want %d", start, got, want)
				}
				works(t, d)
				if seq, fresh := mustAppend(t, d, read(fmt.Sprint("new", start), noon, "s0", "f1")); len(fresh) != 1 ||
					seq <= last {
					t.Errorf("start %d: batch %d after %d, %d events", start, seq, last, len(fresh))
				}
				if want := 1; !c.quiet && len(s.records) != want {
					t.Errorf("start %d: %d warnings, want %d: %v", start, len(s.records), want, s.records)
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
		_, err := d.Log(t.Context(), f)
		fault.Check(t, err)
	}
	_, err := d.FileStats(t.Context(), 0)
	fault.Check(t, err)
	_, err = d.TagStats(t.Context(), 0)
	fault.Check(t, err)
	sessions, err := d.SessionStats(t.Context(), 0)
	fault.Check(t, err)
	for _, s := range sessions {
		if s.Last.Year() > 9999 {
			t.Errorf("session %s ends in the year %d", s.ID, s.Last.Year())
		}
	}
	_, err = d.Thread(t.Context(), "s0", 100)
	fault.Check(t, err)
	_, err = d.Prompts(t.Context(), 0, 100)
	fault.Check(t, err)
	_, err = d.History(t.Context(), nil, everything, nil)
	fault.Check(t, err)
	_, err = d.Status(t.Context())
	fault.Check(t, err)
}

// TestBadRowsAreForgottenAndPruned: what cannot be read may hold what is to be forgotten, and grows
// old like the rest.
func TestBadRowsAreForgottenAndPruned(t *testing.T) {
	path, seal := rowStore(t)
	alter(t, path, `UPDATE events SET body = substr(body, 1, length(body) - 1) WHERE id IN (20, 21)`)
	alter(t, path, `UPDATE events SET body = substr(body, 1, length(body) - 1) WHERE id = 5`)
	d := reopen(t, path, seal, &sink{})
	gone, err := eraser(t, d).Forget(t.Context(), ForgetFilter{Path: "f7"})
	fault.Check(t, err)
	same(t, "forgotten: what names it, and what may", ids(gone.Events), []string{"r7", "r8"})
	fault.Check(t, d.Scrub(t.Context()))
	raw, err := os.ReadFile(path)
	fault.Check(t, err)
	if strings.Contains(string(raw), `"f7"`) {
		t.Error("the name is still in the file")
	}
	pruned, err := d.Prune(t.Context(), 0, math.MaxInt64, nothing)
	fault.Check(t, err)
	same(t, "pruned", pruned.Events, rowReads+rowPrompts+1-2)
	fault.Check(t, d.Close())
	s := &sink{}
	d = reopen(t, path, seal, s)
	same(t, "left but commits", len(replayAll(t, d, 0)), 3)
	same(t, "warnings once the rows are gone", len(s.records), 0)
}
