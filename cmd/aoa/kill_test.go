package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/fault"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/watcher"
)

// TestKilled: a daemon is fed by several agents, by hooks that write and leave, by people's saves and by git, and
// killed in the middle, again and again. What it acknowledged is there, once; what hooks wrote is lost for the last
// second at most; and the next daemon, from snapshot and tail, ranks to the digit as one does that learns the whole
// surviving log without a break.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the feed writes as Unix hooks do, and nobody is killed on Windows as a power failure kills")
	}
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, 40)
			d.must("init")
			d.must("stop")
			f := newFeed(d, seed)
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
				t.Errorf("a daemon that was told to end: %v", err)
			}
			daemon = d.daemon()
			d.read()
			sameAsReplayed(d, daemon)
		})
	}
}

// feed is everybody who tells the daemon something, from one seed.
type feed struct {
	*desk
	r     *rand.Rand
	files []string
	n     int

	ends []time.Time // of the daemons

	mu    sync.Mutex           // guards what follows, and n
	acked map[string]time.Time // by POST /v1/events
	wrote map[string]time.Time // by frames
}

func newFeed(d *desk, seed uint64) *feed {
	return &feed{desk: d, r: rand.New(rand.NewPCG(seed, 11)), acked: map[string]time.Time{}, wrote: map[string]time.Time{},
		files: []string{"server/wire.go", "docs/protocol.md", "server/wire_test.go", "README.md", "cmd/main.go", "other/file7.go", "other/file15.go"}}
}

// round starts a daemon, feeds it, and kills it at a moment that the seed decides.
func (f *feed) round() {
	daemon := f.daemon("AOA_SNAPSHOT_INTERVAL=1s", "AOA_HOLDOUT=0")
	ctx, cancel := context.WithCancel(f.Context())
	var all sync.WaitGroup
	for _, one := range []func(context.Context, *rand.Rand){f.tool, f.tool, f.agent, f.person} {
		r := rand.New(rand.NewPCG(f.r.Uint64(), 1))
		all.Go(func() { one(ctx, r) })
	}
	<-time.After(1200*time.Millisecond + time.Duration(f.r.IntN(1000))*time.Millisecond)
	f.kill(daemon)
	f.ends = append(f.ends, time.Now())
	cancel()
	all.Wait()
}

func (f *feed) next() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return fmt.Sprintf("e%d", f.n)
}

// tool posts batches of events of two sessions, ticks among them, until the daemon is gone.
func (f *feed) tool(ctx context.Context, r *rand.Rand) {
	kinds := []aoa.Kind{aoa.KindRead, aoa.KindEdit, aoa.KindRead, aoa.KindPrompt, aoa.KindSearch, aoa.KindTick}
	for ctx.Err() == nil {
		var batch []aoa.Event
		for range 1 + r.IntN(5) {
			e := aoa.Event{ID: f.next(), Time: time.Now(), Kind: kinds[r.IntN(len(kinds))], Agent: "tool", OK: true}
			if e.Kind != aoa.KindTick {
				e.Session = fmt.Sprintf("tool%d", r.IntN(2))
				e.Terms = []string{"protocol", "wire", "retry"}[:r.IntN(4)]
				e.Tags = []string{"testing"}[:r.IntN(2)]
			}
			if e.Kind.Open() || e.Kind == aoa.KindSearch {
				e.Paths = []aoa.Path{aoa.Path(f.files[r.IntN(len(f.files))])}
			}
			batch = append(batch, e)
		}
		ans, err := api.Call(ctx, f.client(), api.Events, batch)
		if err != nil {
			return
		}
		f.mu.Lock()
		for _, e := range batch {
			f.acked[e.ID] = e.Time
		}
		f.mu.Unlock()
		if ans.Accepted != len(batch) {
			f.Errorf("of %d new events %d were accepted", len(batch), ans.Accepted)
		}
	}
}

// agent is an agent's hooks: some ask and wait, most write and leave.
func (f *feed) agent(ctx context.Context, r *rand.Rand) {
	session := f.next()
	for pace := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			pace.Stop()
			return
		case <-pace.C:
		}
		id, file := f.next(), f.files[r.IntN(len(f.files))]
		fr := api.Frame{Agent: "claude", Cwd: f.dir}
		switch r.IntN(8) {
		case 0:
			fr.Wait, fr.Payload = true, f.hook("UserPromptSubmit", session, id, "", "mend the protocol of the wire")
		case 1, 2:
			fr.Wait, fr.Payload = true, f.hook("PreToolUse", session, id, "Read", file)
		default:
			fr.Payload = f.hook("PostToolUse", session, id, []string{"Read", "Edit"}[r.IntN(2)], file)
			id = session + ":" + id + ":post:" // the event's id: a short one is the session's
		}
		at := time.Now()
		if _, err := f.frame(fr); err != nil {
			if fr.Wait {
				continue // killed while it was asked
			}
			return
		}
		if !fr.Wait {
			f.mu.Lock()
			f.wrote[id] = at
			f.mu.Unlock()
		}
	}
}

// person saves, commits, amends, renames and switches branches.
func (f *feed) person(ctx context.Context, r *rand.Rand) {
	for i := 0; ctx.Err() == nil; i++ {
		name := f.files[r.IntN(3)]
		f.write(name, f.next())
		switch i % 6 {
		case 1:
			f.git("commit", "-qam", "mend "+name)
		case 2:
			f.git("commit", "-qam", "to be amended")
			f.noticed(ctx)
			f.write("server/wire_test.go", f.next())
			f.git("commit", "-qa", "--amend", "-m", "amended")
		case 3:
			f.git("commit", "-qa", "--allow-empty", "-m", "before the move")
			from, to := "cmd/main.go", "cmd/start.go"
			if f.command("git", "cat-file", "-e", "HEAD:"+from).Run() != nil {
				from, to = to, from
			}
			f.git("mv", from, to)
			f.git("commit", "-qm", "move "+from)
		case 4:
			f.git("commit", "-qam", "dropped soon")
			f.noticed(ctx)
			f.git("reset", "-q", "--hard", "HEAD~1")
		case 5:
			f.git("commit", "-qam", "on a branch")
			f.git("switch", "-q", "-C", "side")
			f.git("switch", "-q", "main")
		}
	}
}

// noticed waits until the daemon has counted the newest commit, or is gone.
func (f *feed) noticed(ctx context.Context) {
	id := "commit:" + f.git("rev-parse", "HEAD")
	newest := api.LogRequest{Kinds: []aoa.Kind{aoa.KindCommit}, Limit: 20}
	f.until("a commit is noticed", func() bool {
		ans, err := api.Call(ctx, f.client(), api.Log, newest)
		return err != nil || slices.ContainsFunc(ans.Events, func(e aoa.Event) bool { return e.ID == id })
	})
}

// survived looks into the log that the killed daemons left. It returns how many of them lost something.
func (f *feed) survived() int {
	f.Helper()
	lost := map[int]bool{}
	count := map[string]int{}
	kinds := map[aoa.Kind]int{}
	db := openLog(f.desk)
	err := db.Replay(f.Context(), 0, func(_ int64, batch []aoa.Event) error {
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
	for _, told := range []map[string]time.Time{f.acked, f.wrote} {
		for id, at := range told {
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
	for _, k := range []aoa.Kind{aoa.KindCommit, aoa.KindUncommit, aoa.KindRename, aoa.KindSave, aoa.KindTick, aoa.KindPrompt, aoa.KindSuggest, aoa.KindOutcome} {
		if kinds[k] == 0 {
			f.Errorf("the stream had no %s: %v", k, kinds)
		}
	}
	f.Logf("%d acknowledged, %d frames, %d of them lost in the last second; %v", len(f.acked), len(f.wrote), late, kinds)
	return len(lost)
}

// openLog opens the database of a daemon that does not run.
func openLog(d *desk) *cold.DB {
	d.Helper()
	db, err := cold.Open(d.Context(), filepath.Join(d.place().Store, "aoa.db"), cold.Options{Now: time.Now})
	if err != nil {
		d.Fatal(err)
	}
	return db
}

// questions are asked of the daemon and of a store that has learned the same log.
func questions(d *desk) []aoa.Query {
	out := []aoa.Query{
		{Moment: aoa.MomentOpen},
		{Moment: aoa.MomentChange, Files: []aoa.Path{"server/wire.go"}},
		{Moment: aoa.MomentChange, Files: []aoa.Path{"docs/protocol.md", "cmd/main.go"}},
		{Moment: aoa.MomentPrompt, Prompt: "retry the protocol in cmd/main.go", Tags: []string{"testing"}},
	}
	sessions := call(d, api.Stats, api.StatsRequest{Table: "sessions", Limit: 50}).Sessions
	if len(sessions) < 3 {
		d.Fatalf("only %d sessions were learned", len(sessions))
	}
	for _, s := range sessions {
		out = append(out, aoa.Query{Moment: aoa.MomentOpen, Session: s.ID}, aoa.Query{Moment: aoa.MomentPrompt, Session: s.ID, Prompt: "wire"})
	}
	for i := range out {
		out[i].Explain, out[i].Limit = true, 100
	}
	return out
}

// sameAsReplayed asks the running daemon and then, with the daemon killed so that it adds nothing, an empty store
// that learned the whole log in one go.
func sameAsReplayed(d *desk, daemon *exec.Cmd) {
	d.Helper()
	ask := questions(d)
	var told []aoa.Answer
	var theta api.ThresholdAnswer
	d.until("nothing happens meanwhile", func() bool {
		before := d.status()
		told = told[:0]
		for _, q := range ask {
			told = append(told, call(d, api.Rank, q))
		}
		theta = call(d, api.Threshold, api.None{})
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
	r := newReplayed(d, files)
	found := 0
	for i, q := range ask {
		q.At = time.UnixMilli(told[i].At)
		want, err := r.ranker.Rank(d.Context(), q)
		if err != nil {
			d.Fatal(err)
		}
		found += len(want.Suggestions)
		compare(d, fmt.Sprintf("question %d %+v", i, q), told[i], want)
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

func compare(d *desk, what string, got, want aoa.Answer) {
	d.Helper()
	if len(got.Suggestions) != len(want.Suggestions) {
		d.Errorf("%s: %d suggestions, replayed %d", what, len(got.Suggestions), len(want.Suggestions))
		return
	}
	// Files of one score may change places in the last digit.
	byFile := map[aoa.Path]aoa.Suggestion{}
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

// replayed is an empty store that has learned a log from its first event to its last.
type replayed struct {
	ranker   *rank.Ranker
	prefetch *prefetch.Prefetcher
}

func newReplayed(d *desk, files []aoa.Path) replayed {
	d.Helper()
	tree, contents := aoa.NewTree(files), aoa.NewContents()
	for _, p := range files {
		text, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(string(p))))
		if err != nil {
			d.Fatal(err)
		}
		contents.Set(p, text)
	}
	store, err := hot.Open(d.Context(), hot.Options{Repo: "replayed", Writer: "test", Now: time.Now})
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { store.Close() })
	ranker := rank.New(store, func() *aoa.Tree { return tree }, rank.Options{Contents: func() *aoa.Contents { return contents }})
	fetch := prefetch.New(store, ranker, prefetch.Options{})
	learner := learn.New(store, learn.Options{Fold: fetch.Fold})
	db := openLog(d)
	err = db.Replay(d.Context(), 0, func(seq int64, batch []aoa.Event) error { return learner.Learn(d.Context(), batch, seq) })
	if err := errors.Join(err, db.Close()); err != nil {
		d.Fatal(err)
	}
	return replayed{ranker, fetch}
}
