package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/peer"
)

// grace is how long before a kill a hook may be lost (docs/dev/store.md).
const grace = 100 * time.Millisecond

// kills is the test that kills the daemon again and again. The next hook starts it, through the real client.
type kills struct {
	every  time.Duration
	bin    string
	next   time.Time
	at     []time.Time
	acked  map[string]time.Time // events that were posted and acknowledged
	wrote  map[string]time.Time // calls that were written to the socket
	failed int                  // hooks that found no daemon
}

// command runs aoa in the clone.
func (x *soak) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, x.bin, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = x.dir, x.env, os.Stderr
	return cmd.Run()
}

// kill kills the daemon when it is time.
func (x *soak) kill(ctx context.Context) (killed bool, err error) {
	if x.every == 0 || time.Now().Before(x.next) {
		return false, nil
	}
	first := x.next.IsZero()
	x.next = time.Now().Add(x.every*3/4 + rand.N(x.every/2))
	conn, err := api.Dial(ctx, x.place)
	if first || err != nil {
		return false, err
	}
	defer conn.Close()
	daemon, err := os.FindProcess(peer.Process(conn))
	if err != nil {
		return false, err
	}
	x.at = append(x.at, time.Now())
	return true, daemon.Kill()
}

// note records whether the daemon accepted a call. A call that it did not accept is delivered by
// the client, which starts a daemon. After each twentieth hook an event is also posted.
func (x *soak) note(ctx context.Context, p payload, raw []byte, at time.Time, failed error) error {
	if failed != nil {
		x.failed++
		cmd := exec.CommandContext(ctx, x.bin, "hook", "claude")
		cmd.Dir, cmd.Env, cmd.Stdin = x.dir, x.env, bytes.NewReader(raw)
		return cmd.Run()
	}
	if name := p["tool_name"]; p["hook_event_name"] == "PostToolUse" &&
		(name == "Read" || name == "Edit" || name == "Write") {
		sub, _ := p["agent_id"].(string)
		file, _ := filepath.Rel(x.dir, p["tool_input"].(map[string]any)["file_path"].(string))
		if path, err := event.NewPath(filepath.ToSlash(file)); err == nil && !x.repo.Ignored(path) {
			x.wrote[event.CallID(fmt.Sprint(p["tool_use_id"]), sub)] = at
		}
	}
	if x.hooks%20 != 0 {
		return nil
	}
	e := event.Event{ID: fmt.Sprint("posted", x.hooks), Time: at, Agent: "tool", Session: "tool",
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}}
	if _, err := api.Call(ctx, x.client(), api.Events, []event.Event{e}); err == nil {
		x.acked[e.ID] = at
	}
	return nil
}

// work begins to use git as a person does. The returned function ends that.
func (x *soak) work(ctx context.Context, does bool) (end func() error) {
	if !does {
		return func() error { return nil }
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- x.rounds(ctx) }()
	return func() error { stop(); return <-ended }
}

func (x *soak) rounds(ctx context.Context) (err error) {
	n := 0
	pace := time.NewTicker(20 * time.Second)
	defer pace.Stop()
	for ctx.Err() == nil && err == nil {
		name, tree := fmt.Sprint("side", n), filepath.Join(x.dir, "../tree")
		script := `set -e
			git switch -q -C base; echo NAME >> soak.txt; git add soak.txt; git commit -qm "work of NAME"
			git switch -q -c NAME; echo NAME > NAME.txt; git add NAME.txt; git commit -qm "NAME of a branch"
			git switch -q base; git mv -f soak.txt soaked.txt; git commit -qm "rename"
			git mv soaked.txt soak.txt; git commit -qm "back"
			git switch -q NAME; git rebase -q base; git switch -q base
			git merge -q --no-ff -m "merge NAME" NAME; git branch -qd NAME`
		if n%5 == 4 {
			script += "\ngit worktree add -q -f --detach TREE; git -C TREE commit -q --allow-empty -m there; " +
				"git worktree remove --force TREE"
		}
		if n%10 == 9 {
			script += "\ngit gc -q --prune=now"
		}
		cmd := exec.CommandContext(ctx, "sh", "-c", strings.NewReplacer("NAME", name, "TREE", tree).Replace(script))
		cmd.Dir, cmd.Env = x.dir, append(x.env, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@b")
		if out, failed := cmd.CombinedOutput(); failed != nil && ctx.Err() == nil {
			err = fmt.Errorf("git work, round %d: %w: %s", n, failed, out)
		}
		n++
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
	fmt.Printf("%d rounds of git\n", n)
	return err
}

// survived stops the daemon and compares the log with the events that were sent.
func (x *soak) survived(ctx context.Context) error {
	if x.every == 0 {
		return nil
	}
	if err := x.command(ctx, "daemon", "stop"); err != nil {
		return err
	}
	seal, err := cold.OpenSeal(locate.KeyFile(config.Lookup(x.env)))
	if err != nil {
		return err
	}
	db, err := cold.Open(ctx, filepath.Join(x.place.Store, "aoa.db"), cold.Options{Now: time.Now, Seal: seal})
	if err != nil {
		return err
	}
	defer db.Close()
	count, doubled, events := map[string]int{}, 0, 0
	err = db.Replay(ctx, 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			if count[e.ID]++; count[e.ID] > 1 {
				doubled++
			}
			events++
		}
		return nil
	})
	lost, late := map[string]int{}, 0
	for what, sent := range map[string]map[string]time.Time{"acknowledged": x.acked, "hooks": x.wrote} {
		for id, at := range sent {
			if count[id] > 0 {
				continue
			}
			excused := false
			for _, k := range x.at {
				excused = excused || what == "hooks" && k.Sub(at) < grace && at.Sub(k) < grace
			}
			if excused {
				late++
				continue
			}
			if lost[what]++; lost[what] < 6 {
				fmt.Fprintf(os.Stderr, "lost of %s: %s of %s\n", what, id, at.Format(time.TimeOnly+".000"))
			}
		}
	}
	fmt.Printf("%d kills; %d events acknowledged, %d lost; %d calls written, %d lost within %s of a kill, %d others; "+
		"%d of %d events are there twice; %d hooks found no daemon\n", len(x.at), len(x.acked), lost["acknowledged"],
		len(x.wrote), late, grace, lost["hooks"], doubled, events, x.failed)
	if err == nil && lost["acknowledged"]+lost["hooks"]+doubled > 0 {
		err = errors.New("something is lost or there twice")
	}
	return err
}
