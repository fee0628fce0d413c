package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestKilled: a daemon is fed by several agents, by hooks that write and leave, by people's saves
// and by git, and killed in the middle, again and again. What it acknowledged is there, once, and
// what hooks wrote is lost for the last second at most.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the workload writes as Unix hooks do, and Windows has no signal that kills as a power failure does")
	}
	for seed := range uint64(fault.Size(1, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := newSandbox(t, 40)
			d.env = append(d.env, "AOA_THRESHOLD=aggressive") // something is to be suggested, too
			d.must("init")
			d.must("daemon", "stop")
			f := newWorkload(d, seed)
			rounds := max(3, fault.Rounds()) // fewer do not see everything
			// On a busy machine some rounds end before the daemon has seen a commit that is
			// amended, or a file that is moved.
			for n := 0; n < rounds || n < 4*rounds && !f.saw(event.KindUncommit, event.KindRename); n++ {
				f.round()
			}
			rounds = len(f.begins)
			book := fault.Open(t, "daemon killed")
			lost := f.survived()
			book.Add(fault.Lost, lost)
			if book.Add(fault.Whole, rounds-lost); lost == 0 && t.Failed() {
				book.Add(fault.Wrong, 1) // some round of them: the state that they left is judged as one
			}
		})
	}
}

// survived looks into the log that the killed daemons left. It returns how many of them lost
// something.
func (f *workload) survived() int {
	f.Helper()
	lost := map[int]bool{}
	count, kinds := f.logged()
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
	// What was written after a daemon was killed is of its round: a child that it was about to
	// start holds its socket open for some milliseconds more.
	roundOf := func(at time.Time) int {
		n, _ := slices.BinarySearchFunc(f.begins, at, time.Time.Compare)
		return max(n-1, 0)
	}
	newest := make([]time.Time, len(f.begins)) // of what each daemon kept: on a busy machine it had not seen the rest
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
		event.KindPrompt, event.KindHint} {
		if kinds[k] == 0 {
			f.Errorf("the stream had no %s: %v", k, kinds)
		}
	}
	f.Logf("%d acknowledged, %d frames, %d of them lost in the last second; %v", len(f.acked), len(f.wrote), late, kinds)
	return len(lost)
}

// logged counts the events of the log by their ids and by their kinds.
func (f *workload) logged() (ids map[string]int, kinds map[event.Kind]int) {
	f.Helper()
	ids, kinds = map[string]int{}, map[event.Kind]int{}
	db := openLog(f.sandbox)
	err := db.Replay(f.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			ids[e.ID]++
			kinds[e.Kind()]++
		}
		return nil
	})
	fault.Check(f, errors.Join(err, db.Close()))
	return ids, kinds
}

// saw reports whether the log has events of all these kinds.
func (f *workload) saw(kinds ...event.Kind) bool {
	_, have := f.logged()
	return !slices.ContainsFunc(kinds, func(k event.Kind) bool { return have[k] == 0 })
}

// openLog opens the database of a daemon that does not run.
func openLog(d *sandbox) *cold.DB {
	d.Helper()
	store := d.place().Store
	seal := fault.Must(cold.OpenSeal(locate.KeyFile(config.Lookup(d.env))))
	db := fault.Must(cold.Open(d.Context(), filepath.Join(store, "aoa.db"), cold.Options{Now: time.Now, Seal: seal}))
	return db
}

// workload is everybody who tells the daemon something, from one seed.
type workload struct {
	*sandbox
	r     *rand.Rand
	files []string
	n     int
	step  int // of the person: a busy machine does few in a round, so the next round goes on

	begins []time.Time // of the rounds

	mu    sync.Mutex           // guards what follows, and n
	acked map[string]time.Time // by POST /v1/events
	wrote map[string]time.Time // by frames
}

func newWorkload(d *sandbox, seed uint64) *workload {
	return &workload{sandbox: d, r: rand.New(rand.NewPCG(seed, 11)), acked: map[string]time.Time{},
		wrote: map[string]time.Time{}, step: 2,
		files: []string{"server/wire.go", "docs/protocol.md", "server/wire_test.go", "README.md", "cmd/main.go",
			"other/file7.go", "other/file15.go"}}
}

// round starts a daemon, feeds it, and ends it at a moment that the seed decides: most are killed,
// others are asked to stop, also twice.
func (f *workload) round() {
	f.begins = append(f.begins, time.Now())
	daemon := f.daemon("AOA_HOLDOUT=0")
	ctx, cancel := context.WithCancel(f.Context())
	var all sync.WaitGroup
	crowd := []func(context.Context, *rand.Rand){f.person, f.tool, f.tool, f.agent}
	if fault.Rounds() > 3 { // four that write and sixteen agents
		crowd = append(append(crowd, f.tool, f.tool), slices.Repeat(crowd[3:], 15)...)
	}
	for _, one := range crowd {
		r := rand.New(rand.NewPCG(f.r.Uint64(), 1))
		all.Go(func() { one(ctx, r) })
	}
	fault.Pass(1200*time.Millisecond + time.Duration(f.r.IntN(1000))*time.Millisecond)
	if ends := f.r.IntN(4); ends < 2 {
		f.kill(daemon)
	} else {
		for range ends - 1 {
			_ = daemon.Process.Signal(syscall.SIGTERM) // it may have ended
		}
		f.ends(daemon)
	}
	cancel()
	all.Wait()
}

func (f *workload) next() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return fmt.Sprintf("e%d", f.n)
}

// tool posts batches of events of two sessions, ticks among them, until the daemon is gone.
func (f *workload) tool(ctx context.Context, r *rand.Rand) {
	kinds := []event.Kind{event.KindRead, event.KindEdit, event.KindRead, event.KindPrompt, event.KindSearch,
		event.KindTick}
	for ctx.Err() == nil {
		var batch []event.Event
		for range 1 + r.IntN(5) {
			e := event.Event{ID: f.next(), Time: time.Now(), Agent: "tool",
				Body: eventtest.Body(kinds[r.IntN(len(kinds))])}
			if e.Kind() != event.KindTick {
				e.Session = fmt.Sprintf("tool%d", r.IntN(2))
				eventtest.Set(&e, "Terms", []string{"protocol", "wire", "retry"}[:r.IntN(4)])
				eventtest.Set(&e, "Tags", []string{"testing"}[:r.IntN(2)])
			}
			if e.Opens() || e.Kind() == event.KindSearch {
				eventtest.Set(&e, "Paths", []event.Path{event.Path(f.files[r.IntN(len(f.files))])})
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

// agent is an agent's hooks: some ask and wait, most write and leave. Each session begins with a
// prompt: of its files nothing is known yet, so that there is something to suggest.
func (f *workload) agent(ctx context.Context, r *rand.Rand) {
	session := ""
	pace := time.NewTicker(5 * time.Millisecond) // load
	defer pace.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
		if i%25 == 0 {
			session = f.next()
		}
		id, file := f.next(), f.files[r.IntN(len(f.files))]
		fr := api.Hook{Agent: "claude", Dir: f.dir}
		switch n := r.IntN(8); {
		case n == 0 || i%25 == 0:
			fr.Wait, fr.Payload = true, f.hook("UserPromptSubmit", session, id, "", "mend the protocol of the wire")
		case n < 3:
			fr.Wait, fr.Payload = true, f.hook("PreToolUse", session, id, "Read", file)
		default:
			fr.Payload = f.hook("PostToolUse", session, id, []string{"Read", "Edit"}[r.IntN(2)], file)
			id = session + ":" + id + ":post:" // the event's id: a short one is the session's
		}
		at := time.Now()
		if _, err := f.send(fr); err != nil {
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
func (f *workload) person(ctx context.Context, r *rand.Rand) {
	for ; ctx.Err() == nil; f.step++ {
		name := f.files[r.IntN(3)]
		f.write(name, f.next())
		f.write("notes.txt", f.next()) // never committed: what is committed at once is git's, and no save
		switch f.step % 6 {
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
func (f *workload) noticed(ctx context.Context) {
	id := "commit:" + f.git("rev-parse", "HEAD")
	newest := cold.LogFilter{Kinds: []event.Kind{event.KindCommit}, Limit: 20}
	f.until("a commit is noticed", func() bool {
		ans, err := api.Call(ctx, f.client(), api.Log, newest)
		return err != nil || slices.ContainsFunc(ans.Events, func(e event.Event) bool { return e.ID == id })
	})
}
