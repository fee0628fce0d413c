package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// server is a real redis-server, on loopback and on a socket.
type server struct{ addr, socket string }

func (s server) url() string { return "redis://" + s.addr + "/0" }

// newServer starts a server that keeps nothing and ends with the test. It skips the test unless
// servers are wanted.
func newServer(t *testing.T, args ...string) server {
	t.Helper()
	if !fault.Wanted("redis") {
		t.Skip("servers are tested by scripts/dev/redis.sh and faults.sh")
	}
	if _, err := exec.LookPath("redis-server"); err != nil {
		fault.Lacking(t, "redis", "redis-server is not installed")
	}
	return serveRedis(t, args...)
}

func serveRedis(t testing.TB, args ...string) server {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoa-") // a short name: the socket lies in it
	fault.Check(t, err)
	s := server{freeAddr(t), filepath.Join(dir, "s")}
	_, port, _ := net.SplitHostPort(s.addr)
	cmd := exec.Command("redis-server", append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", dir,
		"--unixsocket", s.socket, "--save", "", "--appendonly", "no"}, args...)...)
	fault.Check(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()         // it was killed
		os.RemoveAll(dir)
	})
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket, MaxRetries: -1})
	defer c.Close()
	fault.Until(t, time.Minute, "the server answers", func() bool {
		err := c.Ping(t.Context()).Err()
		return err == nil || redis.HasErrorPrefix(err, "NOAUTH")
	})
	return s
}

// freeAddr is a free port below those that the system hands out.
func freeAddr(t testing.TB) string {
	t.Helper()
	for range 200 {
		addr := fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(10000))
		if l, err := net.Listen("tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}

// redisClient is redis-cli for scripts, because not every machine has redis-cli: redis-client
// SOCKET COMMAND ARG… It prints the elements of the reply, one per line, and exits 1 if the server
// refuses the command.
func redisClient() {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: os.Args[1], MaxRetries: -1, Protocol: 2,
		DisableIdentity: true})
	args := make([]any, len(os.Args)-2)
	for i, a := range os.Args[2:] {
		args[i] = a
	}
	reply, err := c.Do(context.Background(), args...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	list, ok := reply.([]any)
	if !ok {
		list = []any{reply}
	}
	for _, element := range list {
		fmt.Println(element)
	}
}

// newTeam makes clones of one repository, each with a home and a daemon, that exchange events over
// a server.
func newTeam(t *testing.T, url string, clones int) (team []*sandbox) {
	t.Helper()
	id := fmt.Sprint("team-", time.Now().UnixNano())
	for i := range clones {
		d := newSandbox(t, 24*max(0, 1-i))
		d.env = append(d.env, "AOA_REDIS_URL="+url, "AOA_REPO_ID="+id, "AOA_HOLDOUT=0", "AOA_TEAM_WORDS=on")
		if i > 0 {
			d.git("pull", "-q", team[0].dir, "main")
		}
		d.must("init")
		team = append(team, d)
	}
	return team
}

// held are the events of the test in a clone's log, with how often each is there. No daemon may
// write meanwhile.
func (d *sandbox) held() map[string]int {
	d.Helper()
	ids := map[string]int{}
	db := openLog(d)
	defer db.Close()
	fault.Check(d, db.Replay(d.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			if _, own, _ := strings.Cut(e.ID, "event-"); e.Agent == "tool" {
				ids[own]++
			}
		}
		return nil
	}))
	return ids
}

// logged are the lines of a daemon's log with those words.
func (d *sandbox) logged(words string) (lines []string) {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.place().Store, "aoa.log"))
	fault.Check(d, err)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, words) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// TestTeam: three processes with clones, homes and sockets of their own exchange events over one
// server. One starts again and one is killed meanwhile. In the end each of them holds each event
// once. That equal events teach the same is tested in internal/team.
func TestTeam(t *testing.T) {
	t.Parallel()
	team := newTeam(t, newServer(t).url(), 3)
	want := map[string]int{}
	for round := range 3 {
		for i, d := range team {
			id := fmt.Sprint(round, "-", i)
			want[id] = 1
			mustCall(d, api.Events, []event.Event{{ID: "event-" + id, Time: time.Now(), Agent: "tool", Session: "s",
				Body: event.Call{Act: event.ActRead, Paths: []event.Path{"server/wire.go"}}}})
		}
		if round == 1 {
			team[0].must("daemon", "stop")
			team[0].must("daemon", "start")
			pid := team[1].status().Pid
			p, err := os.FindProcess(pid)
			fault.Check(t, err)
			fault.Check(t, p.Kill())
			team[1].until("another daemon", func() bool {
				return team[1].do("daemon", "start").code == 0 && team[1].status().Pid != pid
			})
		}
	}
	for _, d := range team {
		d.until("all events are here", func() bool { return maps.Equal(d.held(), want) })
	}
}
