package daemon_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// born is when events begin: lately, for ticks end sessions that are a day old.
var born = time.Now().Add(-3 * time.Hour).UTC().Truncate(time.Minute)

// reads are n accesses of one session, one file after the other.
func reads(who string, n int) (out []event.Event) {
	for i := range n {
		at := born.Add(time.Duration(i) * time.Minute)
		out = append(out, read(fmt.Sprint(who, "-", i), "session-"+who, at,
			[]event.Path{"a.go", "b.go", "in/side/c.go"}[i%3]))
	}
	return out
}

// team are two daemons with a clone each.
func newTeam(t *testing.T, m *miniredis.Miniredis) (a, b *fixture) {
	id := "team-" + rand.Text()
	make := func() *fixture {
		d := newFixture(t, "AOA_REDIS_URL=redis://"+m.Addr(), "AOA_REPO_ID="+id, "AOA_WATCH=off")
		d.Start()
		return d
	}
	return make(), make()
}

// from is how many events a daemon holds of others, and how many of their entries it refused.
func (d *fixture) from() (events, refused int) {
	st, err := api.Call(d.Context(), d.Client(d.Repo.Dir), api.Status, api.None{})
	if err != nil {
		return -1, -1
	}
	for _, o := range st.Team.Origins {
		events += o.Events
		refused += o.Refused
	}
	return events, refused
}

func (d *fixture) hold(what string, want int) {
	d.Helper()
	d.Until(what, func() bool { n, _ := d.from(); return n == want })
}

// TestTeam: what another clone learned ranks here, as what was learned here does; its sessions do
// not belong to this clone, after a restart, too. What it forgets is forgotten here.
func TestTeam(t *testing.T) {
	t.Parallel()
	a, b := newTeam(t, miniredis.RunT(t))
	call(a, api.Events, reads("x", 12))
	call(b, api.Events, reads("y", 3))
	for range 2 {
		b.hold("what the other one learned", 12)
		b.Until("it ranks here", func() bool {
			got := call(b, api.Why, api.WhyRequest{Query: event.Query{}, File: "a.go"})
			return strings.Contains(fmt.Sprint(got), "a.go")
		})
		for _, s := range call(b, api.Scores, api.ScoresRequest{Set: "session"}).Members {
			if strings.Contains(s.Name, "session-x") {
				t.Errorf("%s is shown as a session of this clone", s.Name)
			}
		}
		for _, e := range call(b, api.Log, cold.LogFilter{}).Events {
			if e.Origin != "" || strings.Contains(e.Session, "session-x") {
				t.Errorf("the log shows %+v", e)
			}
		}
		if n := call(b, api.Status, api.None{}).Sessions; n != 1 {
			t.Errorf("%d sessions", n)
		}
		b.Stop()
		b.Start()
	}
	learned := func() (weight float64) {
		for _, m := range call(b, api.Scores, api.ScoresRequest{Set: api.ScoresFrequency}).Members {
			weight += m.Score
		}
		return weight
	}
	life, before := call(b, api.Status, api.None{}).Started, learned()
	if n := call(a, api.Forget, api.ForgetRequest{File: "a.go"}).Events; n != 4 {
		t.Errorf("%d events forgotten", n)
	}
	b.hold("a file is forgotten", 8)
	a.Until("the one who forgot is back", func() bool { n, _ := a.from(); return n >= 0 })
	call(a, api.Forget, api.ForgetRequest{Session: "session-x"})
	b.hold("a session is forgotten", 0)
	if got := call(b, api.Status, api.None{}).Started; !got.Equal(life) {
		t.Error("what another clone forgets starts this one again")
	}
	b.Stop() // it writes a snapshot, which the next start must not use
	b.Start()
	if after := learned(); after <= 0 || after > before/2 {
		t.Errorf("the files have the weight %v after the next start, %v before they were forgotten", after, before)
	}
}

// TestForgetOrigin: a member that means harm is removed here, by the beginning of its name.
func TestForgetOrigin(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	a, b := newTeam(t, m)
	call(a, api.Events, reads("x", 6))
	b.hold("what the other one learned", 6)
	var origin string
	for origin = range call(b, api.Status, api.None{}).Team.Origins {
	}
	_, err := api.Call(t.Context(), b.Client(b.Repo.Dir), api.Forget, api.ForgetRequest{Origin: "nobody"})
	if err == nil || !strings.Contains(err.Error(), "0 origins") {
		t.Errorf("removing an unknown origin: %v", err)
	}
	if n := call(b, api.Forget, api.ForgetRequest{Origin: strings.ToLower(origin[:8])}); n.Events != 6 || n.Files != 3 {
		t.Errorf("forgotten: %+v", n)
	}
	call(a, api.Events, reads("z", 6))
	b.hold("nothing is taken from it", 0)
}
