package llmcache

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// living lists the sessions that have something.
func living(t *testing.T, c *Cache) string {
	t.Helper()
	ids, err := c.Sessions(t.Context())
	fault.Check(t, err)
	return strings.Join(ids, " ")
}

func sweep(t *testing.T, c *Cache) string {
	t.Helper()
	gone, err := c.o.Blobs.Sweep(t.Context())
	fault.Check(t, err)
	var names []string
	for _, e := range gone {
		if e.Owner != "items" {
			continue
		}
		names = append(names, e.Session)
	}
	return strings.Join(names, " ")
}

// TestLeftForGood: the items of a session that a person left for good are deleted, those of others
// and those that it sets aside later are not, however often they are asked for.
func TestLeftForGood(t *testing.T) {
	for _, reason := range []string{"logout", "exit", "prompt_input_exit", "clear", "resume", "other"} {
		clock := newClock()
		c, apply := newLived(t, clock)
		write(t, c, "s", Item{Data: []byte("data")})
		write(t, c, "other", Item{Data: []byte("data")})
		clock.pass(time.Minute)
		apply(event.KindEnd, "s", reason)
		want := "other s"
		if reason == "logout" || reason == "exit" || reason == "prompt_input_exit" {
			want = "other"
		}
		fault.Same(t, "left after "+reason, living(t, c), want)
		clock.pass(time.Minute)
		apply(event.KindStart, "s", "resume")
		write(t, c, "s", Item{Data: []byte("data")})
		apply(event.KindStart, "other", "resume")
		fault.Same(t, "left after it was resumed", living(t, c), "other s")
		c.left = nil // a restart
		apply(event.KindStart, "other", "resume")
		fault.Same(t, "left after a restart", living(t, c), "other s")
	}
}

// TestOrphans: a session that crashed is swept a day after its last use, whichever use that was.
func TestOrphans(t *testing.T) {
	clock := newClock()
	heard := map[string]time.Time{}
	c := open(t, cold.BlobOptions{Now: clock.now}, Options{Newest: func(s string) time.Time { return heard[s] }})
	key := ""
	for _, s := range []string{"written", "read", "listed", "heard", "idle"} {
		l := write(t, c, s, Item{Data: []byte("data")})[0]
		if s == "read" {
			key = l.Key
		}
	}
	clock.pass(life - time.Minute)
	fault.Same(t, "swept", sweep(t, c), "")
	write(t, c, "written", Item{})
	_, err := c.Read(t.Context(), key, Cut{Limit: 1})
	fault.Check(t, err)
	_, _, err = c.List(t.Context(), Filter{Session: "listed"})
	fault.Check(t, err)
	heard["heard"] = clock.now()
	clock.pass(time.Minute)
	fault.Same(t, "swept", sweep(t, c), "idle")
	fault.Same(t, "left", len(strings.Fields(living(t, c))), 4)
	clock.pass(life - time.Minute)
	fault.Same(t, "swept a day later", len(strings.Fields(sweep(t, c))), 4)
	fault.Same(t, "left", living(t, c), "")
}

// TestClockAhead: what a session set aside under a clock that ran ahead goes a day after the clock
// is right again.
func TestClockAhead(t *testing.T) {
	clock := newClock()
	c := newTest(t, clock, 0)
	const years = 12 * 365 * 24 * time.Hour
	clock.pass(years)
	write(t, c, "s", Item{Data: []byte("data")})
	clock.pass(-years)
	fault.Same(t, "swept at once", sweep(t, c), "")
	clock.pass(life - time.Second)
	fault.Same(t, "swept before its time", sweep(t, c), "")
	clock.pass(time.Second)
	fault.Same(t, "swept", sweep(t, c), "s")
}

func TestKeysAreEscaped(t *testing.T) {
	for id, want := range map[string]string{"conv_1": "conv%5F1_t_u", "a/b c": "a%2Fb+c_t_u", "日": "%E6%97%A5_t_u",
		"5f0c-2d.1E": "5f0c-2d.1E_t_u", "%5F": "%255F_t_u"} {
		k := Key{id, "t", "u"}
		fault.Same(t, "key", k.String(), want)
		back, err := parseKey(want)
		fault.Check(t, err)
		fault.Same(t, "parsed", back, k)
	}
	for _, s := range []string{"", "a", "a_b", "a_b_c_d", "a__c", "a_b_%4", "a_b_%zz", "a_b_%41", "a_b_%5f", "a_b_c d",
		strings.Repeat("a", 97) + "_b_c"} {
		if k, err := parseKey(s); err == nil {
			t.Errorf("%q was read as %+v", s, k)
		}
	}
	if _, err := parseKey("a_b%zz_c"); err == nil || !strings.Contains(err.Error(), `its part 2 is "b%zz"`) {
		t.Error(err)
	}
}

func TestCuts(t *testing.T) {
	const text = "one\ntwo\nthree\nfour"
	for _, c := range []struct {
		cut   Cut
		in    string
		want  string
		total int64
		next  int64
	}{
		{Cut{}, text, text, 18, 0},
		{Cut{Offset: 4}, text, "two\nthree\nfour", 18, 0},
		{Cut{Offset: 4, Limit: 3}, text, "two", 18, 7},
		{Cut{Offset: 100, Limit: 3}, text, "", 18, 0},
		{Cut{Offset: 16, Limit: 2}, text, "ur", 18, 0},
		{Cut{Lines: "2-3"}, text, "two\nthree\n", 10, 0},
		{Cut{Lines: "4"}, text, "four", 4, 0},
		{Cut{Lines: "3-"}, text, "three\nfour", 10, 0},
		{Cut{Lines: "2"}, text, "two\n", 4, 0},
		{Cut{Lines: "9"}, text, "", 0, 0},
		{Cut{Lines: "2-3", Limit: 4}, text, "two\n", 10, 4},
		{Cut{Limit: 4}, "日本", "日", 6, 3},
		{Cut{Limit: 1}, "日本", "\xe6", 6, 1},
	} {
		fault.Check(t, c.cut.check())
		got, err := c.cut.apply([]byte(c.in))
		fault.Check(t, err)
		fault.Same(t, fmt.Sprintf("%+v", c.cut), [3]any{string(got.Data), got.Total, got.Next}, [3]any{c.want, c.total, c.next})
	}
	for _, c := range []Cut{{Offset: -1}, {Limit: -1}, {Lines: "0"}, {Lines: "a"}, {Lines: "3-2"},
		{Lines: "-2"}, {Lines: "1-2-3"}, {Lines: "1--5"}} {
		refused(t, c.check(), CodeBad)
	}
}
