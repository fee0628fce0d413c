package redisview_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/redisview"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a server over sets that the test changes, with a clock of its own.
type fixture struct {
	*testing.T
	*redis.Client
	mu    sync.Mutex // guards what follows
	sets  map[api.ScoresRequest]api.ScoresAnswer
	asked []api.ScoresRequest
	at    time.Time
	err   error
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoa") // a short name for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, at: noon, sets: map[api.ScoresRequest]api.ScoresAnswer{}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- redisview.Serve(ctx, ln, redisview.Options{Ask: f.ask, Now: f.now}) }()
	f.Client = redis.NewClient(&redis.Options{Network: "unix", Addr: ln.Addr().String(), PoolSize: 1, MaxRetries: -1, Protocol: 2})
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
		a.Members = append(a.Members, api.Score{Name: members[i].(string), Score: members[i+1].(float64)})
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

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s:\n%s", what, d)
	}
}

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
	f.sets[api.ScoresRequest{Set: api.ScoresSession, Owner: "s"}] = api.ScoresAnswer{Members: []api.Score{{Name: "a.go", Score: 7}},
		Fields: map[string]string{"current_file": "a.go"}, Expires: noon.Add(time.Hour)}

	equal(t, "recency", f.do("ZREVRANGE", "aoa:scores:recency", 0, 9), []any{"b.go", "a.go"})
	equal(t, "frequency", f.ZScore(t.Context(), "aoa:scores:frequency", "a.go").Val(), 1.5)
	equal(t, "comod", f.ZScore(t.Context(), "aoa:scores:comod", "a.go").Val(), 3.0)
	equal(t, "intent", f.ZScore(t.Context(), "aoa:scores:intent:go", "a.go").Val(), 0.25)
	equal(t, "composite", f.ZScore(t.Context(), "aoa:composite", "b.go").Val(), 0.5)
	equal(t, "partners", f.do("ZREVRANGE", "aoa:comod:a.go", 0, -1), []any{"b.go", "c.go"})
	equal(t, "files of a tag", f.SMembers(t.Context(), "aoa:tag:go").Val(), []string{"a.go"})
	equal(t, "tags of a file", f.SMembers(t.Context(), "aoa:file:a.go").Val(), []string{"#go"})
	equal(t, "uses", f.ZScore(t.Context(), "aoa:tag_freq", "go").Val(), 4.0)
	equal(t, "session", f.HGetAll(t.Context(), "aoa:session:s").Val(), map[string]string{"current_file": "a.go"})
	equal(t, "session's files", f.ZScore(t.Context(), "aoa:session:s:files", "a.go").Val(), 7.0)
	equal(t, "session's end", f.TTL(t.Context(), "aoa:session:s").Val(), time.Hour)
	equal(t, "nothing", f.do("ZREVRANGE", "aoa:comod:no.go", 0, 9), []any{})
	equal(t, "two keys", f.do("ZUNION", 2, "aoa:scores:frequency", "aoa:composite", "WEIGHTS", 0.2, 0.3), []any{"b.go", "a.go"})
	equal(t, "not of aOa", f.Exists(t.Context(), "aoa:nothing", "aoa:tag:", "other").Val(), int64(0))

	want := []string{"aoa:comod:a.go", "aoa:composite", "aoa:file:a.go", "aoa:scores:comod", "aoa:scores:frequency", "aoa:scores:intent:go",
		"aoa:scores:recency", "aoa:session:s", "aoa:session:s:files", "aoa:tag:go", "aoa:tag_freq"}
	for _, name := range []string{"KEYS", "SCAN"} {
		var got []string
		if name == "KEYS" {
			got = f.Keys(t.Context(), "*").Val()
		} else {
			got, _ = f.ScanType(t.Context(), 0, "*", 0, "").Val()
		}
		slices.Sort(got)
		equal(t, name, got, want)
	}
	equal(t, "types", []string{f.Type(t.Context(), "aoa:comod:a.go").Val(), f.Type(t.Context(), "aoa:tag:go").Val(), f.Type(t.Context(), "aoa:session:s").Val()},
		[]string{"zset", "set", "hash"})
	equal(t, "after the list", f.do("ZCARD", "aoa:comod:a.go"), int64(2))
}

// TestFresh: what was read is used for a second, then read again; what is gone is gone.
func TestFresh(t *testing.T) {
	f := newFixture(t)
	f.have(api.ScoresFrequency, "", "a.go", 1.0, "b.go", 1.0)
	for _, step := range []struct {
		after time.Duration
		want  int64
		asked int
	}{{0, 2, 1}, {999 * time.Millisecond, 2, 1}, {time.Second, 1, 2}} {
		f.mu.Lock()
		f.at = noon.Add(step.after)
		f.mu.Unlock()
		equal(t, "members", f.ZCard(t.Context(), "aoa:scores:frequency").Val(), step.want)
		f.mu.Lock()
		equal(t, "times asked", len(f.asked), step.asked)
		f.mu.Unlock()
		f.have(api.ScoresFrequency, "", "a.go", 1.0)
	}
}

// TestReadOnly: nothing that writes or runs a script is executed, whoever asks for it how.
func TestReadOnly(t *testing.T) {
	f := newFixture(t)
	f.have(api.ScoresFrequency, "", "a.go", 1.0)
	for _, cmd := range [][]any{{"ZADD", "aoa:scores:frequency", 5, "x"}, {"DEL", "aoa:scores:frequency"}, {"FLUSHALL"}, {"flushdb"}, {"SET", "k", "v"},
		{"ZUNIONSTORE", "aoa:composite", 1, "aoa:scores:frequency"}, {"EXPIRE", "aoa:scores:frequency", 1}, {"RENAME", "aoa:scores:frequency", "x"},
		{"EVAL", "return redis.call('DEL', KEYS[1])", 1, "aoa:scores:frequency"}, {"EVAL_RO", "return 1", 0}, {"SWAPDB", 0, 1}, {"PUBLISH", "c", "m"},
		{"SUBSCRIBE", "c"}, {"ZPOPMAX", "aoa:scores:frequency"}, {"HSET", "aoa:session:s", "f", "v"}, {"SCRIPT", "FLUSH"}} {
		if err := f.Do(t.Context(), cmd...).Err(); err == nil || !strings.HasPrefix(err.Error(), "READONLY ") {
			t.Errorf("%v: %v", cmd, err)
		}
	}
	if err := f.Do(t.Context(), "NON\r\nSENSE").Err(); err == nil || !strings.HasSuffix(err.Error(), `does not know the command "NON\x0d\x0aSENSE"`) {
		t.Errorf("unknown command: %v", err)
	}
	_, err := f.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		p.ZScore(t.Context(), "aoa:scores:frequency", "a.go")
		p.Del(t.Context(), "aoa:scores:frequency")
		return nil
	})
	if err == nil {
		t.Error("a transaction that writes")
	}
	equal(t, "score", f.ZScore(t.Context(), "aoa:scores:frequency", "a.go").Val(), 1.0)
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
	equal(t, "later", f.ZCard(t.Context(), "aoa:scores:frequency").Val(), int64(1))
}
