package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
// others are told to stop, also twice.
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
	newest := api.LogRequest{Kinds: []event.Kind{event.KindCommit}, Limit: 20}
	f.until("a commit is noticed", func() bool {
		ans, err := api.Call(ctx, f.client(), api.Log, newest)
		return err != nil || slices.ContainsFunc(ans.Events, func(e event.Event) bool { return e.ID == id })
	})
}
