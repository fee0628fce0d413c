package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// outage is a fault of the server: what happens to it, and how it comes back. noticed says that daemons cannot miss it.
type outage struct {
	hurt, heal func()
	noticed    bool
}

// TestServerKilled: the server is killed while two daemons exchange events, and comes back with all it had but the end
// that a power failure takes, with a dump of seconds ago, or with nothing.
func TestServerKilled(t *testing.T) {
	for name, args := range map[string][]string{"log kept": kept, "dump kept": {"--save", "1 1"},
		"nothing kept": fleeting} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, args...)
			x := newTeam(t, s.url(), 2, 21)
			heal := func() {
				if name == "log kept" && x.r.IntN(2) == 0 {
					s.tear(x.r.IntN(4096))
				}
				s.start()
			}
			x.suffer(fault.Open(t, "server killed, "+name), fault.Rounds(), func() outage { return outage{s.kill, heal, true} })
		})
	}
}

// tear cuts the end off the log of a server that is down, and mends it as Redis' documentation says. Without that, a
// log that is torn inside of a transaction keeps the half of it, and Redis carries that out after the next fault.
func (s *server) tear(n int) {
	s.Helper()
	dir := s.args[slices.Index(s.args, "--dir")+1]
	check(s.T, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".incr.aof") {
			return err
		}
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, max(0, st.Size()-int64(n)))
	}))
	cmd := exec.Command("redis-check-aof", "--fix", filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest"))
	cmd.Stdin = strings.NewReader("y\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("mend the server's log: %v: %s", err, out)
	}
}

// TestServerNetworkFaults: the network between the daemons and the server is cut, swallows, drags, or breaks in the
// middle of an answer, one after the other.
func TestServerNetworkFaults(t *testing.T) {
	t.Parallel()
	s := newServer(t, fleeting...)
	c := newProxy(t, s.addr)
	x := newTeam(t, c.url(), 2, 23)
	for _, one := range []struct {
		name    string
		how     int32
		noticed bool
	}{{"cut", cut, true}, {"half open", swallowed, false}, {"slow", slow, false}, {"reset in an answer", broken, false}} {
		turn := outage{func() { c.turn(one.how) }, func() { c.turn(through) }, one.noticed}
		if one.how == broken {
			turn.heal = func() {
				x.sandboxes[0].until("an answer is broken off", func() bool { return c.how.Load() == through })
			}
		}
		x.suffer(fault.Open(t, "network: "+one.name), fault.Rounds(), func() outage { return turn })
	}
	if n := int(c.broken.Load()); n < fault.Rounds() {
		t.Errorf("only %d answers were broken off in %d rounds", n, fault.Rounds())
	}
}

// TestServerFailover: a sentinel makes the replica the master, because of a command or because the master died.
func TestServerFailover(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	x := newTeam(t, w.url(), 2, 24)
	commanded := func() outage {
		old := w.master()
		return outage{func() {
			x.sandboxes[0].until("the sentinel agrees", func() bool {
				_, err := w.sentinel.tell("SENTINEL", "FAILOVER", "main")
				return err == nil
			})
		}, func() {
			x.sandboxes[0].until("there is another master", func() bool { return w.master() != old })
			w.whole()
		}, false} // it may pass between two requests of a daemon
	}
	died := func() outage {
		old := w.master()
		return outage{old.kill, func() {
			x.sandboxes[0].until("there is another master", func() bool { return w.master() != old })
			old.start()
			w.whole()
		}, true}
	}
	rounds := max(1, fault.Rounds()/10)
	x.suffer(fault.Open(t, "fail-over, on command"), rounds, commanded)
	x.suffer(fault.Open(t, "fail-over, master killed"), rounds, died)
}

// answered is how many hooks have been answered.
func (x *team) answered() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.took)
}

// suffer runs rounds: agents work and ask, in the middle the server is hurt and healed, and in the end all clones hold
// what all have acknowledged, and have learned the same, while the daemons said once what had happened.
func (x *team) suffer(book *fault.Book, rounds int, next func() outage) {
	x.Helper()
	if diff, _ := x.differs(patient); diff != "" {
		x.Fatalf("before the first round: %s", diff)
	}
	for round := range rounds {
		var since []int
		for _, d := range x.sandboxes {
			_, n := d.logged("", 0)
			since = append(since, n)
		}
		x.outage(next())
		verdict := fault.Whole
		diff, lost := x.differs(patient)
		if len(lost) > 0 {
			verdict = fault.Lost
			x.Errorf("round %d: of what was acknowledged %v", round, lost)
		}
		if diff != "" {
			verdict = fault.Wrong
			x.Errorf("round %d: %s", round, diff)
			for i, d := range x.sandboxes {
				lines, _ := d.logged("", since[i])
				x.Logf("daemon %d, status %v:\n%s", i, d.status().Warnings, strings.Join(lines, "\n"))
			}
		}
		for i, d := range x.sandboxes {
			d.until("the daemon says that it is connected again", func() bool {
				return !strings.Contains(strings.Join(d.status().Warnings, "\n"), "batches wait")
			})
			gone, _ := d.logged("the team's server does not answer", since[i])
			harm, _ := d.logged("level=ERROR", since[i])
			if len(gone) > 2 || len(harm) > 0 {
				x.Errorf("round %d: daemon %d said %d times that the server is gone: %v %v", round, i, len(gone), gone, harm)
			}
		}
		book.Add(verdict, 1)
		if x.Failed() {
			break
		}
	}
	// The deadline of a hook is 45 ms; a daemon that waits for its server would take 2 s. What a busy machine adds is not
	// in the middle of many.
	slices.Sort(x.took)
	half, most := x.took[len(x.took)/2], x.took[len(x.took)-1]
	x.Logf("%d hooks were answered, half of them within %s, all within %s", len(x.took), half, most)
	if half > time.Second {
		x.Errorf("hooks wait for the server: half of them more than %s", half)
	}
	x.took = nil
}

// outage hurts and heals the server while all daemons work.
func (x *team) outage(o outage) {
	x.Helper()
	ctx, cancel := context.WithCancel(x.Context())
	var all sync.WaitGroup
	for i := range x.sandboxes {
		r := rand.New(rand.NewPCG(x.r.Uint64(), 2))
		all.Go(func() {
			for ctx.Err() == nil {
				x.work(i, r, 1)
				x.asked(i, r)
			}
		})
	}
	wait := func(least, spread int) { fault.Pass(time.Duration(least+x.r.IntN(spread)) * time.Millisecond) }
	var since []int
	for _, d := range x.sandboxes {
		_, n := d.logged("", 0)
		since = append(since, n)
	}
	wait(20, 150)
	o.hurt()
	wait(50, 400)
	o.heal()
	wait(20, 100)
	if o.noticed {
		for i, d := range x.sandboxes {
			d.until("the daemon says that the server is gone", func() bool {
				lines, _ := d.logged("the team's server does not answer", since[i])
				return len(lines) > 0
			})
		}
	}
	cancel()
	all.Wait()
}

// asked asks a daemon as a hook and as a person do; both are answered, in time, whatever becomes of the server.
func (x *team) asked(i int, r *rand.Rand) {
	d := x.sandboxes[i]
	begin := time.Now()
	x.mu.Lock()
	x.n++
	id := fmt.Sprint("h", x.n)
	x.mu.Unlock()
	_, err := d.send(api.Hook{Agent: "claude", Dir: d.dir, Wait: true,
		Payload: d.hook("PreToolUse", fmt.Sprint("agent", i), id, "Read", "server/wire.go")})
	hook := time.Since(begin)
	ans, err2 := api.Call(x.Context(), d.client(), api.Rank,
		event.Query{Task: event.TaskChange, Files: []event.Path{"server/wire.go"}, Limit: 3})
	if err := errors.Join(err, err2); err != nil || len(ans.Suggestions) == 0 {
		x.Errorf("daemon %d: %d suggestions, %v", i, len(ans.Suggestions), err)
	}
	x.mu.Lock()
	x.took = append(x.took, hook)
	x.mu.Unlock()
	fault.Pass(time.Duration(r.IntN(10)) * time.Millisecond)
}
