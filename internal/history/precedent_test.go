package history

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// diff is the sketch of a change that adds these lines.
func diff(lines string) index.Sketch { return index.SketchOf(nil, []byte(lines+"\n")) }

// cli is a repository in which cmd.go changes with flags.md where it says flag, and with lock.go
// where it says mutex.
func cli() *Commits {
	c := &Commits{Sketches: &Sketches{}}
	for i := range 40 {
		other, says := event.Path("flags.md"), fmt.Sprintf("flag usage value parse option%d", i)
		if i%2 == 1 {
			other, says = "lock.go", fmt.Sprintf("mutex wait unlock defer guard%d", i)
		}
		c.commit(i, map[event.Path]string{"cmd.go": says, other: says})
	}
	return c
}

func (c *Commits) commit(i int, says map[event.Path]string) {
	var files []event.Path
	var sketches []index.FileSketch
	for f, text := range says {
		files, sketches = append(files, f), append(sketches, index.FileSketch{File: f, Sketch: diff(text)})
	}
	id := fmt.Sprintf("%016x", i+1)
	c.Sketches.Add(id, sketches)
	c.Add(id, files, nil)
}

// TestWhatWasChanged: of two files that change equally often with cmd.go the one comes first that
// belongs to what is changed in it now, and the commits that say so are named.
func TestWhatWasChanged(t *testing.T) {
	c := cli()
	for says, want := range map[string]event.Path{"flag usage value": "flags.md", "mutex wait unlock": "lock.go"} {
		past := Past{Commits: c, Diffs: map[event.Path]index.Sketch{"cmd.go": diff(says)}}
		found, _ := past.Companions(nil, []event.Path{"cmd.go"}, everything, 5)
		if len(found) < 2 || found[0].File != want || probability(found[0].LogOdds) < 2*probability(found[1].LogOdds) {
			t.Errorf("%s: %+v", says, found)
		}
		ids, more := c.Precedents(&found[0], 2)
		if len(ids) != 2 || more != 8 {
			t.Errorf("%s: precedents %v and %d more", says, ids, more)
		}
		if ids, more := c.Precedents(&found[1], 2); len(ids)+more > 0 {
			t.Errorf("%s: precedents of %s: %v and %d more", says, found[1].File, ids, more)
		}
	}
}

// TestWhereItWasChanged: the place of a companion is where the commits like the change changed it,
// as it stands in the file now.
func TestWhereItWasChanged(t *testing.T) {
	c := &Commits{Sketches: &Sketches{}}
	c.Add("", []event.Path{"cmd.go", "doc.md"}, nil) // older than the sketches
	for i := range 20 {
		about := []string{"flag", "lock"}[i%2]
		var d index.Differ
		d.Hunk(nil)
		d.Line(true, []byte("This is about a "+about+"."))
		id := fmt.Sprintf("%016x", i+1)
		c.Sketches.Add(id, []index.FileSketch{{File: "cmd.go", Sketch: diff(about + " value")}, {File: "doc.md", Sketch: d.Sketch(), Places: d.Places()}})
		c.Add(id, []event.Path{"cmd.go", "doc.md"}, nil)
	}
	doc := func(event.Path) []byte {
		return []byte("# Flags\nThis is about a flag.\n# Locks\nThis is about a lock.\n")
	}
	for says, want := range map[string]event.Place{
		"flag": {Line: 1, Symbol: "Flags", Heading: true}, "lock": {Line: 3, Symbol: "Locks", Heading: true}, "other": {}} {
		past := Past{Commits: c, Diffs: map[event.Path]index.Sketch{"cmd.go": diff(says)}, Text: doc}
		found, _ := past.Companions(nil, []event.Path{"cmd.go"}, everything, 5)
		fault.Same(t, says, past.Place(&found[0]), want)
		past.Text = nil
		fault.Same(t, says+", where no file is read", past.Place(&found[0]), event.Place{})
	}
}

func TestSketchesAreBounded(t *testing.T) {
	s := &Sketches{}
	id := func(i int) string { return fmt.Sprintf("%016x", i+1) }
	for i := range MaxSketched {
		s.Add(id(i), []index.FileSketch{{File: "a", Sketch: index.Sketch{1, uint32(i + 2)}}, {File: "dir/b", Sketch: index.Sketch{1}}})
	}
	fault.Same(t, "one more", s.Add(id(MaxSketched), nil), false)
	fault.Same(t, "one that is known", s.Add(id(0), nil), true)
	fault.Same(t, "no id", s.Add("HEAD", nil), true)
	data := fault.Must(s.MarshalBinary())
	var read Sketches
	fault.Check(t, read.UnmarshalBinary(data))
	for name, s := range map[string]*Sketches{"made": s, "read": &read} {
		s.Keep([]string{id(7), id(8)})
		fault.Same(t, name+": sketches", s.files, 4)
		s.Forget("dir")
		fault.Same(t, name+": without the folder", fmt.Sprint(s.files, s.hashes, len(s.rare), s.Has(id(7)), s.Has(id(9))), "2 4 3 true false")
		s.Forget("a")
		fault.Same(t, name+": without the file", fmt.Sprint(s.files, s.hashes, len(s.rare)), "0 0 0")
	}
	if err := read.UnmarshalBinary([]byte{0xff}); err == nil {
		t.Error("damage is read")
	}
}

// TestLargeCommits: a commit of many large diffs has its share of the room, and each of its files
// some words.
func TestLargeCommits(t *testing.T) {
	s := &Sketches{}
	var files []index.FileSketch
	for i := range MaxFiles {
		var words index.Sketch
		for w := range 60 {
			words = append(words, uint32(1000*w+i))
		}
		files = append(files, index.FileSketch{File: event.Path(fmt.Sprint(i)), Sketch: words})
	}
	s.Add("00000000000000aa", files)
	fault.Same(t, "files", s.files, MaxFiles)
	if s.hashes < commitHashes/2 || s.hashes > commitHashes+MaxFiles || len(files[0].Sketch) != 60 {
		t.Errorf("%d hashes are kept, and %d of the first file are left to the caller", s.hashes, len(files[0].Sketch))
	}
	small := &Sketches{}
	small.Add("00000000000000aa", files[:8])
	fault.Same(t, "of a small commit", small.hashes, 8*60)
}

// TestSketchesOfOthers: what a commit changed in files that the log does not have in it is dropped.
func TestSketchesOfOthers(t *testing.T) {
	c := &Commits{Sketches: &Sketches{}}
	c.Sketches.Add("00000000000000aa", []index.FileSketch{{File: "secret.env", Sketch: index.Sketch{1, 2}}, {File: "old.go", Sketch: index.Sketch{3}}})
	c.Add("00000000000000aa", []event.Path{"new.go"}, []event.Path{"old.go"})
	fault.Same(t, "sketches and words", fmt.Sprint(c.Sketches.files, c.Sketches.hashes), "1 1")
	fault.Same(t, "under its present name", fmt.Sprint(c.files[c.ids["new.go"]].sketches), "[[3]]")
}

func FuzzSketches(f *testing.F) {
	whole := fault.Must(cli().Sketches.MarshalBinary())
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte{0xa0})
	f.Fuzz(func(t *testing.T, in []byte) {
		var s Sketches
		if s.UnmarshalBinary(in) != nil {
			return
		}
		for id := range s.commits {
			s.take(id, []event.Path{"cmd.go"})
		}
		s.Keep(nil)
		fault.Same(t, "what is left", fmt.Sprint(s.files, s.hashes, len(s.rare)), "0 0 0")
	})
}

// changed adds commits of one file with these sketches.
func (c *Commits) changed(f event.Path, sketches ...index.Sketch) *Commits {
	for _, k := range sketches {
		id := fmt.Sprintf("%016x", c.Len()+1)
		if k != nil {
			c.Sketches.Add(id, []index.FileSketch{{File: f, Sketch: k}})
		}
		c.Add(id, []event.Path{f}, nil)
	}
	return c
}

// TestTogether: the newest commits of both files, and whether it is known what commits changed.
func TestTogether(t *testing.T) {
	c := &Commits{Sketches: &Sketches{}}
	fault.Same(t, "of none", c.Sketched(), false)
	c.changed("a.go", index.Sketch{1})
	fault.Same(t, "of the only one", c.Sketched(), true)
	for i := range 3 {
		c.Add(fmt.Sprintf("abc0000%d00000000", i), []event.Path{"a.go", "b.go"}, nil)
	}
	fault.Same(t, "of one of four", c.Sketched(), false)
	fault.Same(t, "two of three", fmt.Sprint(c.Together("a.go", "b.go", 2)), "[abc000020 abc000010]")
	fault.Same(t, "of an unknown file", fmt.Sprint(c.Together("a.go", "x", 2), c.Together("x", "a.go", 2)), "[] []")
	fault.Same(t, "ids, newest first", fmt.Sprint(c.Newest(3)), "[abc0000200000000 abc0000100000000 abc0000000000000]")
}

// TestLikeness: the cosine of two diffs, a word counting ln((n+1)/(k+1/2)) of n diffs of the file
// of which k have it. The commit that made the file is none of them, but where older commits are
// not known the oldest known is one.
func TestLikeness(t *testing.T) {
	present := index.Sketch{2}
	c := (&Commits{Sketches: &Sketches{}}).changed("a.go", index.Sketch{2}, index.Sketch{1, 2}, index.Sketch{2, 3}, index.Sketch{4})
	got := c.precedents(c.ids["a.go"], present)
	w1, w2 := math.Pow(math.Log(4/1.5), 2), math.Pow(math.Log(4/2.5), 2)
	want := w2 / math.Sqrt((w1+w2)*w2)
	if len(got) != 2 || got[0].commit != 2 || got[1].commit != 1 || math.Abs(got[0].like-want) > 1e-9 || math.Abs(got[1].like-want) > 1e-9 {
		t.Errorf("%v, want commits 2 and 1 with %v", got, want)
	}
	old := (&Commits{Sketches: &Sketches{}}).changed("a.go", nil, nil, index.Sketch{2})
	if got := old.precedents(old.ids["a.go"], present); len(got) != 1 || got[0].commit != 2 || got[0].like != 1 {
		t.Errorf("after commits that are not known: %v", got)
	}
	made := (&Commits{Sketches: &Sketches{}}).changed("a.go", index.Sketch{2})
	if got := made.precedents(made.ids["a.go"], present); got != nil {
		t.Errorf("of a file that was only made: %v", got)
	}
}

// TestDiffFacts: Like and Words by hand.
func TestDiffFacts(t *testing.T) {
	c := &Commits{sets: [][]int32{{0, 7}, {0}}}
	of := []precedent{{0, .5}, {1, .2}}
	for f, sum := range map[int32]float64{7: .25, 8: 0} {
		if got, want := c.like(of, f, .3, -1), logOdds((sum+.03)/.39)+1; math.Abs(got-want) > 1e-9 {
			t.Errorf("like of %d: %v, want %v", f, got, want)
		}
	}
	fault.Same(t, "without precedents", c.like(nil, 7, .3, -1), 0.)
	s := &Sketches{}
	s.Add("00000000000000aa", []index.FileSketch{{Sketch: index.Sketch{1}}, {Sketch: index.Sketch{1, 5}}, {Sketch: index.Sketch{6}}})
	w1, w2 := math.Log(4/2.5), math.Log(4/.5)
	words := s.rareWords(index.Sketch{1, 2})
	for says, want := range map[string]float64{"1": w1 / (w1 + w2), "2 3": w2 / (w1 + w2), "1 2": 1, "3": 0} {
		var f file
		for _, h := range strings.Fields(says) {
			f.words = union(f.words, index.Sketch{uint32(h[0] - '0')})
		}
		if got := f.said(words); math.Abs(got-want) > 1e-9 {
			t.Errorf("a file that said %s: %v, want %v", says, got, want)
		}
	}
	fault.Same(t, "union", fmt.Sprint(union([]uint32{1, 3, 9}, []uint32{2, 3, 5})), "[1 2 3 5 9]")
}
