package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// asNobody runs the program as another user: root may write everywhere.
func (d *sandbox) asNobody(args ...string) said {
	d.Helper()
	cmd := d.command(d.bin, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: fault.Nobody, Gid: fault.Nobody}}
	return d.finish(cmd, "")
}

// forNobody makes a sandbox whose repository and home belong to no one, and its program can be run
// by anyone.
func forNobody(t *testing.T) *sandbox {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may become another user")
	}
	t.Parallel()
	d := newSandbox(t, 16)
	top := filepath.Dir(d.dir)
	raw := fault.Must(os.ReadFile(d.bin))
	d.bin = filepath.Join(top, "aoa")
	fault.Check(t, errors.Join(os.WriteFile(d.bin, raw, 0o755), os.Chmod(top, 0o755)))
	owner := fmt.Sprintf("%d:%d", fault.Nobody, fault.Nobody)
	fault.Check(t, exec.Command("chown", "-R", owner, d.dir, filepath.Join(top, "home")).Run())
	t.Cleanup(func() { d.asNobody("daemon", "stop", "--all") })
	return d
}

// TestNoPermission: where a store or a database cannot be written, the message says so.
func TestNoPermission(t *testing.T) {
	noRace(t)
	t.Parallel()
	t.Run("a git dir that cannot be written", func(t *testing.T) {
		d := forNobody(t)
		fault.Check(t, os.Chmod(d.path(".git"), 0o555))
		if s := d.asNobody("init"); s.code != exitFailed || !strings.Contains(s.err, "permission denied") ||
			!strings.Contains(s.err, "AOA_STORE") {
			t.Errorf("exit %d: %s", s.code, s.err)
		}
	})
	t.Run("a database that cannot be written", func(t *testing.T) {
		d := forNobody(t)
		d.asNobody("init")
		d.asNobody("daemon", "stop")
		db := filepath.Join(d.place().Store, "aoa.db")
		fault.Check(t, errors.Join(os.Chown(db, 0, 0), os.Chmod(db, 0o400)))
		if s := d.asNobody("suggest"); s.code != 3 || !strings.Contains(s.err, "cannot be written") {
			t.Errorf("exit %d: %s", s.code, s.err)
		}
	})
	t.Run("a damaged database that cannot be moved aside", func(t *testing.T) {
		d := forNobody(t)
		d.asNobody("init")
		d.asNobody("daemon", "stop")
		db := filepath.Join(d.place().Store, "aoa.db")
		raw := fault.Must(os.ReadFile(db))
		fault.Check(t, os.WriteFile(db, append(raw[:4096:4096], make([]byte, len(raw)-4096)...), 0))
		for _, name := range []string{db + "-wal", db + "-shm"} { // they cannot be created there
			fault.Check(t, errors.Join(os.WriteFile(name, nil, 0o600), os.Chown(name, fault.Nobody, fault.Nobody)))
		}
		fault.Check(t, os.Chmod(d.place().Store, 0o500))
		if s := d.asNobody("suggest"); s.code != 3 || !strings.Contains(s.err, "moving the file aside failed") {
			t.Errorf("exit %d: %s", s.code, s.err)
		}
	})
}

// TestStopOnFullDisk: on a full disk questions are answered, and what cannot be written is refused
// or waits in memory. A daemon whose events wait does not stop: aoa daemon stop says how many there
// are, where they belong and what to do. When there is space it stops, and they are there. Only by
// force is it stopped without.
func TestStopOnFullDisk(t *testing.T) {
	noRace(t)
	disk := fault.Disk(t, "6m")
	if disk == "" {
		return
	}
	d := newSandbox(t, 16)
	d.env = append(d.env, "AOA_STORE="+filepath.Join(disk, "store"))
	d.must("init")
	filler := filepath.Join(disk, "filler")
	says := func(s said, code int, want ...string) {
		t.Helper()
		for _, w := range want {
			if s.code != code || !strings.Contains(s.out+s.err, w) {
				t.Errorf("on a full disk: exit %d, want %d and %q\n%s%s", s.code, code, w, s.out, s.err)
			}
		}
	}
	const many = 66
	hooks := func(name string) {
		t.Helper()
		fill(t, filler)
		var err error
		for i := 0; err == nil; i++ { // the pages that the database had allocated are used up, too
			_, err = api.Call(t.Context(), d.client(), api.Events, []event.Event{{ID: fmt.Sprint("fill", name, i),
				Time: time.Now(), Session: "s", Body: event.Prompt{Text: strings.Repeat("words ", 600)}}})
		}
		if refused, ok := errors.AsType[*event.Refusal](err); !ok || refused.Code != event.CodeFull ||
			!strings.Contains(refused.Message, "no space left") {
			t.Errorf("events on a full disk: %v", err)
		}
		for i := range many {
			if _, err := d.send(api.Hook{Agent: "claude", Dir: d.dir,
				Payload: d.hook("PostToolUse", "s", fmt.Sprint(name, i), "Read", "README.md")}); err != nil {
				t.Errorf("a hook on a full disk: %v", err)
			}
		}
		d.until("the events wait in memory", func() bool { return waiting(d.do("status").err) >= many })
	}
	hooks("a")
	says(d.do("suggest", "server/wire.go"), exitOK, "docs/protocol.md")
	says(d.do("feedback", "good"), exitFailed, "no space left")
	says(d.do("doctor"), exitFailed, "BAD")
	pid := d.status().Pid
	s := d.do("daemon", "stop")
	says(s, exitFailed, filepath.Join(disk, "store", "aoa.db"), "hint: free some space", "aoa daemon stop --force")
	fault.Same(t, "the events that it waits for", waiting(s.err) >= many, true)
	fault.Same(t, "the daemon goes on", d.status().Pid, pid)
	fault.Check(t, os.Remove(d.place().Socket))
	if fault.Within(6*time.Second, func() bool { return syscall.Kill(pid, 0) != nil }) {
		t.Error("a daemon that nobody finds has ended, although it has the events")
	}
	fault.Check(t, os.Remove(filler))
	d.must("daemon", "stop")
	fault.Same(t, "with space again", len(d.log("--kind", "read")), many)

	hooks("b")
	says(d.do("daemon", "stop", "--force"), exitOK, "stopped 1", "lost")
	fault.Check(t, os.Remove(filler))
	fault.Same(t, "after that", len(d.log("--kind", "read")), many)
	fill(t, filler) // what it must not come to: that nothing can be removed any more
	d.must("remove", "--yes")
}

// waiting is the number of events that a message is about.
func waiting(message string) (n int) {
	before, _, _ := strings.Cut(message, " events ")
	_, _ = fmt.Sscan(before[strings.LastIndexByte(before, ' ')+1:], &n)
	return n
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	fault.Check(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	fault.Check(t, f.Close())
}

// limited runs a line of a shell under a limit.
func (d *sandbox) limited(limit, stdin, line string) said {
	d.Helper()
	return d.finish(d.command("sh", "-c", "ulimit "+limit+"; "+line), stdin)
}

// harmless checks what a hook left behind: nothing but one JSON object.
func (s said) harmless(t *testing.T, book *fault.Book, limit string) {
	t.Helper()
	if s.code != 0 || s.err != "" || s.out != "" && !json.Valid([]byte(s.out)) {
		t.Errorf("a hook under ulimit %s: exit %d, %q, %q", limit, s.code, s.out, s.err)
		book.Add(fault.Wrong, 1)
		return
	}
	book.Add(fault.Whole, 1)
}

// TestLimits: a hook, and the daemon that it starts, with few open files or short files. Hooks exit
// 0 and are silent but for one JSON object; a command says what is wrong; without the limit
// everything works again.
func TestLimits(t *testing.T) {
	noRace(t)
	t.Parallel()
	for _, c := range []struct {
		limit, refusal string
		learns         bool
	}{
		{limit: "-n 64", learns: true},
		{limit: "-n 20"},                  // enough in some starts, by the order in which files are opened
		{limit: "-n 16", refusal: "open"}, // too many open files, or SQLite cannot open one
		{limit: "-f 0", refusal: "aoa.db"},
		{limit: "-f 100"},
	} {
		t.Run(strings.Trim(c.limit, "-"), func(t *testing.T) {
			d := initialized(t, 16)
			d.must("daemon", "stop")
			book := fault.Open(t, "hooks and a daemon under ulimit "+c.limit)
			s := d.limited(c.limit, "", "exec "+d.bin+" suggest server/wire.go")
			refused := s.code != 0 && strings.Contains(s.err, c.refusal) && strings.Contains(s.err, "hint:")
			if !refused && (s.code != 0 || c.refusal != "") {
				t.Errorf("suggest: exit %d: %s", s.code, s.err)
			}
			hook := func(raw json.RawMessage) {
				d.limited(c.limit, string(raw), "exec "+d.bin+" hook claude").harmless(t, book, c.limit)
			}
			for i := range fault.Rounds() {
				hook(d.hook("PostToolUse", "s", fmt.Sprint("toolu_", i), "Read", "server/wire.go"))
				hook(d.hook("UserPromptSubmit", "s", fmt.Sprint("p", i), "", "the wire of the server waits"))
			}
			if c.learns {
				d.until("what the hooks said is there", func() bool { return len(d.log("--kind", "read")) >= fault.Rounds() })
			}
			d.do("daemon", "stop", "--force")
			d.answers("without the limit")
		})
	}
}

// TestLimitsOfMemory: a Go program that gets no memory dies with the exit code 2, which Claude Code
// takes for a refusal of the tool. The command in the settings of an agent exits 0 all the same.
func TestLimitsOfMemory(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	book := fault.Open(t, "hooks and a daemon under ulimit -v")
	died := false
	for _, megabytes := range []int{100, 400, 1200, 2000} {
		for i := range fault.Size(1, 5*fault.Rounds()) {
			d.do("daemon", "stop")
			limit := fmt.Sprint("-v ", megabytes<<10)
			prompt := string(d.hook("UserPromptSubmit", "s", fmt.Sprint(megabytes, i), "", "the wire of the server waits"))
			died = died || d.limited(limit, prompt, "exec "+d.bin+" hook claude").code != 0
			d.limited(limit, prompt, install.Command(filepath.Dir(d.bin), "claude")).harmless(t, book, limit)
		}
	}
	d.do("daemon", "stop", "--force")
	d.answers("without the limit")
	fault.Same(t, "the program itself died of it", died, true)
}
