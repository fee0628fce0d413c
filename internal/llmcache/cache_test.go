package llmcache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// clock is the time of a test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func seal(t testing.TB) *cold.Seal {
	t.Helper()
	return fault.Must(cold.OpenSeal(filepath.Join(t.TempDir(), "key")))
}

func newTest(t testing.TB, c *clock, quota int64) *Cache {
	t.Helper()
	return open(t, cold.BlobOptions{Now: c.now, Seal: seal(t)}, Options{Quota: quota})
}

// newLived makes a cache beside the sessions that use it. apply gives them the start or the end of
// a session, now.
func newLived(t testing.TB, c *clock) (cache *Cache, apply func(kind event.Kind, session, how string)) {
	t.Helper()
	sessions := session.New()
	cache = open(t, cold.BlobOptions{Now: c.now, Seal: seal(t)}, Options{
		Newest: func(id string) time.Time { return sessions.Get(id, c.now()).Last }})
	return cache, func(kind event.Kind, session, how string) {
		t.Helper()
		e := event.Event{Time: c.now(), Session: session,
			Body: eventtest.Fill(kind, eventtest.Fields{"Source": how, "Reason": how})}
		sessions.Apply(e)
		fault.Check(t, cache.Leave(t.Context(), sessions.Left()))
	}
}

// open makes a cache in the file that b names, or in a file of its own.
func open(t testing.TB, b cold.BlobOptions, o Options) *Cache {
	t.Helper()
	if b.Path == "" {
		b.Path = filepath.Join(t.TempDir(), "cache.db")
	}
	o.Now, o.Blobs = b.Now, cold.NewBlobs(b)
	c := New(o)
	t.Cleanup(func() { fault.Check(t, c.o.Blobs.Close()) })
	return c
}

// refused asserts the code of an error, and that it says what to do next.
func refused(t testing.TB, err error, code string, words ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code || e.Hint == "" {
		t.Fatalf("%v: not a refusal %s with a hint", err, code)
	}
	for _, w := range words {
		if !strings.Contains(e.Message+"\n"+e.Hint, w) {
			t.Fatalf("%q does not say %q", e.Message+"\n"+e.Hint, w)
		}
	}
}

func write(t testing.TB, c *Cache, session string, items ...Item) []Label {
	t.Helper()
	labels := make([]Label, len(items))
	for i, it := range items {
		var err error
		labels[i], err = c.Write(t.Context(), session, it)
		fault.Check(t, err)
	}
	return labels
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = r.Read(b)
	return b
}

func used(t testing.TB, c *Cache, session string) (int64, int) {
	t.Helper()
	n, items := int64(0), 0
	labels, _, err := c.List(t.Context(), Filter{Limit: 1000})
	fault.Check(t, err)
	for _, l := range labels {
		if k, err := parseKey(l.Key); err == nil && k.Session == session {
			n, items = n+l.Size, items+1
		}
	}
	return n, items
}

func TestWriteAndRead(t *testing.T) {
	clock := newClock()
	c := newTest(t, clock, 0)
	for name, data := range map[string][]byte{"empty": nil, "short": []byte("x"),
		"text":  []byte(strings.Repeat("a line of text\n", 5000)),
		"noise": noise(100_000), "json": []byte(`{"a":[1,2,{"b":"c"}]}`)} {
		l := write(t, c, "s", Item{Task: "t", Turn: name, Description: "what " + name + " holds", Data: data,
			Notes: json.RawMessage(`{"source":"test"}`)})[0]
		want := Label{Key: "s_t_" + name, Description: "what " + name + " holds", Size: int64(len(data)) + 17,
			At: clock.now().UnixMilli()}
		fault.Same(t, "label", l, want)
		got := fault.Must(c.Read(t.Context(), l.Key, Cut{}))
		fault.Same(t, "returned again", got.Label, want)
		fault.Same(t, "notes", string(got.Notes), `{"source":"test"}`)
		if !bytes.Equal(got.Data, data) || got.Total != int64(len(data)) {
			t.Fatalf("%s came back as %d bytes of %d", name, len(got.Data), len(data))
		}
	}
	if random := write(t, c, "s", Item{})[0]; len(random.Key) != len("s_12345678_12345678") {
		t.Fatalf("key %s", random.Key)
	}
	_, err := c.Read(t.Context(), "s_t_nothing", Cut{})
	refused(t, err, CodeMissing, "s_t_nothing")
	_, err = c.Read(t.Context(), "nonsense", Cut{})
	refused(t, err, CodeBad, "is not a key")
}

func TestNothingIsMadeByAsking(t *testing.T) {
	c, apply := newLived(t, newClock())
	labels, total, err := c.List(t.Context(), Filter{Session: "s"})
	fault.Check(t, err)
	fault.Same(t, "labels and sessions", len(labels)+total+len(living(t, c)), 0)
	_, err = c.Read(t.Context(), "s_t_u", Cut{})
	refused(t, err, CodeMissing)
	_, err = c.Delete(t.Context(), "s_t_u")
	refused(t, err, CodeMissing)
	fault.Same(t, "swept", sweep(t, c), "")
	apply(event.KindEnd, "s", "logout")
	if c.items.Exists() {
		t.Fatal("a question made a file")
	}
}

// TestQuotaIsExact: fifty writers at once share what is left to the byte.
func TestQuotaIsExact(t *testing.T) {
	const size, writers, each = 1000, 50, 4
	c := newTest(t, newClock(), size*77+size/2)
	var wg sync.WaitGroup
	var mu sync.Mutex
	kept, full := 0, 0
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				_, err := c.Write(t.Context(), "s", Item{Task: fmt.Sprint("w", i), Turn: fmt.Sprint(j), Data: noise(size)})
				var e *Error
				mu.Lock()
				switch {
				case err == nil:
					kept++
				case errors.As(err, &e) && e.Code == CodeQuota:
					full++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fault.Same(t, "kept and refused", [2]int{kept, full}, [2]int{77, writers*each - 77})
	n, items := used(t, c, "s")
	fault.Same(t, "used", [2]int64{n, int64(items)}, [2]int64{77 * size, 77})
	write(t, c, "other", Item{Data: noise(size)}) // another session has its own
	write(t, c, "s", Item{Data: noise(size / 2)}) // exactly full
	_, err := c.Write(t.Context(), "s", Item{Data: []byte("x")})
	refused(t, err, CodeQuota, "77,500 bytes used, 1 asked, 77,500 allowed")
}

// TestQuotaCountsTheDifference: an overwrite needs room for what it adds, and what it leaves can be
// used.
func TestQuotaCountsTheDifference(t *testing.T) {
	c := newTest(t, newClock(), 1000)
	put := func(turn string, size int) error {
		_, err := c.Write(t.Context(), "s", Item{Task: "t", Turn: turn, Data: noise(size), Overwrite: true})
		return err
	}
	fault.Check(t, errors.Join(put("a", 600), put("b", 300), put("a", 700)))
	refused(t, put("a", 701), CodeQuota, "1,000 bytes used, 1 asked, 1,000 allowed")
	fault.Check(t, errors.Join(put("a", 10), put("b", 990)))
	fault.Same(t, "bytes deleted", fault.Must(c.Delete(t.Context(), "s_t_a")), int64(10))
	fault.Check(t, put("c", 10))
}

func TestListByTaskAndTime(t *testing.T) {
	clock := newClock()
	c := newTest(t, clock, 0)
	for i := range 10 {
		write(t, c, "s", Item{Task: fmt.Sprint("t", i%2), Turn: fmt.Sprint(i), Description: fmt.Sprint("part ", i),
			Data: []byte("data")})
		write(t, c, "other", Item{Task: "t0", Turn: fmt.Sprint(i)})
		clock.pass(time.Minute)
	}
	turns := func(q Filter) string {
		t.Helper()
		labels, total, err := c.List(t.Context(), q)
		fault.Check(t, err)
		out := ""
		for _, l := range labels {
			out += fault.Must(parseKey(l.Key)).Turn
		}
		return fmt.Sprint(out, " of ", total)
	}
	fault.Same(t, "all", turns(Filter{Session: "s"}), "9876543210 of 10")
	fault.Same(t, "task", turns(Filter{Session: "s", Task: "t1"}), "97531 of 5")
	fault.Same(t, "limit", turns(Filter{Session: "s", Limit: 2}), "98 of 10")
	fault.Same(t, "every session", turns(Filter{Limit: 2}), "99 of 20")
	_, _, err := c.List(t.Context(), Filter{Limit: 1001})
	refused(t, err, CodeBad)
}

// TestLabelsHoldNoSecret: a label is shown in lists and its key lies unsealed, so neither holds a
// secret, asked or not, nor what moves a cursor.
func TestLabelsHoldNoSecret(t *testing.T) {
	o := Options{Redact: func(s string) string { return strings.ReplaceAll(s, "sk-secret", "[gone]") }}
	c := open(t, cold.BlobOptions{Now: newClock().now}, o)
	if l := write(t, c, "s", Item{Data: []byte("x"), Description: "for sk-secret"})[0]; l.Description != "for [gone]" {
		t.Errorf("described as %q", l.Description)
	}
	fault.Same(t, "control characters", write(t, c, "s", Item{Description: "two\nlines\x1b[31m \xff"})[0].Description,
		"two lines [31m ?")
	for _, it := range []Item{{Task: "sk-secret"}, {Turn: "a sk-secret b"}} {
		it.Data = []byte("x")
		_, err := c.Write(t.Context(), "s", it)
		refused(t, err, CodeBad, "another")
	}
}

// TestDeliveredTwice: a call that arrives twice stores once, and has the same labels.
func TestDeliveredTwice(t *testing.T) {
	c := newTest(t, newClock(), 0)
	first := write(t, c, "s", Item{Data: []byte("data"), Call: "call 1"})
	fault.Same(t, "the second time", write(t, c, "s", Item{Data: []byte("data"), Call: "call 1"}), first)
	write(t, c, "s", Item{Data: []byte("data"), Call: "call 2"})
	n, items := used(t, c, "s")
	fault.Same(t, "used", [2]int64{n, int64(items)}, [2]int64{8, 2})
}

// living lists the sessions that have something.
func living(t *testing.T, c *Cache) string {
	t.Helper()
	return strings.Join(fault.Must(c.Sessions(t.Context())), " ")
}

func sweep(t *testing.T, c *Cache) string {
	t.Helper()
	gone := fault.Must(c.o.Blobs.Sweep(t.Context()))
	var names []string
	for _, e := range gone {
		if e.Owner == "items" {
			names = append(names, e.Session)
		}
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
	fault.Must(c.Read(t.Context(), key, Cut{Limit: 1}))
	_, _, err := c.List(t.Context(), Filter{Session: "listed"})
	fault.Check(t, err)
	heard["heard"] = clock.now()
	clock.pass(time.Minute)
	fault.Same(t, "swept", sweep(t, c), "idle")
	fault.Same(t, "left", len(strings.Fields(living(t, c))), 4)
	clock.pass(life - time.Minute)
	fault.Same(t, "swept a day later", len(strings.Fields(sweep(t, c))), 4)
	fault.Same(t, "left", living(t, c), "")

	// What was set aside under a clock that ran ahead goes a day after the clock is right again.
	c = newTest(t, clock, 0)
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
		fault.Same(t, "parsed", fault.Must(parseKey(want)), k)
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
		got := fault.Must(c.cut.apply([]byte(c.in)))
		fault.Same(t, fmt.Sprintf("%+v", c.cut), [3]any{string(got.Data), got.Total, got.Next}, [3]any{c.want, c.total, c.next})
	}
	for _, c := range []Cut{{Offset: -1}, {Limit: -1}, {Lines: "0"}, {Lines: "a"}, {Lines: "3-2"},
		{Lines: "-2"}, {Lines: "1-2-3"}, {Lines: "1--5"}} {
		refused(t, c.check(), CodeBad)
	}
}
