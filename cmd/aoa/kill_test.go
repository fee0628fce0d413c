package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/fault"
	"github.com/aoa-dev/aoa/watcher"
)

// TestKilled: a daemon is fed by several agents, by hooks that write and leave, by people's saves and by git, and
// killed in the middle, again and again. What it acknowledged is there, once; what hooks wrote is lost for the last
// second at most; and the next daemon, from snapshot and tail, ranks to the digit as one does that learns the whole
// surviving log without a break.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the workload writes as Unix hooks do, and nobody is killed on Windows as a power failure kills")
	}
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := newSandbox(t, 40)
			d.env = append(d.env, fmt.Sprintf("AOA_THRESHOLD=%g", prefetch.Aggressive)) // something is to be suggested, too
			d.must("init")
			d.must("daemon", "stop")
			f := newWorkload(d, seed)
			rounds := max(3, fault.Rounds()) // fewer do not see everything
			for range rounds {
				f.round()
			}
			book := fault.Open(t, "daemon killed")
			lost := f.survived()
			daemon := d.daemon()
			d.read()
			sameAsReplayed(d, daemon)
			book.Add(fault.Lost, lost)
			if book.Add(fault.Whole, rounds-lost); lost == 0 && t.Failed() {
				book.Add(fault.Wrong, 1) // some round of them: the state that they left is judged as one
			}
			// A clean end writes a last snapshot: nothing changes by it.
			daemon = d.daemon()
			d.read()
			if err := errors.Join(daemon.Process.Signal(os.Interrupt), daemon.Wait()); err != nil {
				t.Errorf("a daemon that was asked to end: %v", err)
			}
			daemon = d.daemon()
			d.read()
			sameAsReplayed(d, daemon)
		})
	}
}

// survived looks into the log that the killed daemons left. It returns how many of them lost something.
func (f *workload) survived() int {
	f.Helper()
	lost := map[int]bool{}
	count := map[string]int{}
	kinds := map[event.Kind]int{}
	db := openLog(f.sandbox)
	err := db.Replay(f.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			count[e.ID]++
			kinds[e.Kind]++
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		f.Fatal(err)
	}
	if len(f.acked) < 30 || len(f.wrote) < 30 {
		f.Fatalf("only %d events were acknowledged and %d frames written", len(f.acked), len(f.wrote))
	}
	for id := range f.acked {
		if count[id] != 1 {
			f.Errorf("acknowledged event %s is there %d times", id, count[id])
			lost[-1] = true
		}
	}
	late := 0
	roundOf := func(at time.Time) int { return slices.IndexFunc(f.ends, func(e time.Time) bool { return e.After(at) }) }
	newest := make([]time.Time, len(f.ends)) // of what each daemon kept: on a busy machine it had not seen the rest
	for _, sent := range []map[string]time.Time{f.acked, f.wrote} {
		for id, at := range sent {
			if round := roundOf(at); count[id] > 0 && at.After(newest[round]) {
				newest[round] = at
			}
		}
	}
	for id, at := range f.wrote {
		n := count[id]
		if n > 1 {
			f.Errorf("event of frame %s is there %d times", id, n)
		}
		round := roundOf(at)
		if end := newest[round]; n == 0 && end.Sub(at) > time.Second {
			f.Errorf("frame %s was written %s before the last thing that is there, and is lost", id, end.Sub(at))
			lost[round] = true
		} else if n == 0 {
			late++
		}
	}
	for _, k := range []event.Kind{event.KindCommit, event.KindUncommit, event.KindRename, event.KindSave, event.KindTick,
		event.KindPrompt, event.KindSuggest, event.KindOutcome} {
		if kinds[k] == 0 {
			f.Errorf("the stream had no %s: %v", k, kinds)
		}
	}
	f.Logf("%d acknowledged, %d frames, %d of them lost in the last second; %v", len(f.acked), len(f.wrote), late, kinds)
	return len(lost)
}

// openLog opens the database of a daemon that does not run.
func openLog(d *sandbox) *cold.DB {
	d.Helper()
	store := d.place().Store
	seal, err := cold.OpenSeal(
		cold.SealOptions{Identity: filepath.Join(locate.StateFolder(config.Lookup(d.env)), "identity"), Keys: filepath.Join(store, "keys")})
	if err != nil {
		d.Fatal(err)
	}
	db, err := cold.Open(d.Context(), filepath.Join(store, "aoa.db"), cold.Options{Now: time.Now, Seal: seal})
	if err != nil {
		d.Fatal(err)
	}
	return db
}

// questions are asked of the daemon and of a store that has learned the same log.
func questions(d *sandbox) []event.Query {
	out := []event.Query{
		{Task: event.TaskNext},
		{Task: event.TaskChange, Files: []event.Path{"server/wire.go"}},
		{Task: event.TaskChange, Files: []event.Path{"docs/protocol.md", "cmd/main.go"}},
		{Task: event.TaskPrompt, Prompt: "retry the protocol in cmd/main.go", Tags: []string{"testing"}},
	}
	sessions := mustCall(d, api.Stats, api.StatsRequest{Table: "sessions", Limit: 50}).Sessions
	if len(sessions) < 3 {
		d.Fatalf("only %d sessions were learned", len(sessions))
	}
	for _, s := range sessions {
		out = append(out, event.Query{Task: event.TaskNext, Session: s.ID},
			event.Query{Task: event.TaskPrompt, Session: s.ID, Prompt: "wire"})
	}
	for i := range out {
		out[i].Explain, out[i].Limit = true, 100
	}
	return out
}

// sameAsReplayed asks the running daemon and then, with the daemon killed so that it adds nothing, an empty store
// that learned the whole log in one go.
func sameAsReplayed(d *sandbox, daemon *exec.Cmd) {
	d.Helper()
	ask := questions(d)
	var answers []event.Answer
	var theta api.ThresholdAnswer
	d.until("nothing happens meanwhile", func() bool {
		before := d.status()
		answers = answers[:0]
		for _, q := range ask {
			answers = append(answers, mustCall(d, api.Rank, q))
		}
		theta = mustCall(d, api.Threshold, api.None{})
		after := d.status()
		return before.Events == after.Events && before.Commits == after.Commits && after.Import.State == "done"
	})
	d.kill(daemon)
	repo, err := watcher.OpenRepo(d.Context(), d.dir, d.env)
	if err != nil {
		d.Fatal(err)
	}
	files, err := repo.Files(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	r := newReplayed(d, files, time.UnixMilli(answers[0].At))
	found := 0
	for i, q := range ask {
		q.At = time.UnixMilli(answers[i].At)
		want, err := r.prefetch.Answer(d.Context(), q)
		if err != nil {
			d.Fatal(err)
		}
		found += len(want.Suggestions)
		compare(d, fmt.Sprintf("question %d %+v", i, q), answers[i], want)
	}
	if found < 20 {
		d.Errorf("only %d suggestions were compared", found)
	}
	_, kinds, err := r.prefetch.Threshold(d.Context(), "", time.Now())
	if err != nil {
		d.Fatal(err)
	}
	if !maps.EqualFunc(kinds, theta.Kinds, near) {
		d.Errorf("thresholds are %v, replayed %v", theta.Kinds, kinds)
	}
}

func compare(d *sandbox, what string, got, want event.Answer) {
	d.Helper()
	if len(got.Suggestions) != len(want.Suggestions) {
		d.Errorf("%s: %d suggestions, replayed %d", what, len(got.Suggestions), len(want.Suggestions))
		return
	}
	// Files of one score may change places in the last digit.
	byFile := map[event.Path]event.Suggestion{}
	for _, s := range want.Suggestions {
		byFile[s.File] = s
	}
	for _, g := range got.Suggestions {
		w, ok := byFile[g.File]
		if !ok || !near(g.Score, w.Score) || !near(g.Logit, w.Logit) {
			d.Errorf("%s: %s has %.12f (logit %.12f), replayed %.12f (%.12f)", what, g.File, g.Score, g.Logit, w.Score, w.Logit)
			continue
		}
		values := map[string][2]float64{}
		for _, r := range w.Reasons {
			values[r.Signal] = [2]float64{r.Value, r.Weight}
		}
		for _, r := range g.Reasons {
			if v := values[r.Signal]; !near(r.Value, v[0]) || !near(r.Weight, v[1]) {
				d.Errorf("%s: %s: %s is %v·%v, replayed %v·%v", what, g.File, r.Signal, r.Value, r.Weight, v[0], v[1])
			}
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// replayed is an empty store that has learned a log from its first event to its last, without a refit after the questions.
type replayed struct {
	prefetch *prefetch.Prefetcher
}

func newReplayed(d *sandbox, files []event.Path, asked time.Time) replayed {
	d.Helper()
	tree, contents, texts := index.NewTree(files), index.NewContents(), map[event.Path][]byte{}
	for _, p := range files {
		text, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(string(p))))
		if err != nil {
			d.Fatal(err)
		}
		contents.Set(p, text)
		texts[p] = text
	}
	store := hot.New(time.Now)
	ranker := rank.New(store, func() *index.Tree { return tree }, rank.Options{Contents: func() *index.Contents { return contents },
		Read: func(p event.Path) []byte { return texts[p] }})
	db := openLog(d)
	fetch := prefetch.New(store, ranker, prefetch.Options{Threshold: func() float64 { return prefetch.Aggressive }, Archive: prefetch.Archive{Together: db.Together, Changes: db.Changes}})
	learner := learn.New(store, learn.Options{Fold: fetch.Fold})
	err := db.Replay(d.Context(), 0, func(seq int64, batch []event.Event) error {
		// The fit of a starting daemon may be logged after the questions were answered.
		batch = slices.DeleteFunc(batch, func(e event.Event) bool { return e.Why == "refit" && !e.Time.Before(asked) })
		return learner.Learn(d.Context(), batch, seq)
	})
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { db.Close() })
	return replayed{fetch}
}
