package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// team is several clones of one repository, each with a home, a daemon and a log of its own, that share a server.
type team struct {
	*testing.T
	url, id   string
	sandboxes []*sandbox
	r         *rand.Rand

	mu    sync.Mutex // guards what follows
	n     int
	acked map[string]bool
	took  []time.Duration // to answer a hook
}

func newTeam(t *testing.T, url string, clones int, seed uint64) *team {
	t.Helper()
	x := &team{T: t, url: url, id: fmt.Sprint("team-", rand.Uint64()), r: rand.New(rand.NewPCG(seed, 7)), acked: map[string]bool{}}
	for i := range clones {
		d := newSandbox(t, 24*max(0, 1-i))
		d.env = append(d.env, "AOA_REDIS_URL="+url, "AOA_REPO_ID="+x.id, "AOA_HOLDOUT=0")
		if i > 0 {
			d.git("pull", "-q", x.sandboxes[0].dir, "main")
		}
		x.sandboxes = append(x.sandboxes, d)
		d.must("init")
	}
	return x
}

// work posts n batches of what agents do to one of the daemons, as seeded.
func (x *team) work(i int, r *rand.Rand, n int) {
	kinds := []event.Kind{event.KindRead, event.KindEdit, event.KindRead, event.KindPrompt, event.KindSearch}
	files := []event.Path{"server/wire.go", "docs/protocol.md", "server/wire_test.go", "README.md", "cmd/main.go"}
	for range n {
		var batch []event.Event
		for range 1 + r.IntN(5) {
			x.mu.Lock()
			x.n++
			e := event.Event{ID: fmt.Sprint("e", x.n), Time: time.Now(), Kind: kinds[r.IntN(len(kinds))], Agent: "tool", OK: true}
			x.mu.Unlock()
			e.Session = fmt.Sprint("s", i, "-", r.IntN(2))
			e.Terms, e.Tags = []string{"protocol", "wire", "retry"}[:r.IntN(4)], []string{"testing"}[:r.IntN(2)]
			if e.Kind != event.KindPrompt {
				e.Paths = []event.Path{files[r.IntN(len(files))]}
			}
			batch = append(batch, e)
		}
		if _, err := api.Call(x.Context(), x.sandboxes[i].client(), api.Events, batch); err != nil {
			x.Errorf("daemon %d took no events: %v", i, err)
			return
		}
		x.mu.Lock()
		for _, e := range batch {
			x.acked[e.ID] = true
		}
		x.mu.Unlock()
	}
}

// everybody lets all of them work at once.
func (x *team) everybody(batches int) {
	var all sync.WaitGroup
	for i := range x.sandboxes {
		r := rand.New(rand.NewPCG(x.r.Uint64(), 1))
		all.Go(func() { x.work(i, r, batches) })
	}
	all.Wait()
}

// clone is what one clone's log does to a store of all of them: how far it is, is its own.
type clone struct {
	*hot.Store
	all *hot.Store
	seq *int64 // of the last batch of all clones
}

func (c clone) Apply(ctx context.Context, b *hot.Batch, seq int64) error {
	*c.seq++
	return errors.Join(c.all.Apply(ctx, b.Scores(), *c.seq), c.Store.Apply(ctx, hot.NewBatch(), seq))
}

// twin is a store that learned all the logs one after the other: every event and every commit once. lost are events
// that were acknowledged and are in no log, or in it twice.
func (x *team) twin() (store *hot.Store, lost []string) {
	x.Helper()
	store = hot.New(nil)
	seen, seq := map[string]int{}, int64(0)
	for _, d := range x.sandboxes {
		learner := learn.New(clone{hot.New(nil), store, &seq}, live.New(), learn.Options{})
		db := openLog(d)
		err := db.Replay(x.Context(), 0, func(n int64, batch []event.Event) error {
			var mine []event.Event
			for _, e := range batch {
				if seen[e.ID]++; seen[e.ID] == 1 || e.Kind != event.KindCommit {
					mine = append(mine, e)
				}
			}
			return learner.Learn(x.Context(), mine, n)
		})
		check(x.T, errors.Join(err, db.Close()))
	}
	for id := range x.acked {
		if seen[id] != 1 {
			lost = append(lost, fmt.Sprintf("%s is there %d times", id, seen[id]))
		}
	}
	return store, lost
}

// scores are all that is shared of the repository's files and of the words of the work, as of a time.
func (x *team) scores(s *hot.Store, at time.Time) (names []string, values []float64, err error) {
	files := strings.Fields(x.sandboxes[0].git("ls-files"))
	words, tags := []string{"protocol", "wire", "retry", "change"}, []string{"testing"}
	v := s.View(at)
	var got []*hot.Values
	ask := func(name string, members []string, vs *hot.Values) {
		for _, m := range members {
			names = append(names, name+" "+m)
		}
		got = append(got, vs)
	}
	for _, f := range []*hot.Family{hot.Recency, hot.Committed, hot.Frequency, hot.Churn, hot.Changes, hot.Sessions} {
		ask(f.Name, files, v.Of(f, files))
	}
	ask("tag_freq", tags, v.Of(hot.TagFreq, tags))
	ask("term_freq", words, v.Of(hot.TermFreq, words))
	for _, o := range files {
		for _, f := range []*hot.Family{hot.Comod, hot.Coaccess} {
			ask(f.Name+" "+o, files, v.OwnedOf(f, o, files))
		}
		ask("file "+o, tags, v.OwnedOf(hot.FileTags, o, tags))
	}
	for _, w := range words {
		ask("term "+w, files, v.OwnedOf(hot.TermFiles, w, files))
	}
	ask("tag", files, v.OwnedOf(hot.TagFiles, tags[0], files))
	if err := v.Load(x.Context()); err != nil {
		return nil, nil, err
	}
	for _, g := range got {
		values = append(values, g.Value...)
	}
	return names, values, nil
}

// differs waits until the server stands where the twin of all logs does, and tells the difference that remains when
// nothing has moved for a while.
func (x *team) differs(url string, within time.Duration) (diff string, lost []string) {
	x.Helper()
	at := time.Now().Add(time.Hour)
	var names []string
	var want, last []float64
	known := int64(-1)
	give := time.Now().Add(within)
	fault.Until(x, time.Hour, "the server stands still", func() bool {
		if n := x.logs(); n != known { // what a daemon does by itself is in its log too
			twin, gone := x.twin()
			var err error
			names, want, err = x.scores(twin, at)
			check(x.T, err)
			known, lost = n, gone
		}
		got, err := x.server(url, at)
		if diff = difference(names, got, want); err != nil {
			diff = err.Error()
		}
		if !slices.Equal(got, last) {
			last, give = got, time.Now().Add(within)
		}
		return diff == "" && x.logs() == known || time.Now().After(give)
	})
	return diff, lost
}

// logs is how much there is in all logs.
func (x *team) logs() (n int64) {
	x.Helper()
	for _, d := range x.sandboxes {
		st := d.status()
		n += int64(st.Events) + int64(st.Commits)
	}
	return n
}

// server reads the server.
func (x *team) server(url string, at time.Time) ([]float64, error) {
	s, err := redis.Open(x.Context(), redis.Options{URL: url, Repo: x.id, Writer: "onlooker"})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Load(x.Context()); err != nil {
		return nil, err
	}
	_, got, err := x.scores(s.Mirror().Scores, at)
	return got, err
}

// difference names the first number that is not the twin's.
func difference(names []string, got, want []float64) string {
	if len(got) != len(want) {
		return "the server cannot be read"
	}
	sum, first, n := 0.0, "", 0
	for i := range want {
		sum += want[i]
		if math.Abs(got[i]-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
			if n++; first == "" {
				first = fmt.Sprintf("%s is %v, not %v", names[i], got[i], want[i])
			}
		}
	}
	if sum == 0 {
		return "nothing was learned"
	}
	if n > 0 {
		return fmt.Sprintf("%d of %d numbers differ: %s", n, len(want), first)
	}
	return ""
}

// logged are the lines of a daemon's log with those words, since the line with that number.
func (d *sandbox) logged(words string, since int) (lines []string, all int) {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.place().Store, "aoa.log"))
	check(d.T, err)
	for line := range strings.Lines(string(text)) {
		if all++; all > since && strings.Contains(line, words) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines, all
}

// TestTeam: three processes with clones, homes and sockets of their own learn into one server at once, commits that
// each of them reads included. What it has in the end is what one daemon has that learned all of it.
func TestTeam(t *testing.T) {
	t.Parallel()
	s := newServer(t, fleeting...)
	x := newTeam(t, s.url(), 3, 1)
	saved := []string{"README.md", "server/wire_test.go", "other/file7.go", "other/file15.go"}
	for round := range 3 {
		for i, d := range x.sandboxes { // people, too: what one saves in its clone is not what another one did
			file := saved[(i+round)%len(saved)]
			before := len(d.log("--kind", "save"))
			d.write(file, fmt.Sprint("round ", round))
			d.until("the save is seen", func() bool { return len(d.log("--kind", "save")) > before })
		}
		x.everybody(15)
		author := x.sandboxes[round]
		author.write("server/wire.go", fmt.Sprint("round ", round))
		author.write("cmd/main.go", fmt.Sprint("round ", round))
		author.git("commit", "-qm", "wire and main", "server/wire.go", "cmd/main.go")
		for _, d := range x.sandboxes {
			if d != author {
				d.git("pull", "-q", author.dir, "main")
			}
			d.do("hook", "git", "post-merge")
		}
		if round == 1 { // one begins again, one is killed
			x.sandboxes[0].must("daemon", "stop")
			x.sandboxes[0].must("status")
			st := x.sandboxes[1].status()
			p, err := os.FindProcess(st.Pid)
			check(t, err)
			check(t, p.Kill())
			x.sandboxes[1].until("it is gone", func() bool {
				return x.sandboxes[1].do("status").code == 0 && x.sandboxes[1].status().Pid != st.Pid
			})
		}
	}
	for _, d := range x.sandboxes {
		d.until("the commits are read", func() bool { return d.status().Commits == 27 })
	}
	diff, lost := x.differs(s.url(), patient)
	if diff != "" || len(lost) > 0 {
		t.Errorf("%s; %v", diff, lost)
	}
	x.notified()
}

// notified: an agent in one clone is notified that another one changed, in its own clone, a file that it has read.
func (x *team) notified() {
	x.Helper()
	reader, writer := x.sandboxes[0], x.sandboxes[2]
	hook := func(d *sandbox, ev, session, id, tool, file string) string {
		return d.doWith(string(d.hook(ev, session, id, tool, file)), "hook", "claude").out
	}
	old := time.Now().Add(-time.Hour)
	check(x.T, os.Chtimes(filepath.Join(reader.dir, "docs", "protocol.md"), old, old)) // on this disk nothing is new
	// A change counts from two seconds after the reading on: it could be the reader's own.
	x.say(reader, event.Event{ID: "early", Time: time.Now().Add(-time.Minute), Kind: event.KindRead, Session: "waiting",
		Paths: []event.Path{"docs/protocol.md"}, OK: true})
	hook(writer, "PostToolUse", "writing", "w1", "Edit", "docs/protocol.md")
	n := 0
	var out string
	reader.until("the other clone's agent is notified", func() bool {
		n++
		out = hook(reader, "PostToolBatch", "waiting", fmt.Sprint("b", n), "Bash", "README.md")
		return strings.Contains(out, "another agent changed it")
	})
	x.Logf("notified: %s", out)
	for _, words := range []string{"Changed since this session read them:", "docs/protocol.md: another agent changed it",
		"ago in another clone"} {
		if !strings.Contains(out, words) {
			x.Errorf("the sentence lacks %q: %s", words, out)
		}
	}
	if again := hook(reader, "PostToolBatch", "waiting", "again", "Bash", "README.md"); strings.Contains(again, "another agent") {
		x.Errorf("notified twice: %s", again)
	}
	own := hook(writer, "PostToolBatch", "writing", "own", "Bash", "README.md")
	if strings.Contains(own, "another agent") {
		x.Errorf("the one who changed it is notified: %s", own)
	}
}

func (x *team) say(d *sandbox, events ...event.Event) {
	x.Helper()
	mustCall(d, api.Events, events)
}
