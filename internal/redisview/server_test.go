package redisview_test

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/redisview"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a server over sets that the test changes, with a clock of its own.
type fixture struct {
	*testing.T
	*redis.Client
	addr string

	mu    sync.Mutex // guards what follows
	sets  map[api.ScoresRequest]api.ScoresAnswer
	came  []prefetch.Outcome
	asked []api.ScoresRequest
	at    time.Time
	err   error
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoa") // a short name for the socket
	fault.Check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	ln := fault.Must(net.Listen("unix", filepath.Join(dir, "s")))
	f := &fixture{T: t, at: noon, sets: map[api.ScoresRequest]api.ScoresAnswer{}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	o := redisview.Options{Scores: f.ask, Now: f.now, Stats: f.stats,
		Threshold: func(context.Context) (api.ThresholdAnswer, error) { return api.ThresholdAnswer{Value: .65}, nil }}
	go func() { done <- redisview.Serve(ctx, ln, o) }()
	f.addr = ln.Addr().String()
	f.Client = redis.NewClient(&redis.Options{Network: "unix", Addr: f.addr, PoolSize: 1, MaxRetries: -1})
	t.Cleanup(func() {
		f.Client.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return f
}

func (f *fixture) ask(_ context.Context, r api.ScoresRequest) (api.ScoresAnswer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	return f.sets[r], f.err
}

func (f *fixture) stats(context.Context, api.StatsRequest) (api.StatsAnswer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return api.StatsAnswer{Outcomes: f.came}, f.err
}

// pass moves the clock.
func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = f.at.Add(d)
}

func (f *fixture) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// have gives a set its members: names and scores in turn.
func (f *fixture) have(set, owner string, members ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var a api.ScoresAnswer
	for i := 0; i < len(members); i += 2 {
		a.Members = append(a.Members, hot.Member{Name: members[i].(string), Score: members[i+1].(float64)})
	}
	f.sets[api.ScoresRequest{Set: set, Owner: owner}] = a
}

// do runs a command and returns its reply.
func (f *fixture) do(args ...any) any {
	f.Helper()
	reply, err := f.Do(f.Context(), args...).Result()
	if err != nil {
		f.Fatalf("%v: %v", args, err)
	}
	return reply
}

func (f *fixture) Context() context.Context { return f.T.Context() }

// TestKeys: each key has the set that belongs to it, in its type.
func TestKeys(t *testing.T) {
	f := newFixture(t)
	f.have(api.ScoresRecency, "", "a.go", 1e9, "b.go", 2e9)
	f.have(api.ScoresFrequency, "", "a.go", 1.5)
	f.have(api.ScoresComod, "", "a.go", 3.0)
	f.have(api.ScoresComod, "a.go", "b.go", 2.0, "c.go", 1.0)
	f.have(api.ScoresComposite, "", "b.go", 0.5)
	f.have(api.ScoresTagFreq, "", "go", 4.0)
	f.have(api.ScoresTag, "", "go", 9.0)
	f.have(api.ScoresTag, "go", "a.go", 0.25)
	f.have(api.ScoresFile, "", "a.go", 1.0)
	f.have(api.ScoresFile, "a.go", "go", 0.25)
	f.have(api.ScoresSession, "", "s", 1e9)
	f.sets[api.ScoresRequest{Set: api.ScoresSession, Owner: "s"}] = api.ScoresAnswer{Members: []hot.Member{{Name: "a.go",
		Score: 7}},
		Fields: map[string]string{"current_file": "a.go"}, Expires: noon.Add(time.Hour)}

	came := func(after time.Duration, file event.Path, used bool, status prefetch.Status) prefetch.Outcome {
		return prefetch.Outcome{At: noon.Add(after), Session: "s", File: file, Used: used, Status: status}
	}
	f.came = []prefetch.Outcome{came(time.Second, "a.go", true, prefetch.Shown),
		came(2*time.Second, "b.go", false, prefetch.Shown), came(3*time.Second, "c.go", false, prefetch.Withheld)}

	fault.Same(t, "recency", f.do("ZREVRANGE", "aoa:scores:recency", 0, 9), []any{"b.go", "a.go"})
	fault.Same(t, "frequency", f.ZScore(t.Context(), "aoa:scores:frequency", "a.go").Val(), 1.5)
	fault.Same(t, "comod", f.ZScore(t.Context(), "aoa:scores:comod", "a.go").Val(), 3.0)
	fault.Same(t, "comod, normalized", f.ZScore(t.Context(), "aoa:scores:comod_normalized", "a.go").Val(), .3)
	fault.Same(t, "intent", f.ZScore(t.Context(), "aoa:scores:intent:go", "a.go").Val(), 0.25)
	fault.Same(t, "composite", f.ZScore(t.Context(), "aoa:composite", "b.go").Val(), 0.5)
	fault.Same(t, "partners", f.do("ZREVRANGE", "aoa:comod:a.go", 0, -1), []any{"b.go", "c.go"})
	fault.Same(t, "files of a tag", f.SMembers(t.Context(), "aoa:tag:go").Val(), []string{"a.go"})
	fault.Same(t, "tags of a file", f.SMembers(t.Context(), "aoa:file:a.go").Val(), []string{"#go"})
	fault.Same(t, "uses", f.ZScore(t.Context(), "aoa:tag_freq", "go").Val(), 4.0)
	fault.Same(t, "session", f.HGetAll(t.Context(), "aoa:session:s").Val(), map[string]string{"current_file": "a.go"})
	fault.Same(t, "session's files", f.ZScore(t.Context(), "aoa:session:s:files", "a.go").Val(), 7.0)
	fault.Same(t, "session's end", f.TTL(t.Context(), "aoa:session:s").Val(), time.Hour)
	fault.Same(t, "threshold", f.Get(t.Context(), "aoa:threshold:s").Val(), "0.65")
	fault.Same(t, "threshold's end", f.TTL(t.Context(), "aoa:threshold:s").Val(), time.Hour)
	fault.Same(t, "no session's threshold", f.Exists(t.Context(), "aoa:threshold:none").Val(), int64(0))
	fault.Same(t, "log", f.LRange(t.Context(), "aoa:prefetch_log", 0, 9).Val(), []string{
		`{"accessed":"","hit":false,"predictions":["b.go"],"session_id":"s","timestamp":1772366402}`,
		`{"accessed":"a.go","hit":true,"predictions":["a.go"],"session_id":"s","timestamp":1772366401}`})
	fault.Same(t, "nothing", f.do("ZREVRANGE", "aoa:comod:no.go", 0, 9), []any{})
	fault.Same(t, "two keys", f.do("ZUNION", 2, "aoa:scores:frequency", "aoa:composite", "WEIGHTS", 0.2, 0.3),
		[]any{"b.go", "a.go"})
	fault.Same(t, "not of aOa", f.Exists(t.Context(), "aoa:nothing", "aoa:tag:", "other").Val(), int64(0))

	f.pass(time.Minute)
	want := []string{"aoa:comod:a.go", "aoa:composite", "aoa:file:a.go", "aoa:prefetch_log", "aoa:scores:comod",
		"aoa:scores:comod_normalized",
		"aoa:scores:frequency", "aoa:scores:intent:go", "aoa:scores:recency", "aoa:session:s", "aoa:session:s:files", "aoa:tag:go",
		"aoa:tag_freq", "aoa:threshold:s"}
	for _, name := range []string{"KEYS", "SCAN"} {
		var got []string
		if name == "KEYS" {
			got = f.Keys(t.Context(), "*").Val()
		} else {
			got, _ = f.ScanType(t.Context(), 0, "*", 0, "").Val()
		}
		slices.Sort(got)
		fault.Same(t, name, got, want)
	}
	fault.Same(t, "types", []string{f.Type(t.Context(), "aoa:comod:a.go").Val(), f.Type(t.Context(), "aoa:tag:go").Val(),
		f.Type(t.Context(), "aoa:session:s").Val()},
		[]string{"zset", "set", "hash"})
	fault.Same(t, "after the list", f.do("ZCARD", "aoa:comod:a.go"), int64(2))
}

// TestFresh: what was read is used for a second, then read again; what is gone is gone.
func TestFresh(t *testing.T) {
	f := newFixture(t)
	f.have(api.ScoresFrequency, "", "a.go", 1.0, "b.go", 1.0)
	for _, step := range []struct {
		after time.Duration
		want  int64
		asked int
	}{{0, 2, 1}, {999 * time.Millisecond, 2, 1}, {time.Millisecond, 1, 2}} {
		f.pass(step.after)
		fault.Same(t, "members", f.ZCard(t.Context(), "aoa:scores:frequency").Val(), step.want)
		f.mu.Lock()
		fault.Same(t, "times asked", len(f.asked), step.asked)
		f.mu.Unlock()
		f.have(api.ScoresFrequency, "", "a.go", 1.0)
	}
}

// TestReadOnly: no client can write to a key of aOa, run a script, or stop the server.
func TestReadOnly(t *testing.T) {
	f := newFixture(t)
	f.have(api.ScoresFrequency, "", "a.go", 1.0)
	for prefix, cmds := range map[string][][]any{
		"READONLY ": {{"ZADD", "aoa:scores:frequency", 5, "x"}, {"DEL", "mine", "aoa:scores:frequency"},
			{"EXPIRE", "aoa:scores:frequency", 1},
			{"ZUNIONSTORE", "aoa:scores:comod", 1, "aoa:scores:frequency"}, {"HSET", "aoa:session:s", "f", "v"}, {"SET",
				"aoa:threshold:s", 1},
			{"LPUSH", "aoa:prefetch_log", "{}"}, {"unlink", "aoa:else"}},
		"ERR aoa redis does not run the command ": {{"FLUSHALL"}, {"flushdb"}, {"RENAME", "aoa:scores:frequency", "x"},
			{"SWAPDB", 0, 1},
			{"EVAL", "return redis.call('DEL', KEYS[1])", 1, "aoa:scores:frequency"}, {"EVALSHA", "x", 0}, {"SCRIPT",
				"FLUSH"}, {"FUNCTION", "LIST"},
			{"CONFIG", "SET", "dir", "/"}, {"SAVE"}, {"BGSAVE"}, {"DEBUG", "SLEEP", 9}, {"SHUTDOWN"}, {"MONITOR"}, {"SUBSCRIBE",
				"c"},
			{"BLPOP", "mine", 0}, {"XREAD", "BLOCK", 0, "STREAMS", "s", "$"}, {"WAIT", 1, 0}, {"MULTI"}, {"SELECT",
				1}, {"NON\r\nSENSE"}}} {
		for _, cmd := range cmds {
			if err := f.Do(t.Context(), cmd...).Err(); err == nil || !strings.HasPrefix(err.Error(), prefix) {
				t.Errorf("%v: %v", cmd, err)
			}
		}
	}
	fault.Same(t, "score", f.ZScore(t.Context(), "aoa:scores:frequency", "a.go").Val(), 1.0)
}

// TestSpecification: the commands of the specification work as written there: a client combines the
// daemon's sets into keys of its own, which expire, and are the daemon's again then.
func TestSpecification(t *testing.T) {
	f := newFixture(t)
	f.have(api.ScoresRecency, "", "auth/session.py", .5, "middleware/auth.py", 1.0)
	f.have(api.ScoresFrequency, "", "auth/session.py", 4.0)
	f.have(api.ScoresComod, "", "auth/session.py", 2.0)
	f.have(api.ScoresTag, "authentication", "auth/session.py", 1.0)
	f.have(api.ScoresComposite, "", "other.py", .25)
	union := func(to string) []any {
		return []any{"ZUNIONSTORE", to, 4, "aoa:scores:recency", "aoa:scores:frequency", "aoa:scores:comod",
			"aoa:scores:intent:authentication",
			"WEIGHTS", .3, .25, .25, .2}
	}
	composite := func() []redis.Z {
		zs := f.ZRevRangeWithScores(t.Context(), "aoa:composite", 0, 4).Val()
		for i := range zs {
			zs[i].Score = math.Round(zs[i].Score*1e9) / 1e9 // sets may be added in any order
		}
		return zs
	}
	theirs := []redis.Z{{Score: .25, Member: "other.py"}}
	fault.Same(t, "the daemon's", composite(), theirs)
	if err := f.Do(t.Context(), "ZUNIONSTORE", "aoa:composite", 0).Err(); err == nil {
		t.Error("no keys")
	}
	f.pass(2 * time.Second)
	fault.Same(t, "the daemon's, after a mistake", composite(), theirs)

	fault.Same(t, "stored", f.do(union("aoa:composite")...), int64(2))
	mine := []redis.Z{{Score: 1.85, Member: "auth/session.py"}, {Score: .3, Member: "middleware/auth.py"}}
	fault.Same(t, "mine", composite(), mine)
	fault.Same(t, "expires", f.do("EXPIRE", "aoa:composite", 60), int64(1))
	f.pass(59 * time.Second)
	fault.Same(t, "mine, later", composite(), mine)
	fault.Same(t, "a second is left", f.TTL(t.Context(), "aoa:composite").Val(), time.Second)
	f.pass(2 * time.Second)
	fault.Same(t, "the daemon's again", composite(), theirs)

	f.do(union("aoa:temp:1")...)
	fault.Same(t, "temporary", f.ZCard(t.Context(), "aoa:temp:1").Val(), int64(2))
	fault.Same(t, "deleted", f.do("DEL", "aoa:temp:1"), int64(1))
	fault.Same(t, "gone", f.Exists(t.Context(), "aoa:temp:1").Val(), int64(0))
	f.do("SADD", "mine", "x")
	f.pass(time.Hour)
	fault.Same(t, "a key of a client", f.Keys(t.Context(), "mine").Val(), []string{"mine"})
	if info := f.Info(t.Context(), "memory").Val(); !strings.Contains(info, "used_memory:") {
		t.Errorf("memory is %q", info)
	}
}

// TestRefused: the daemon's refusal is the reply, on one line, and the next command asks again.
func TestRefused(t *testing.T) {
	f := newFixture(t)
	f.have(api.ScoresFrequency, "", "a.go", 1.0)
	f.err = errors.New("no daemon\r\n+OK")
	for _, cmd := range [][]any{{"ZCARD", "aoa:scores:frequency"}, {"KEYS", "*"}} {
		if err := f.Do(t.Context(), cmd...).Err(); err == nil || err.Error() != `ERR aOa: no daemon\x0d\x0a+OK` {
			t.Errorf("%v: %v", cmd, err)
		}
	}
	f.mu.Lock()
	f.err = nil
	f.mu.Unlock()
	fault.Same(t, "later", f.ZCard(t.Context(), "aoa:scores:frequency").Val(), int64(1))
}
