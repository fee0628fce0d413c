package hot_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
)

// The goldens were written by the store that kept its scores in miniredis. Rewrite them only with a change of the
// arithmetic or of the format that is meant, and say so in the changelog.
var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

var march = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// shorten makes the half-lives of all families an hour until the test ends, and their sets small. So a few days are
// several epochs.
func shorten(t *testing.T, keep int) {
	t.Helper()
	for _, f := range hot.Families {
		before := *f
		t.Cleanup(func() { *f = before })
		if f.Half > 0 {
			f.Half = time.Hour
		}
		f.Keep, f.Read = min(f.Keep, keep), min(f.Read, keep)
	}
}

func apply(t *testing.T, s *hot.Store, seq int64, b *hot.Batch) {
	t.Helper()
	if err := s.Apply(t.Context(), b, seq); err != nil {
		t.Fatal(err)
	}
}

func dirty(t *testing.T, s *hot.Store, full bool) []hot.Record {
	t.Helper()
	recs, err := s.Dirty(t.Context(), full)
	if err != nil {
		t.Fatal(err)
	}
	return recs
}

// TestGoldenRecords: snapshots keep their bytes, written again and restored.
func TestGoldenRecords(t *testing.T) {
	s := hot.New(nil)
	b := hot.NewBatch()
	b.Add(hot.Comod, "old.go", "gone.go", march.Add(-100*24*time.Hour), 1)
	b.Add(hot.Frequency, "", "old.go", march.Add(-100*24*time.Hour), 1)
	b.Trim(march.Add(-100 * 24 * time.Hour))
	apply(t, s, 1, b)
	b = hot.NewBatch()
	for i, f := range []string{"dir/a.go", "dir/b.go", "dir/deep/c.go", "new\nline", "\xff\xfe", ""} {
		at := march.Add(-time.Duration(i*i) * 40 * time.Hour)
		b.Stamp(hot.Recency, f, at)
		b.Stamp(hot.Committed, f, at.Add(-90*time.Minute))
		for _, fam := range hot.Families {
			w := float64(i+1) / float64(len(fam.Name))
			switch fam.Name {
			case hot.Frequency.Name, hot.Churn.Name, hot.Changes.Name, hot.Sessions.Name:
				b.Add(fam, "", f, at, w)
			case hot.TagFreq.Name, hot.TermFreq.Name:
				b.Add(fam, "", fmt.Sprint("word", i), at, w)
			case hot.FileTags.Name:
				b.Add(fam, f, "go", at, w)
			case hot.TagFiles.Name, hot.TermFiles.Name:
				b.Add(fam, "word1", f, at, -w)
			case hot.Comod.Name, hot.Coaccess.Name:
				b.Add(fam, f, "dir/a.go", at, w)
				b.Add(fam, "dir/a.go", f, at, w)
			}
		}
	}
	apply(t, s, 2, b)
	b = hot.NewBatch()
	b.Trim(march)
	b.Fact("threshold", "next", "0.6")
	b.Fact("calibration:prompt", "a", "1")
	apply(t, s, 3, b)
	b = hot.NewBatch()
	b.Add(hot.Coaccess, "dir/b.go", "dir/deep/c.go", march.Add(time.Minute), 1)
	apply(t, s, 4, b)

	got := text(dirty(t, s, true))
	want := golden(t, "records.golden", got)
	if !bytes.Equal(got, want) {
		t.Fatalf("records are\n%s\nwant\n%s", got, want)
	}
	restored := hot.New(nil)
	if err := restored.Restore(t.Context(), parse(t, want)); err != nil {
		t.Fatal(err)
	}
	if again := text(dirty(t, restored, true)); !bytes.Equal(again, want) {
		t.Fatalf("restored records are\n%s\nwant\n%s", again, want)
	}
	if seq, err := restored.Applied(t.Context()); seq != 4 || err != nil {
		t.Errorf("restored at batch %d, %v", seq, err)
	}
}

// text has a line for each record that there is: its key, quoted, and its bytes.
func text(recs []hot.Record) []byte {
	var b bytes.Buffer
	for _, r := range recs {
		if len(r.Data) > 0 {
			fmt.Fprintf(&b, "%q %x\n", r.Key, r.Data)
		}
	}
	return b.Bytes()
}

func parse(t *testing.T, lines []byte) (recs []hot.Record) {
	t.Helper()
	for line := range strings.Lines(string(lines)) {
		var r hot.Record
		var data string
		if _, err := fmt.Sscanf(line, "%q %s", &r.Key, &data); err != nil {
			t.Fatal(err)
		}
		var err error
		if r.Data, err = hex.DecodeString(data); err != nil {
			t.Fatal(err)
		}
		recs = append(recs, r)
	}
	return recs
}
