package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// work folds random events of two sessions and a person, and restarts in the middle of them if restart is set.
func work(t *testing.T, seed uint64, restart bool) *Sessions {
	t.Helper()
	r, at := rand.New(rand.NewPCG(seed, 1)), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	kinds := []event.Kind{event.KindSuggest, event.KindOutcome, event.KindFeedback, event.KindCommit, event.KindPrompt,
		event.KindRead, event.KindEdit, event.KindSearch, event.KindRun, event.KindSave, event.KindRename,
		event.KindStart, event.KindEnd, event.KindTick, event.KindBranch}
	// names in git need not be UTF-8
	file := func() event.Path { return event.Path(fmt.Sprintf("d\xff/%d.go", r.IntN(20))) }
	l := New()
	var saved []Record
	for i := range 300 {
		at = at.Add(time.Duration(r.IntN(3600)) * time.Second)
		e := event.Event{Kind: kinds[r.IntN(len(kinds))], Time: at, Session: fmt.Sprint("s", r.IntN(2)), Agent: "claude",
			Paths: []event.Path{file()}, From: []event.Path{file()}, Named: []event.Path{file()}, Tags: []string{"go"},
			Terms: []string{fmt.Sprint("word",
				r.IntN(9))}, Text: "parseBasket", Tool: "compact", OK: r.IntN(3) > 0, Blob: "0123"}
		switch e.Kind {
		case event.KindSuggest:
			e.ID, e.Why, e.Label, e.Scores = fmt.Sprint("hint", i), Shown, []string{"open", "next", "turn",
				"change"}[r.IntN(4)], []float64{.5}
		case event.KindOutcome:
			e.Cause = fmt.Sprint("hint", i-r.IntN(20))
		}
		if e.Kind == event.KindSearch {
			e.Seen, e.Listing = []event.Path{file(), file()}, true
		}
		l.Apply(e)
		if !restart || i%50 != 25 {
			continue
		}
		changed, err := l.Changed(false)
		if err != nil {
			t.Fatal(err)
		}
		saved = append(saved, changed...)
		l = New()
		if err := l.Restore(latest(saved)); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// latest are the records as a snapshot has them: the last one of each key.
func latest(records []Record) (out []Record) {
	at := map[string]int{}
	for _, r := range records {
		i, known := at[r.Key]
		if !known {
			i = len(out)
			at[r.Key], out = i, append(out, Record{})
		}
		out[i] = r
	}
	return out
}

func TestRestartChangesNothing(t *testing.T) {
	for seed := range uint64(20) {
		whole, cut := work(t, seed, false), work(t, seed, true)
		for _, l := range []*Sessions{whole, cut} {
			for _, s := range l.sessions {
				s.recent = nil // not saved
			}
		}
		if !reflect.DeepEqual(whole.sessions, cut.sessions) {
			t.Fatalf("seed %d:\n%+v\n%+v", seed, whole.sessions, cut.sessions)
		}
	}
}

func TestDamagedRecords(t *testing.T) {
	records, err := work(t, 1, false).Changed(true)
	if err != nil || len(records) == 0 {
		t.Fatal(records, err)
	}
	good := records[0]
	for what, r := range map[string]Record{
		"under another key": {Prefix + "other", good.Data}, "without a prefix": {"f:x", good.Data}, "short": {good.Key,
			[]byte{1}},
		"cut": {good.Key, good.Data[:len(good.Data)-1]}, "another version": sealed(good.Key,
			append([]byte{99}, good.Data[1:len(good.Data)-4]...)),
	} {
		if err := New().Restore([]Record{r}); !errors.Is(err, ErrRecord) {
			t.Errorf("a record %s: %v", what, err)
		}
	}
}

// sealed is a record with its checksum.
func sealed(key string, data []byte) Record {
	return Record{key, binary.LittleEndian.AppendUint32(data[:len(data):len(data)], checksum(key, data))}
}

// FuzzRecord: what can be read is written and read the same.
func FuzzRecord(f *testing.F) {
	l := New()
	l.Apply(event.Event{Kind: event.KindEdit, Time: time.UnixMilli(1e12).UTC(), Session: "s", Paths: []event.Path{"a"}})
	records, err := l.Changed(true)
	if err != nil {
		f.Fatal(err)
	}
	for _, r := range records {
		f.Add(r.Data[:len(r.Data)-4])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decode(sealed(Prefix+"s", data))
		if err != nil {
			return
		}
		r, err := encode("s", s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(r)
		if err != nil || fmt.Sprintf("%v", s) != fmt.Sprintf("%v", again) {
			t.Errorf("%v\n%+v\n%+v", err, s, again)
		}
	})
}

// TestReadersBesideTheFold: what a reader has stays as it is.
func TestReadersBesideTheFold(t *testing.T) {
	l, end := New(), make(chan struct{})
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				s := l.Get("s", at)
				before := fmt.Sprint(s.Files(), s.First, s.Words(), s.Results, s.Uncommitted, s.Hints.Open,
					s.Recent("", at.Add(-1)))
				select {
				case <-end:
					return
				default:
				}
				after := fmt.Sprint(s.Files(), s.First, s.Words(), s.Results, s.Uncommitted, s.Hints.Open, s.Recent("", at.Add(-1)))
				if before != after {
					t.Errorf("%s\nis now\n%s", before, after)
					return
				}
			}
		})
	}
	kinds := []event.Kind{event.KindPrompt, event.KindEdit, event.KindSearch, event.KindRun, event.KindRename,
		event.KindCommit,
		event.KindSuggest}
	for i := range 3000 {
		file, old := event.Path(fmt.Sprint(i%40)), event.Path(fmt.Sprint(i%7))
		l.Apply(event.Event{ID: fmt.Sprint(i), Kind: kinds[i%len(kinds)], Time: at, Session: "s", OK: true, Why: Shown,
			Paths: []event.Path{file}, From: []event.Path{old}, Seen: []event.Path{old,
				file}, Terms: []string{fmt.Sprint("w", i%9)}})
	}
	close(end)
	readers.Wait()
}
