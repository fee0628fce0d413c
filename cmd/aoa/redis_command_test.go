package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestRedisCommand: a Redis client reads what the daemon has learned, decayed to now, and what it learns while the client is there.
func TestRedisCommand(t *testing.T) {
	noRace(t)
	d := newSandbox(t, 20)
	d.must("init", "--no-transcripts")
	now := time.Now()
	opened := func(id string, at time.Time, file event.Path) event.Event {
		return event.Event{ID: id, Kind: event.KindRead, Time: at, Agent: "test", Session: "s",
			Tags: []string{"go", "reading"}, Paths: []event.Path{file}, OK: true}
	}
	mustCall(d, api.Events, []event.Event{opened("1", now.Add(-7*24*time.Hour), "README.md"), opened("2", now, "server/wire.go")})

	serve := d.command(d.bin, "redis")
	check(t, serve.Start())
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	socket := redisSocket(d.place())
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: socket, PoolSize: 1})
	t.Cleanup(func() { c.Close() })
	ctx := t.Context()
	d.until("it listens", func() bool { return c.Ping(ctx).Err() == nil })

	if got, _ := c.Do(ctx, "ZREVRANGE", "aoa:scores:recency", 0, 1).StringSlice(); len(got) != 2 ||
		got[0] != "server/wire.go" || got[1] != "README.md" {
		t.Errorf("recency: %v", got)
	}
	if got := c.ZScore(ctx, "aoa:scores:frequency", "README.md").Val(); got < 0.49 || got > 0.51 { // a half-life ago
		t.Errorf("frequency: %v", got)
	}
	if got := c.SMembers(ctx, "aoa:file:server/wire.go").Val(); len(got) != 2 || got[0] != "#go" {
		t.Errorf("tags: %v", got)
	}
	if got, _ := c.Do(ctx, "ZREVRANGE", "aoa:comod:server/wire.go", 0, 0).StringSlice(); len(got) != 1 || got[0] != "docs/protocol.md" {
		t.Errorf("partners: %v", got)
	}
	if got := c.HGet(ctx, "aoa:session:s", "current_file").Val(); got != "server/wire.go" {
		t.Errorf("session: %v", got)
	}
	if got := c.TTL(ctx, "aoa:session:s").Val(); got < 23*time.Hour || got > 24*time.Hour {
		t.Errorf("the session expires in %v", got)
	}
	if got := c.ZCard(ctx, "aoa:composite").Val(); got == 0 {
		t.Error("the composite is empty")
	}
	if err := c.Del(ctx, "aoa:scores:recency").Err(); err == nil || !strings.HasPrefix(err.Error(), "READONLY") {
		t.Errorf("del: %v", err)
	}
	mustCall(d, api.Events, []event.Event{opened("3", now, "README.md")})
	d.until("what was learned is read", func() bool { return c.ZScore(ctx, "aoa:scores:frequency", "README.md").Val() > 1.4 })
	if second := d.do("redis"); second.code != exitFailed || !strings.Contains(second.err, "another program listens") {
		t.Errorf("a second one: %+v", second)
	}
	if cli, err := exec.LookPath("redis-cli"); err == nil {
		out, err := d.command(cli, "-s", socket, "ZREVRANGE", "aoa:scores:recency", "0", "9").CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "server/wire.go\nREADME.md\n") {
			t.Errorf("redis-cli: %s, %v", out, err)
		}
	}
}
