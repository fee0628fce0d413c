package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/event/eventtest"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// team is several clones of one repository, each with a home, a daemon and a log of its own, that exchange events.
type team struct {
	*testing.T
	url, id   string
	sandboxes []*sandbox
	r         *rand.Rand

	mu    sync.Mutex // guards what follows
	n     int
	acked map[string]bool
}

func newTeam(t *testing.T, url string, clones int, seed uint64) *team {
	t.Helper()
	x := &team{T: t, url: url, id: fmt.Sprint("team-", rand.Uint64()), r: rand.New(rand.NewPCG(seed, 7)),
		acked: map[string]bool{}}
	for i := range clones {
		d := newSandbox(t, 24*max(0, 1-i))
		d.env = append(d.env, "AOA_REDIS_URL="+url, "AOA_REPO_ID="+x.id, "AOA_HOLDOUT=0", "AOA_TEAM_WORDS=on")
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
			e := event.Event{ID: fmt.Sprint("e", x.n), Time: time.Now(), Agent: "tool",
				Body: eventtest.Body(kinds[r.IntN(len(kinds))])}
			x.mu.Unlock()
			e.Session = fmt.Sprint("s", i, "-", r.IntN(2))
			eventtest.Set(&e, "Terms", []string{"protocol", "wire", "retry"}[:r.IntN(4)], "Tags",
				[]string{"testing"}[:r.IntN(2)])
			if e.Kind() != event.KindPrompt {
				eventtest.Set(&e, "Paths", []event.Path{files[r.IntN(len(files))]})
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

// learned is what one clone has learned from all that everybody exchanges: a store that learned its log without what
// concerns it alone. ids are the events of all clones in it, with the names of their clones.
func (x *team) learned(d *sandbox) (store *hot.Store, ids map[string]int) {
	x.Helper()
	store, ids = hot.New(nil), map[string]int{}
	learner := learn.New(store, live.New(), learn.Options{})
	db := openLog(d)
	own, err := db.Meta(x.Context(), "writer")
	check(x.T, err)
	err = db.Replay(x.Context(), 0, func(n int64, batch []event.Event) error {
		var shared []event.Event
		for _, e := range batch {
			switch {
			case e.Kind() == event.KindCommit:
			case e.Agent != "tool": // it was not sent by the test
				continue
			case e.Origin == "":
				ids[own+":"+e.ID]++
			default:
				ids[e.ID]++
			}
			shared = append(shared, e)
		}
		return learner.Learn(x.Context(), shared, n)
	})
	check(x.T, errors.Join(err, db.Close()))
	return store, ids
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

// differs waits until all clones hold what all have acknowledged, and have learned the same from it. It tells the
// difference that remains when nothing has moved for a while, and what was acknowledged and is not in each log once.
func (x *team) differs(within time.Duration) (diff string, lost []string) {
	x.Helper()
	at := time.Now().Add(time.Hour)
	held, give := -1, time.Now().Add(within)
	fault.Until(x, time.Hour, "the clones stand still", func() bool {
		var want []float64
		n := 0
		diff, lost = "", nil
		for _, d := range x.sandboxes {
			store, ids := x.learned(d)
			names, got, err := x.scores(store, at)
			check(x.T, err)
			if want == nil {
				want = got
			}
			n += len(ids)
			lost = append(lost, x.lost(ids)...)
			if diff == "" {
				diff = difference(names, got, want)
			}
		}
		if n != held {
			held, give = n, time.Now().Add(within)
		}
		return diff == "" && len(lost) == 0 || time.Now().After(give)
	})
	return diff, lost
}

// lost are events that were acknowledged and are not in a log once, by their own ids.
func (x *team) lost(ids map[string]int) (lost []string) {
	times := map[string]int{}
	for id, n := range ids {
		_, own, _ := strings.Cut(id, ":")
		times[own] += n
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.acked {
		if times[id] != 1 {
			lost = append(lost, fmt.Sprintf("%s is there %d times", id, times[id]))
		}
	}
	return lost
}

// difference names the first number that is not the twin's.
func difference(names []string, got, want []float64) string {
	if len(got) != len(want) {
		return "the clones were asked different things"
	}
	sum, first, n := 0.0, "", 0
	for i := range want {
		sum += want[i]
		if math.Abs(got[i]-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
			if n++; first == "" {
				first = fmt.Sprintf("%s is %v, elsewhere %v", names[i], got[i], want[i])
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

// TestTeam: three processes with clones, homes and sockets of their own exchange events over one server, and read the
// same commits. In the end all of them hold all events, and have learned the same.
func TestTeam(t *testing.T) {
	t.Parallel()
	s := newServer(t)
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
	diff, lost := x.differs(patient)
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
	x.say(reader, event.Event{ID: "early", Time: time.Now().Add(-time.Minute), Session: "waiting",
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{"docs/protocol.md"}}})
	hook(writer, "PostToolUse", "writing", "w1", "Edit", "docs/protocol.md")
	n := 0
	var out string
	reader.until("the other clone's agent is notified", func() bool {
		n++
		out = hook(reader, "PostToolBatch", "waiting", fmt.Sprint("b", n), "Bash", "README.md")
		return strings.Contains(out, "another agent changed it")
	})
	x.Logf("notified: %s", out)
	for _, words := range []string{"changed since this session read them:", "docs/protocol.md: another agent changed it",
		"ago in another clone"} {
		if !strings.Contains(out, words) {
			x.Errorf("the sentence lacks %q: %s", words, out)
		}
	}
	if again := hook(reader, "PostToolBatch", "waiting", "again", "Bash", "README.md"); strings.Contains(again,
		"another agent") {
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
