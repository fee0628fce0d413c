package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
