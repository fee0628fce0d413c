package redisview_test

import (
	"context"
	"errors"
	"fmt"
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
	redis *redis.Client

	mu    sync.Mutex // guards what follows
	sets  map[api.ScoresRequest]api.ScoresAnswer
	came  []prefetch.Outcome
	asked int
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
	daemon := redisview.Daemon(t, f.ask, f.stats)
	go func() { done <- redisview.Serve(ctx, ln, daemon, f.now) }()
	f.redis = redis.NewClient(&redis.Options{Network: "unix", Addr: ln.Addr().String(), PoolSize: 1, MaxRetries: -1,
		Protocol: 2})
	t.Cleanup(func() {
		f.redis.Close()
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
	f.asked++
	return f.sets[r], f.err
}

func (f *fixture) stats(context.Context, api.StatsRequest) (api.StatsAnswer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return api.StatsAnswer{Outcomes: f.came}, f.err
}

func (f *fixture) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// TestStories plays the stories of testdata/stories.txt. A line with # begins a story, with a server of
// its own. These lines say what the daemon has; any other is a command for the server, and the line
// with a tab below it is the reply (-update writes it):
//
//	have SET [of=OWNER] [FIELD=VALUE] [expires=DURATION] [MEMBER SCORE…]
//	came AFTER FILE used|unused STATUS   what became of a hint
//	fails [TEXT]                         the daemon answers with this error; without a text it answers
//	pass DURATION
//	asked                                how often the daemon was asked
func TestStories(t *testing.T) {
	var f *fixture
	fault.Replies(t, "testdata/stories.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			f = newFixture(t)
			return nil
		}
		words := fault.Words(line)
		if f.answers(words) {
			return nil
		}
		return []string{f.reply(words)}
	})
}

// answers reports whether a line says what the daemon has.
func (f *fixture) answers(words []string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch words[0] {
	case "have":
		f.have(words[1], words[2:])
	case "came":
		f.came = append(f.came, prefetch.Outcome{At: noon.Add(fault.Must(time.ParseDuration(words[1]))), Session: "s",
			File: event.Path(words[2]), Used: words[3] == "used", Status: prefetch.Status(words[4])})
	case "fails":
		if f.err = nil; len(words) > 1 {
			f.err = errors.New(words[1])
		}
	case "pass":
		f.at = f.at.Add(fault.Must(time.ParseDuration(words[1])))
	default:
		return false
	}
	return true
}

// have gives a set its members.
func (f *fixture) have(set string, words []string) {
	var a api.ScoresAnswer
	owner := ""
	for i := 0; i < len(words); i++ {
		name, value, is := strings.Cut(words[i], "=")
		switch {
		case !is:
			m := hot.Member{Name: name}
			_, err := fmt.Sscan(words[i+1], &m.Score)
			fault.Check(f, err)
			a.Members, i = append(a.Members, m), i+1
		case name == "of":
			owner = value
		case name == "expires":
			a.Expires = f.at.Add(fault.Must(time.ParseDuration(value)))
		default:
			a.Fields = map[string]string{name: value}
		}
	}
	f.sets[api.ScoresRequest{Set: set, Owner: owner}] = a
}

// reply runs a command. The keys of a database have no order.
func (f *fixture) reply(words []string) string {
	if words[0] == "asked" {
		f.mu.Lock()
		defer f.mu.Unlock()
		return fmt.Sprint(f.asked, " times")
	}
	args := make([]any, len(words))
	for i, w := range words {
		args[i] = w
	}
	got, err := f.redis.Do(f.Context(), args...).Result()
	switch {
	case err != nil:
		return "error: " + err.Error()
	case words[0] == "INFO":
		return fmt.Sprint("used_memory is there: ", strings.Contains(fmt.Sprint(got), "used_memory:"))
	}
	list, _ := got.([]any)
	if words[0] == "SCAN" {
		list, _ = list[1].([]any)
	}
	if words[0] == "KEYS" || words[0] == "SCAN" {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	if list == nil {
		return fmt.Sprint(got)
	}
	return fmt.Sprintf("%q", list)
}
