package cold

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// TestBadRows: a value that cannot be read, as testdata/damage.txt has them, costs its row, or what the
// row stands for, and one warning; all else is read, live and replayed alike, and the store goes on.
// The line with a tab below each says what two starts lose (-update writes it).
func TestBadRows(t *testing.T) {
	whole, seal := rowStore(t)
	fault.Replies(t, "testdata/damage.txt", func(change string) (said []string) {
		if strings.HasPrefix(change, "#") {
			return nil
		}
		path := filepath.Join(t.TempDir(), "aoa.db")
		copyStore(t, whole, path)
		alter(t, path, change)
		for start := range 2 {
			d, s := openSealed(t, path, seal)
			got, last := 0, int64(0)
			for _, b := range replayAll(t, d, 0) {
				got += len(b.Batch)
				if b.Seq <= last {
					t.Errorf("%s: batch %d after %d", change, b.Seq, last)
				}
				last = b.Seq
			}
			works(t, d)
			seq, fresh := mustAppend(t, d, read(fmt.Sprint("new", start), noon, "s0", "f1"))
			if len(fresh) != 1 || seq <= last {
				t.Errorf("%s, start %d: batch %d after %d, %d events", change, start, seq, last, len(fresh))
			}
			said = append(said, fmt.Sprintf("%d lost, %d warnings", rowEvents+start-got, s.Warnings()))
			fault.Check(t, d.Close())
		}
		if aside, _ := filepath.Glob(path + "?*"); len(aside) != 0 && !strings.HasSuffix(aside[0], ".mark") {
			t.Errorf("%s: left beside the store: %v", change, aside)
		}
		return []string{strings.Join(said, "; then ")}
	})
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
	same(t, "warnings once the rows are gone", s.Warnings(), 0)
}

// stores are a log and a cache in one folder, as a daemon has them.
type stores struct {
	both
	t     *testing.T
	dir   string
	items *Owner
	state *Snapshot
	warn  *fault.Log
}

func openStores(t *testing.T, dir string) *stores {
	d, s := openTest(t, filepath.Join(dir, "aoa.db"))
	b := fault.Must(OpenBlobs(t.Context(), filepath.Join(dir, "cache.db"), Options{Now: fixed, Log: s.Logger()}))
	t.Cleanup(func() { _ = b.Close() })
	return &stores{both{d, b}, t, dir, b.Owner("items", Rule{}), NewSnapshot(d, b, "scores"), s}
}

func (s *stores) put(key, session, text string) {
	s.t.Helper()
	keep(s.t, s.items, Blob{Key: key, Session: session, Data: []byte(text)})
}

// ids are the events of the log.
func (s *stores) ids() (ids []string) {
	for _, b := range replayAll(s.t, s.DB, 0) {
		for _, e := range b.Batch {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// killings are what a process does until it is killed, step by step, and what holds afterwards.
// said is what it has said to be done before.
var killings = []struct {
	name  string
	work  func(s *stores, i int, say func(string))
	check func(s *stores, said []string)
}{
	{"between the files", func(s *stores, i int, say func(string)) {
		id := fmt.Sprint("e", i)
		mustAppend(s.t, s.DB, read(id, noon, "s", "a"))
		fault.Check(s.t, s.state.Save(s.t.Context(), s.DB.Last(), fmt.Append(nil, s.DB.Last())))
		say(id)
		s.put(id, "s", "made of "+id)
		say("blob " + id)
	}, func(s *stores, said []string) {
		ids := s.ids()
		for _, b := range list(s.t, s.items, Selection{}) {
			if !slices.Contains(ids, b.Key) {
				s.t.Errorf("a blob is made of %s, which the log lacks", b.Key)
			}
			v, _ := get(s.t, s.items, b.Key)
			same(s.t, "a blob", string(v.Data), "made of "+b.Key)
			ids = append(ids, "blob "+b.Key)
		}
		same(s.t, "lost", missing(said, ids), []string{})
		state, seq, err := s.state.Load(s.t.Context())
		if err != nil || seq > s.DB.Last() || s.DB.Last()-seq > 1 || seq > 0 && string(state) != fmt.Sprint(seq) {
			s.t.Errorf("the snapshot has %q at %d of %d: %v", state, seq, s.DB.Last(), err)
		}
	}},
	{"while the log is copied", func(s *stores, i int, say func(string)) {
		mustAppend(s.t, s.DB, wordy(fmt.Sprint("e", i, "-"), 200)...)
		say(fmt.Sprint("e", i, "-0"))
		_, err := s.DB.Copy(s.t.Context())
		fault.Check(s.t, err)
	}, func(s *stores, said []string) {
		same(s.t, "lost", missing(said, s.ids()), []string{})
		if !s.DB.HasCopy() {
			return
		}
		other := s.t.TempDir()
		copyFile(s.t, s.DB.path+copySuffix, filepath.Join(other, "aoa.db"))
		fault.Check(s.t, os.WriteFile(filepath.Join(other, "aoa.mark"), []byte("0\n"), 0o600))
		c := openStores(s.t, other)
		if ids := c.ids(); len(ids) == 0 || len(ids)%200 > 0 || c.warn.Warnings() > 0 {
			s.t.Errorf("the copy has %d events, %s", len(ids), c.warn.String())
		}
		fault.Check(s.t, c.DB.Close())
	}},
	{"while something is forgotten", func(s *stores, i int, say func(string)) {
		session, secret := fmt.Sprint("s", i), fmt.Sprintf("secret%d.go", i)
		var batch []event.Event
		for j := range 20 {
			batch = append(batch, read(fmt.Sprint("e", i, "-", j), noon, session, event.Path(secret)))
		}
		mustAppend(s.t, s.DB, batch...)
		s.put(session, session, "about "+secret)
		say("asked " + session)
		_, err := s.Forget(s.t.Context(), toForget(session))
		fault.Check(s.t, err)
		say("gone " + session)
	}, func(s *stores, said []string) {
		fault.Check(s.t, s.DB.Overwrite(s.t.Context(), s.Blobs))
		for _, line := range said { // what was not answered is asked again
			if what, session, _ := strings.Cut(line, " "); what == "asked" && !slices.Contains(said, "gone "+session) {
				_, err := s.Forget(s.t.Context(), toForget(session))
				fault.Check(s.t, err)
			}
		}
		left := map[string]int{}
		for _, id := range s.ids() {
			n, _, _ := strings.Cut(strings.TrimPrefix(id, "e"), "-")
			left["s"+n]++
		}
		for _, what := range said {
			what, session, _ := strings.Cut(what, " ")
			_, cached := get(s.t, s.items, session)
			n, secret := left[session], "secret"+session[1:]+".go"
			if n > 0 || cached {
				s.t.Errorf("%s %s: %d events are left, a blob is: %v", what, session, n, cached)
			}
			if toForget(session).Path != "" && holds(s.t, filepath.Join(s.dir, "*"), secret) {
				s.t.Errorf("a file holds %s", secret)
			}
		}
	}},
}

// toForget names a session: one of two by its file.
func toForget(session string) ForgetFilter {
	if (session[len(session)-1]-'0')%2 == 0 {
		return ForgetFilter{Path: event.Path("secret" + session[1:] + ".go")}
	}
	return ForgetFilter{Session: session}
}

func missing(want, got []string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(id string) bool { return slices.Contains(got, id) })
}

// TestKilled: a process that is killed at any moment has lost nothing that it had said to be done.
// What it had forgotten is gone, and what it was forgetting goes when it is asked again.
func TestKilled(t *testing.T) {
	const child = "AOA_TEST_KILLED"
	for _, k := range killings {
		t.Run(k.name, func(t *testing.T) {
			if dir := os.Getenv(child); dir != "" {
				s := openStores(t, dir)
				fault.Check(t, s.DB.Overwrite(t.Context(), s.Blobs))
				for i := rand.IntN(1e9) * 1000; ; i++ { // no two processes have the same

					k.work(s, i, func(what string) { fmt.Println("said", what) })
				}
			}
			t.Parallel()
			book, r, dir := fault.Open(t, "killed "+k.name), rand.New(rand.NewPCG(5, 6)), t.TempDir()
			for range 3 * fault.Rounds() {
				out := fault.Must(os.Create(filepath.Join(t.TempDir(), "out")))
				self := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$/^"+
					strings.ReplaceAll(k.name, " ", "_")+"$")
				self.Env, self.Stdout = append(os.Environ(), child+"="+dir), out
				fault.Check(t, self.Start())
				said := func() (lines []string) {
					raw := fault.Must(os.ReadFile(out.Name()))
					for line := range strings.Lines(string(raw)) {
						if what, ok := strings.CutPrefix(line, "said "); ok && strings.HasSuffix(what, "\n") {
							lines = append(lines, strings.TrimSpace(what))
						}
					}
					return lines
				}
				fault.Until(t, time.Minute, "it works", func() bool { return len(said()) > 0 })
				fault.Pass(time.Duration(r.IntN(100_000)) * time.Microsecond)
				fault.Check(t, self.Process.Kill())
				_ = self.Wait()
				s := openStores(t, dir)
				k.check(s, said())
				if s.warn.Warnings() > 0 {
					t.Error(s.warn.String())
				}
				fault.Check(t, s.DB.Close())
				fault.Check(t, s.Blobs.Close())
				fault.Check(t, out.Close())
				verdict := fault.Whole
				if t.Failed() {
					verdict = fault.Wrong
				}
				book.Add(verdict, 1)
			}
		})
	}
}
