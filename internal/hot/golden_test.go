package hot_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
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

// shorten makes the half-lives of all families an hour until the test ends, and their sets small. So a few days are several epochs.
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
	b.Session("s:1").File("dir/a.go", 1, march).First("dir/a.go", 1).File("dir/b.go", 2, march).Set(hot.FieldClock, "8").
		Named("dir/b.go", 2).Run("z", 5).Seen("dir/a.go", 8, 2).Term("word", 3).Edited("dir/b.go", march).
		Result(hot.Result{Number: 1, Clock: 2, Prompt: 1, Listing: true, Files: []event.Path{"dir/a.go", "z"}}).
		Wording(hot.Wording{Number: 1, Clock: 2, Prompt: 1, Words: []string{"retry"}, Idents: []string{"maxretries"}})
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

// answer is what a store says of one owner: names in order, and numbers.
type answer struct {
	What    string
	Names   []string  `json:",omitempty"`
	Numbers []float64 `json:",omitempty"`
}

// TestGoldenScores: random work with fixed seeds leads to the same scores, sessions and facts, in the store that did
// it and in one that is restored from its snapshots.
func TestGoldenScores(t *testing.T) {
	for seed := range uint64(3) {
		name := fmt.Sprintf("scores%d.golden", seed)
		w := &work{r: rand.New(rand.NewPCG(seed, 13)), archive: map[string][]byte{}}
		s := w.run(t)
		got := ask(t, s, w.now)
		var b bytes.Buffer
		for _, a := range got {
			line, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		var want []answer
		for line := range strings.Lines(string(golden(t, name, b.Bytes()))) {
			var a answer
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatal(err)
			}
			want = append(want, a)
		}
		equalAnswers(t, name, got, want)

		restored := hot.New(func() time.Time { return w.now })
		var recs []hot.Record
		for key, data := range w.archive {
			recs = append(recs, hot.Record{Key: key, Data: data})
		}
		if err := restored.Restore(t.Context(), recs); err != nil {
			t.Fatal(err)
		}
		equalAnswers(t, name+", restored", ask(t, restored, w.now), want)
	}
}

func equalAnswers(t *testing.T, name string, got, want []answer) {
	t.Helper()
	if len(got) != len(want) || len(want) < 50 {
		t.Fatalf("%s: %d answers, want %d", name, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.What != w.What || !slices.Equal(g.Names, w.Names) || len(g.Numbers) != len(w.Numbers) {
			t.Fatalf("%s: %+v\nwant %+v", name, g, w)
		}
		for j := range w.Numbers {
			if math.Abs(g.Numbers[j]-w.Numbers[j]) > 1e-9*max(1, math.Abs(w.Numbers[j])) {
				t.Fatalf("%s, %s, number %d: %v, want %v", name, w.What, j, g.Numbers[j], w.Numbers[j])
			}
		}
	}
}

// work is random work on a few names, hostile ones among them.
type work struct {
	r       *rand.Rand
	now     time.Time
	archive map[string][]byte // as a snapshot of all Dirty calls holds it
}

var (
	goldenFiles = []string{"a/one.go", "a/two.go", "a/three.go", "b/one.go", "b/two.go", "b/three.go", "new\nline", "auth", "7d:1:a", " "}
	goldenTags  = []string{"auth", "x:y", "go"}
	goldenWords = []string{"auth", "login", "a:b", "%"}
	goldenIDs   = []string{"s1", "s:2", "s%3"}
)

// goldenNames are the names that a family's owners and members are taken from.
func goldenNames(f *hot.Family) (owners, members []string) {
	owners, members = []string{""}, goldenFiles
	switch f.Name {
	case hot.Comod.Name, hot.Coaccess.Name:
		owners = goldenFiles
	case hot.FileTags.Name:
		owners, members = goldenFiles, goldenTags
	case hot.TagFiles.Name:
		owners = goldenTags
	case hot.TermFiles.Name:
		owners = goldenWords
	case hot.TagFreq.Name:
		members = goldenTags
	case hot.TermFreq.Name:
		members = goldenWords
	}
	return owners, members
}

func (w *work) pick(names []string) string { return names[w.r.IntN(len(names))] }

func (w *work) run(t *testing.T) *hot.Store {
	shorten(t, 5)
	clock := func() time.Time { return w.now }
	w.now = march
	s := hot.New(clock)
	for seq := int64(1); seq <= 40; seq++ {
		w.now = w.now.Add(time.Duration(w.r.IntN(6*3600)) * time.Second)
		apply(t, s, seq, w.batch(s))
		if seq == 13 || seq == 26 {
			if err := s.Forget(t.Context(), event.Path(w.pick(goldenFiles))); err != nil {
				t.Fatal(err)
			}
		}
		w.save(t, s, seq == 20)
		if seq == 29 {
			recs := []hot.Record{}
			for key, data := range w.archive {
				recs = append(recs, hot.Record{Key: key, Data: data})
			}
			s = hot.New(clock)
			if err := s.Restore(t.Context(), recs); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// save is what the daemon's snapshot does.
func (w *work) save(t *testing.T, s *hot.Store, full bool) {
	recs := dirty(t, s, full)
	if full {
		clear(w.archive)
	}
	for _, r := range recs {
		if w.archive[r.Key] = r.Data; len(r.Data) == 0 {
			delete(w.archive, r.Key)
		}
	}
}

func (w *work) batch(s *hot.Store) *hot.Batch {
	b := hot.NewBatch()
	for range 5 + w.r.IntN(60) {
		f := hot.Families[w.r.IntN(len(hot.Families))]
		owners, members := goldenNames(f)
		at := w.now.Add(-time.Duration(w.r.IntN(70*3600)) * time.Second)
		switch w.r.IntN(12) {
		case 0:
			from, to := event.Path(w.pick(goldenFiles)), event.Path(w.pick(goldenFiles))
			b.Rename(from, to)
			if w.r.IntN(3) == 0 {
				b.Rename(to, from)
			}
		case 1:
			w.session(b)
		case 2:
			b.Fact(w.pick([]string{"threshold", "cal:x"}), w.pick(goldenWords), w.pick([]string{"", "1", "0.25"}))
		default:
			weight := w.r.Float64() * 3
			if w.r.IntN(5) == 0 {
				weight = -weight / 2
			}
			b.Add(f, w.pick(owners), w.pick(members), at, weight)
		}
	}
	if w.r.IntN(6) == 0 {
		b.Cap(3)
	}
	switch w.r.IntN(8) {
	case 0, 1:
		b.Trim(w.now)
	case 2:
		b.Decay(w.now)
	case 3:
		b.Sweep(w.now)
	}
	return b
}

func (w *work) session(b *hot.Batch) {
	p, n := event.Path(w.pick(goldenFiles)), int64(1+w.r.IntN(50))
	s := b.Session(w.pick(goldenIDs))
	switch w.r.IntN(12) {
	case 0:
		switch i := w.r.IntN(6); i {
		case 0:
			s.Renew()
		case 4: // was: another part
		default:
			s.Clear([]hot.Part{0, hot.PartNamed, hot.PartSeen, hot.PartTerms, 0, hot.PartEdits}[i])
		}
	case 1:
		s.Unsee(p)
	case 2:
		s.Touch(w.now)
	case 3:
		s.Edited(p, w.now)
	case 4:
		s.Term(w.pick(goldenWords), n)
	case 5:
		s.Named(p, n).Run(p, n)
	default:
		s.File(p, n, w.now).First(p, n).Seen(p, n, w.r.Float64()*2)
	}
	s.Set(hot.FieldClock, fmt.Sprint(n)).Set(hot.FieldCurrent, string(p)).Set(hot.FieldPrompts, fmt.Sprint(n/3))
	s.Touch(w.now.Add(-time.Duration(w.r.IntN(20)) * time.Hour))
}

// ask asks for everything.
func ask(t *testing.T, s *hot.Store, now time.Time) (out []answer) {
	t.Helper()
	v := s.View(now)
	var after []func()
	for _, f := range hot.Families {
		owners, members := goldenNames(f)
		for _, owner := range owners {
			values := v.OwnedOf(f, owner, members)
			after = append(after, func() {
				if slices.ContainsFunc(values.Value, func(x float64) bool { return x != 0 }) {
					out = append(out, answer{f.Name + " of " + owner, nil, values.Value})
				}
			})
			if owner != "" || f.Half == 0 {
				top := v.Top(f, owner, 4)
				after = append(after, func() { out = append(out, answer{"top " + f.Name + " of " + owner, top.Members, top.Values}) })
			}
		}
	}
	for _, id := range append(goldenIDs, "none") {
		sv := v.Session(id)
		after = append(after, func() {
			a := answer{What: "session " + id}
			for _, p := range goldenFiles {
				a.Numbers = append(a.Numbers, sv.Mentions[event.Path(p)])
			}
			sv.Mentions = nil
			a.Names = []string{fmt.Sprintf("%+v", *sv)}
			out = append(out, a)
		})
	}
	for _, key := range []string{"threshold", "cal:x", "none"} {
		facts := v.Facts(key)
		after = append(after, func() { out = append(out, answer{What: "facts " + key, Names: []string{fmt.Sprint(facts.Fields)}}) })
	}
	if err := v.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, fn := range after {
		fn()
	}
	return append(out, answer{What: "live sessions", Numbers: []float64{float64(s.Size().Sessions)}})
}
