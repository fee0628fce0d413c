package learn_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestGoldenHistories learns the histories of five public repositories and compares every score
// with the one that was frozen when scores still lay in an embedded Redis server. The files are
// made by
//
//	go test ./learn -run TestGoldenHistories -update
//
// The histories are the commits and renames that package watcher reads of cobra, execa, fsnotify,
// itsdangerous and toml (BurntSushi), without subjects.
func TestGoldenHistories(t *testing.T) {
	names, err := filepath.Glob("testdata/histories/*.jsonl.gz")
	if err != nil || len(names) != 5 {
		t.Fatalf("%d histories, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".jsonl.gz"), func(t *testing.T) {
			batches := readHistory(t, name)
			d := newFixture(t)
			for _, b := range batches {
				d.learn(b...)
			}
			golden := strings.TrimSuffix(name, ".jsonl.gz") + ".scores.gz"
			got := d.scores(24*time.Hour, batches)
			if fault.Update() {
				writeScores(t, golden, got)
			}
			want := readScores(t, golden)
			compareScores(t, got, want)
			compareScores(t, d.restart().scores(24*time.Hour, batches), want)
		})
	}
}

// unzip reads a gzip file.
func unzip(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(name)
	fault.Check(t, err)
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	fault.Check(t, err)
	return z
}

func readHistory(t *testing.T, name string) (batches [][]event.Event) {
	t.Helper()
	for dec := json.NewDecoder(unzip(t, name)); ; {
		var b []event.Event
		if err := dec.Decode(&b); err == io.EOF {
			return batches
		} else if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
	}
}

// topMembers is how many members of an owned set are compared one by one. The others are compared
// by their number and their sum.
const topMembers = 8

// scores are all scores some time after the newest event, by name: of each global set the members, of each owned set its
// highest members, its size and its sum.
func (d *fixture) scores(after time.Duration, batches [][]event.Event, more ...*hot.Family) map[string]float64 {
	d.Helper()
	files, terms, tags, at := map[string]bool{}, map[string]bool{}, map[string]bool{}, time.Time{}
	for _, b := range batches {
		for _, e := range b {
			for _, p := range slices.Concat(e.Paths(), e.From(), e.Gone()) {
				files[string(p)] = true
			}
			for _, w := range e.Terms() {
				terms[w] = true
			}
			for _, t := range e.Tags() {
				tags[t] = true
			}
			if e.Time.After(at) {
				at = e.Time
			}
		}
	}
	paths, words := slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(terms))
	v := d.store.View(at.Add(after))
	globals, owned := map[*hot.Family]*hot.Values{}, map[string]*hot.Ranked{}
	members := map[*hot.Family][]string{}
	for _, f := range append(more, hot.Recency, hot.Committed, hot.Frequency, hot.Churn, hot.Changes, hot.Sessions) {
		members[f] = paths
		globals[f] = v.Of(f, paths)
	}
	members[hot.TermFreq] = words
	members[hot.TagFreq] = slices.Sorted(maps.Keys(tags))
	for _, f := range []*hot.Family{hot.TermFreq, hot.TagFreq} {
		globals[f] = v.Of(f, members[f])
	}
	for _, f := range []*hot.Family{hot.Comod, hot.Coaccess, hot.FileTags} {
		for _, p := range paths {
			owned[f.Name+"\t"+p] = v.Top(f, p, 1000)
		}
	}
	for _, w := range words {
		owned[hot.TermFiles.Name+"\t"+w] = v.Top(hot.TermFiles, w, 1000)
	}
	for t := range tags {
		owned[hot.TagFiles.Name+"\t"+t] = v.Top(hot.TagFiles, t, 1000)
	}
	fault.Check(d, v.Load(d.Context()))
	out := map[string]float64{}
	for f, r := range globals {
		for i, m := range members[f] {
			if r.Value[i] != 0 {
				out[f.Name+"\t\t"+m] = r.Value[i]
			}
		}
	}
	for key, r := range owned {
		sum := 0.0
		for i, m := range r.Members {
			if sum += r.Values[i]; i < topMembers {
				out[key+"\t"+m] = r.Values[i]
			}
		}
		if len(r.Members) > 0 {
			out[key+"\t#size"], out[key+"\t#sum"] = float64(len(r.Members)), sum
		}
	}
	return out
}

func writeScores(t *testing.T, name string, scores map[string]float64) {
	t.Helper()
	f, err := os.Create(name)
	fault.Check(t, err)
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	fault.Check(t, err)
	for _, key := range slices.Sorted(maps.Keys(scores)) {
		fmt.Fprintf(z, "%s\t%s\n", key, strconv.FormatFloat(scores[key], 'g', 13, 64))
	}
	fault.Check(t, z.Close())
}

func readScores(t *testing.T, name string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	s := bufio.NewScanner(unzip(t, name))
	for s.Scan() {
		var err error
		i := strings.LastIndexByte(s.Text(), '\t')
		if out[s.Text()[:i]], err = strconv.ParseFloat(s.Text()[i+1:], 64); err != nil {
			t.Fatal(err)
		}
	}
	fault.Check(t, s.Err())
	return out
}

// compareScores compares to 1e-9 of the larger of 1 and the score.
func compareScores(t *testing.T, got, want map[string]float64) {
	t.Helper()
	wrong := 0
	report := func(format string, args ...any) {
		if wrong++; wrong <= 10 {
			t.Errorf(format, args...)
		}
	}
	for key, w := range want {
		if g, ok := got[key]; !ok || math.Abs(g-w) > 1e-9*max(1, math.Abs(w)) {
			report("%q is %v, want %v", key, g, w)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			report("%q was not there before", key)
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d scores differ", wrong, len(want))
	}
	if len(want) < 1000 {
		t.Errorf("only %d scores are compared", len(want))
	}
}
