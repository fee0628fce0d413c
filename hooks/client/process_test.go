//go:build unix

package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestReplyIsPrintedVerbatim(t *testing.T) {
	dir, sock := repo(t)
	text := "{\"hookSpecificOutput\":{\"additionalContext\":\"é\\n\"}}\n"
	got := heard(t, sock, text)
	sub := filepath.Join(dir, "déep %41", "e\tr")
	fault.Check(t, os.MkdirAll(sub, 0o755))
	out := hook(t, "/", strings.NewReader(payload("PreToolUse", sub)),
		[]string{patient, "CLAUDECODE=1", "COPILOT_CLI=/a b&c=d"}, "claude", "x\"y")
	fault.Same(t, "printed", out, text)
	f := sent(t, got)
	if f.Agent != "claude" || f.Dir != sub || !f.Wait || f.Env["CLAUDECODE"] != "1" ||
		f.Env["COPILOT_CLI"] != "/a b&c=d" {
		t.Errorf("sent %+v", f)
	}
	if want := payload("PreToolUse", sub); string(f.Payload) != want {
		t.Errorf("payload %s, want %s", f.Payload, want)
	}
}

// TestAgentsAreAnswered: an event that carries text is known from the payload, by the command line
// (Copilot), or by the agent that runs Claude Code's settings. Which events these are is tested in
// package hooks.
func TestAgentsAreAnswered(t *testing.T) {
	dir, sock := repo(t)
	got := heard(t, sock, "text")
	nameless := fmt.Sprintf(`{"sessionId":"s","cwd":%q,"toolName":"view","toolArgs":{"path":"a.go"}}`, dir)
	tests := []struct {
		args, payload, env string
		waits              bool
	}{
		{"gemini", payload("AfterTool", dir), "", true},
		{"copilot postToolUse", nameless, "", true},
		{"copilot", nameless, "", false},
		{"claude", payload("PostToolUse", dir), "CURSOR_VERSION=2.6", true},
		{"claude", payload("PostToolUse", dir), "COPILOT_CLI=1", true},
		{"claude", payload("PostToolUse", dir), "", false},
	}
	for _, tt := range tests {
		want := ""
		if tt.waits {
			want = "text"
		}
		if out := hook(t, dir, strings.NewReader(tt.payload), []string{patient, tt.env}, strings.Fields(tt.args)...); out != want {
			t.Errorf("%s %s %s printed %q", tt.args, tt.env, tt.payload, out)
		}
		agent, event, named := strings.Cut(tt.args, " ")
		if named {
			tt.payload = strings.Replace(tt.payload, "{", `{"hook_event_name":"`+event+`",`, 1)
		}
		if f := sent(t, got); f.Wait != tt.waits || f.Agent != agent || string(f.Payload) != tt.payload || tt.env != "" && len(f.Env) != 1 {
			t.Errorf("%s %s: sent %+v", tt.args, tt.env, f)
		}
	}
}

func TestGitHook(t *testing.T) {
	dir, sock := repo(t)
	got := heard(t, sock, "")
	hook(t, dir, strings.NewReader("a b\nc d\n"), []string{patient}, "git", "post-rewrite", "amend")
	f := sent(t, got)
	if f.Agent != "git" || f.Dir != dir || len(f.Payload) != 0 {
		t.Errorf("sent %+v", f)
	}
	r, open, err := os.Pipe()
	fault.Check(t, err)
	defer open.Close()
	hook(t, dir, r, []string{patient}, "git", "post-commit")
	if f := sent(t, got); len(f.Payload) != 0 {
		t.Errorf("sent %+v", f)
	}
}

// TestAlwaysSilentAndZero: whatever is wrong, the agent must not notice. The daemons here hang or
// die; that the client returns at all is the proof that its deadlines work.
func TestAlwaysSilentAndZero(t *testing.T) {
	plain := t.TempDir()
	bare, _ := repo(t)
	os.RemoveAll(filepath.Join(bare, ".git", "aoa"))
	hung, sock := repo(t)
	done := make(chan struct{})
	serve(t, sock, func(net.Conn) { <-done })
	t.Cleanup(func() { close(done) })
	dies, sock := repo(t)
	serve(t, sock, func(c net.Conn) { c.Read(make([]byte, 3)); c.Write([]byte("HTT")) })
	liar, sock := repo(t)
	serve(t, sock, func(c net.Conn) {
		receive(c)
		c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 4294967295\r\n\r\nx"))
	})
	full, sock := repo(t)
	fault.FullQueue(t, sock)
	open, w, err := os.Pipe()
	fault.Check(t, err)
	defer w.Close()
	w.WriteString(`{"hook_event_name":"PreToolUse","cwd":`)
	closed, _ := os.Open(os.DevNull)
	closed.Close()
	huge := `{"hook_event_name":"PostToolUse","tool_name":"Read","tool_response":{"file":{"content":"` +
		strings.Repeat("x", 20<<20) + `"}}}`
	tests := []struct {
		name, dir string
		stdin     io.Reader
		env, args []string
	}{
		{"no agent", plain, strings.NewReader(""), nil, nil},
		{"unknown agent", hung, strings.NewReader("{"), nil, []string{"nobody"}},
		{"binary arguments", plain, strings.NewReader("{}"), nil, []string{"\x01\xff", "\xfe"}},
		{"no stdin", hung, nil, nil, []string{"claude"}},
		{"stdin never closed, never complete", hung, open, nil, []string{"claude"}},
		{"garbage", hung, strings.NewReader("\x00\xff{{{"), nil, []string{"claude"}},
		{"huge stdin", hung, strings.NewReader(huge), nil, []string{"claude"}},
		{"no repository", plain, strings.NewReader(payload("PreToolUse", plain)), nil, []string{"claude"}},
		{"no store", bare, strings.NewReader(payload("SessionStart", bare)), nil, []string{"claude"}},
		{"deleted cwd", plain, strings.NewReader(payload("PreToolUse", "/nonexistent/x")), nil, []string{"claude"}},
		{"daemon hangs, hint", hung, strings.NewReader(payload("PreToolUse", hung)), nil, []string{"claude"}},
		{"daemon hangs, prompt", hung, strings.NewReader(payload("UserPromptSubmit", hung)), nil, []string{"claude"}},
		{"daemon hangs, start", hung, strings.NewReader(payload("SessionStart", hung)), nil, []string{"claude"}},
		{"daemon dies", dies, strings.NewReader(payload("PreToolUse", dies)), nil, []string{"claude"}},
		{"daemon lies", liar, strings.NewReader(payload("PreToolUse", liar)), nil, []string{"claude"}},
		{"daemon does not accept", full, strings.NewReader(payload("PreToolUse", full)), nil, []string{"claude"}},
		{"switched off", hung, strings.NewReader(payload("PreToolUse", hung)), []string{"AOA=0"}, []string{"claude"}},
		{"skipped", hung, strings.NewReader(payload("PreToolUse", hung)), []string{"AOA_SKIP=1"}, []string{"claude"}},
		{"store is a file", hung, strings.NewReader(payload("PreToolUse", hung)), []string{"AOA_STORE=/dev/null"},
			[]string{"claude"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_ = os.Remove(filepath.Join(tt.dir, ".git", "aoa", "hook-late")) // each waits
			fault.Same(t, "printed", hook(t, tt.dir, tt.stdin, tt.env, tt.args...), "")
		})
	}
}

// TestDeadDaemonIsStarted: ten sessions begin at once, one daemon wins and answers them all.
func TestDeadDaemonIsStarted(t *testing.T) {
	dir, _ := repo(t)
	outs := make([]string, 10)
	var all sync.WaitGroup
	for i := range outs {
		all.Go(func() {
			outs[i] = hook(t, dir, strings.NewReader(payload("SessionStart", dir)), []string{patient, "GIT_DIR=.git"}, "claude")
		})
	}
	all.Wait()
	pids := started(t, dir)
	if len(pids) != 1 {
		t.Fatalf("daemons that took the lock: %v, want one", pids)
	}
	answered := 0
	for _, out := range outs {
		if out == "pid "+strconv.Itoa(pids[0]) {
			answered++
		} else if out != "" {
			t.Errorf("printed %q", out)
		}
	}
	if answered == 0 {
		t.Error("no session was answered by the daemon that started")
	}
}

// TestLearningStartsTheDaemonOnce: within half a minute the second event starts none.
func TestLearningStartsTheDaemonOnce(t *testing.T) {
	dir, _ := repo(t)
	stamp := filepath.Join(dir, ".git", "aoa", "hook-start")
	hook(t, dir, strings.NewReader(payload("PostToolUse", dir)), nil, "claude")
	first, err := os.Stat(stamp)
	if err != nil {
		t.Fatal("no daemon was started:", err)
	}
	fault.Until(t, time.Minute, "a daemon is started", func() bool { return len(started(t, dir)) == 1 })
	p, _ := os.FindProcess(started(t, dir)[0])
	p.Kill()
	fault.Until(t, time.Minute, "the daemon is gone", func() bool {
		c, err := net.Dial("unix", filepath.Join(dir, ".git", "aoa", "sock"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	hook(t, dir, strings.NewReader(payload("PostToolUse", dir)), nil, "claude")
	if second, err := os.Stat(stamp); err != nil || !second.ModTime().Equal(first.ModTime()) {
		t.Errorf("a second daemon was started within half a minute: %v", err)
	}
	old := first.ModTime().Add(-time.Minute)
	fault.Until(t, time.Minute, "a second daemon is started", func() bool {
		if len(started(t, dir)) > 1 {
			return true
		}
		fault.Check(t, os.Chtimes(stamp, old, old)) // on a busy machine a hook may leave before it has found out
		hook(t, dir, strings.NewReader(payload("PostToolUse", dir)), nil, "claude")
		return false
	})
}

// TestDaemonThatNeverComes: a store that cannot be written gets no daemon, and one that died is
// awaited once in a while. A wait would take 40 s here.
func TestDaemonThatNeverComes(t *testing.T) {
	folder := func(dir, name string) {
		fault.Check(t, os.Mkdir(filepath.Join(dir, ".git", "aoa", name), 0o700))
	}
	quick := func(dir string) {
		t.Helper()
		begun := time.Now()
		out := hook(t, dir, strings.NewReader(payload("SessionStart", dir)), []string{"AOA_PATIENCE=100"}, "claude")
		if took := time.Since(begun); out != "" || took > 20*time.Second {
			t.Errorf("%q after %v", out, took)
		}
	}
	readOnly, _ := repo(t)
	folder(readOnly, "hook-start") // not to be written, for root neither
	long := time.Now().Add(-time.Hour)
	fault.Check(t, os.Chtimes(filepath.Join(readOnly, ".git", "aoa", "hook-start"), long, long))
	quick(readOnly)
	dies, _ := repo(t)
	folder(dies, "started") // the daemon cannot write it
	hook(t, dies, strings.NewReader(payload("SessionStart", dies)), nil, "claude")
	late := filepath.Join(dies, ".git", "aoa", "hook-late")
	if _, err := os.Stat(late); err != nil {
		t.Error("it is awaited again at once")
	}
	quick(dies)
}

// started lists the scripted daemons that took the lock, and sees to their end.
func started(t *testing.T, dir string) (pids []int) {
	b, _ := os.ReadFile(filepath.Join(dir, ".git", "aoa", "started"))
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		pids = append(pids, pid)
		t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
		fault.Same(t, "the daemon has inherited GIT_DIR", f[1], "0")
	}
	return pids
}

// TestBackoff: of a daemon that does not answer in time, one hook waits in vain. The next ones tell
// it what happened and do not wait, until the backoff is over. Another daemon is asked at once.
func TestBackoff(t *testing.T) {
	dir, sock := repo(t)
	d := daemon{Place: locate.Place{Store: filepath.Dir(sock), Socket: sock}}
	got, busy := make(chan api.Hook, 1), make(chan struct{})
	serve(t, sock, func(c net.Conn) {
		if h, err := receive(c); err == nil {
			got <- h
			if h.Wait {
				<-busy
				c.Write(answer("x"))
			}
		}
	})
	goOn := sync.OnceFunc(func() { close(busy) })
	t.Cleanup(goOn)
	tell := func(event string, waits bool, answer string) {
		t.Helper()
		patience := patient // of a hook that waits in vain
		if !waits || answer != "" {
			patience = "AOA_PATIENCE=100"
		}
		fault.Until(t, time.Minute, event+" is sent", func() bool { // a busy machine leaves a hook no time to
			out := hook(t, dir, strings.NewReader(payload(event, dir)), []string{patience}, "claude")
			select {
			case h := <-got:
				fault.Same(t, event, []any{h.Wait, out}, []any{waits, answer})
				return true
			case <-time.After(5 * time.Second):
				return false
			}
		})
	}
	began := func(at time.Time) {
		t.Helper()
		fault.Check(t, os.Chtimes(d.lateFile(), at, at))
	}
	tell("UserPromptSubmit", true, "")
	for _, event := range []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionStart", "SessionEnd"} {
		began(time.Now())
		tell(event, false, "")
	}
	for _, over := range []time.Duration{-backoff, time.Hour} { // also one that begins later than now
		began(time.Now().Add(over))
		tell("UserPromptSubmit", true, "")
		fault.Same(t, "it is late again", d.rests(), true)
	}
	goOn()
	began(time.Now())
	later := time.Now().Add(time.Second)
	fault.Check(t, os.Chtimes(sock, later, later)) // another daemon listens
	tell("UserPromptSubmit", true, "x")
}

// TestLongPayloadIsCut: what is long is read to its end, and of long strings the beginning and the
// end are sent, with the event and the folder wherever they are.
func TestLongPayloadIsCut(t *testing.T) {
	dir, sock := repo(t)
	got := heard(t, sock, "{}")
	head := strings.TrimSuffix(payload("UserPromptSubmit", dir), "}")
	for _, n := range []int{30 << 10, 2 << 20, 4 << 20} {
		text := head + `,"prompt":"begin` + strings.Repeat("x", n) + `end"}`
		fault.Same(t, fmt.Sprintf("%d bytes: printed", n), hook(t, dir, strings.NewReader(text), []string{patient}, "claude"), "{}")
		h := sent(t, got)
		short := n < keepHead
		if same := string(h.Payload) == text; same != short || h.Dir != dir || len(h.Payload) > keepHead+3*keepTail ||
			!json.Valid(h.Payload) || !bytes.HasSuffix(h.Payload, []byte(`xend"}`)) {
			t.Errorf("%d bytes: sent %d from %s", n, len(h.Payload), h.Dir)
		}
	}
	many := head + strings.Repeat(`,"more":["`+strings.Repeat("x", 40<<10)+`"]`, 8) + "}"
	fault.Same(t, "many strings: printed", hook(t, dir, strings.NewReader(many), []string{patient}, "claude"), "{}")
	if h := sent(t, got); string(h.Payload) != many[:maxBody] {
		t.Errorf("many strings: sent %d", len(h.Payload))
	}
	late := `{"tool_response":"` + strings.Repeat("}", 180<<10) + `",` + payload("UserPromptSubmit", dir)[1:]
	fault.Same(t, "the event at the end: printed", hook(t, "/", strings.NewReader(late), []string{patient}, "claude"), "{}")
	sent(t, got)
}

// TestOpenStdin: an agent that does not close stdin is answered as soon as its payload is whole.
func TestOpenStdin(t *testing.T) {
	dir, sock := repo(t)
	heard(t, sock, "{}")
	r, w, err := os.Pipe()
	fault.Check(t, err)
	defer r.Close()
	defer w.Close()
	fault.Must(w.WriteString(payload("UserPromptSubmit", dir) + "\n"))
	fault.Same(t, "printed", hook(t, dir, r, []string{patient}, "claude"), "{}")
}

// TestOtherBuild: a daemon that knows no such request is one of another build. The hook has it
// replaced, once.
func TestOtherBuild(t *testing.T) {
	dir, sock := repo(t)
	serve(t, sock, func(c net.Conn) {
		if _, err := receive(c); err == nil {
			c.Write([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"))
		}
	})
	out := hook(t, dir, strings.NewReader(payload("UserPromptSubmit", dir)), []string{patient}, "claude")
	fault.Same(t, "printed", out, "")
	if _, err := os.Stat(filepath.Join(dir, ".git", "aoa", "hook-start")); err != nil {
		t.Errorf("nothing was started: %v", err)
	}
}

// TestAbove: an agent works in a folder above two repositories. A call goes to the repository of
// its files, a prompt to those that the session touched, a start to none.
func TestAbove(t *testing.T) {
	one, _ := repo(t)
	top := filepath.Dir(one)
	two := filepath.Join(top, "two")
	git(t, "init", "-q", two)
	store(t, filepath.Join(two, ".git"))
	got := make(chan string, 8)
	for name, dir := range map[string]string{"one": one, "two": two} {
		serve(t, filepath.Join(dir, ".git", "aoa", "sock"), func(c net.Conn) {
			h, err := receive(c)
			if err != nil {
				t.Error(err)
			}
			fault.Same(t, name, h.Dir, dir)
			if h.Wait {
				_, _ = c.Write(answer(`{"from":"` + name + `"}`))
			}
			got <- name
		})
	}
	say := func(event, session string, more map[string]any) (printed string, to []string) {
		more["hook_event_name"], more["session_id"], more["cwd"] = event, session, top
		b := fault.Must(json.Marshal(more))
		printed = hook(t, top, strings.NewReader(string(b)), []string{"AOA_PATIENCE=20"}, "claude")
		for {
			select {
			case name := <-got:
				to = append(to, name)
			case <-time.After(200 * time.Millisecond):
				return printed, to
			}
		}
	}
	type input = map[string]any
	for _, c := range []struct {
		event, session string
		more           map[string]any
		to, printed    string
	}{
		{"SessionStart", "s", input{"source": "startup"}, "", ""},
		{"UserPromptSubmit", "s", input{"prompt": "go"}, "", ""},
		{"PostToolUse", "s", input{"tool_name": "Read", "tool_input": input{"file_path": filepath.Join(two, "a.go")}}, "two", ""},
		{"UserPromptSubmit", "s", input{"prompt": "go"}, "two", `{"from":"two"}`},
		{"UserPromptSubmit", "other", input{"prompt": "go"}, "", ""},
		{"PostToolUse", "s", input{"tool_name": "Bash", "tool_input": input{"command": "cd repo && cat a.go"}}, "one", ""},
		{"PostToolUse", "s", input{"tool_name": "Bash", "tool_input": input{"command": "date"}}, "", ""},
		{"PostToolBatch", "s", input{"tool_calls": []input{{"tool_input": input{"file_path": "two/a.go"}}}}, "two",
			`{"from":"two"}`},
	} {
		printed, to := say(c.event, c.session, c.more)
		if strings.Join(to, " ") != c.to || printed != c.printed {
			t.Errorf("%s %v: went to %v, printed %q", c.event, c.more, to, printed)
		}
	}
	if _, to := say("UserPromptSubmit", "s", input{"prompt": "go"}); len(to) != 2 {
		t.Errorf("a prompt of a session that touched both went to %v", to)
	}
}

func TestDaemonOf(t *testing.T) {
	dir, sock := repo(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", userState)
	t.Setenv("CLAUDE_PROJECT_DIR", "")
	tree := filepath.Join(filepath.Dir(dir), "linked")
	git(t, "-C", dir, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, "-C", dir, "worktree", "add", "-q", tree)
	sym := filepath.Join(filepath.Dir(dir), "symlink")
	fault.Check(t, os.Symlink(dir, sym))
	for _, from := range []string{dir, dir + "/", filepath.Join(dir, ".git"), tree, sym} {
		if d, ok := daemonOf(from); !ok || d.Socket != sock || d.Store != filepath.Dir(sock) {
			t.Errorf("daemonOf(%s) = %+v, %v", from, d, ok)
		}
	}
	for _, from := range []string{"", "relative", "/", filepath.Dir(dir)} {
		if d, ok := daemonOf(from); ok {
			t.Errorf("daemonOf(%q) found %+v", from, d)
		}
	}
	t.Setenv("CLAUDE_PROJECT_DIR", dir)
	if d, ok := daemonOf("/"); !ok || d.Socket != sock {
		t.Errorf("outside of any repository: %s, %v; want the project's", d.Socket, ok)
	}
	other, _ := repo(t)
	os.RemoveAll(filepath.Join(other, ".git", "aoa"))
	if d, ok := daemonOf(other); ok {
		t.Errorf("another repository without a store got %s", d.Socket)
	}
}

// TestSubmodule: work in a submodule belongs to the superproject where that has a store, else to
// the submodule's own.
func TestSubmodule(t *testing.T) {
	dir, sock := repo(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", userState)
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "AOA_STORE"} {
		t.Setenv(name, "")
	}
	inner, _ := repo(t)
	git(t, "-C", inner, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, "-C", dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "modules/sub")
	git(t, "-C", dir, "commit", "-q", "-m", "x")
	sub := filepath.Join(dir, "modules", "sub")
	if d, ok := daemonOf(sub); !ok || d.Socket != sock {
		t.Errorf("in the submodule: %s, %v; want the superproject's %s", d.Socket, ok, sock)
	}
	own := store(t, filepath.Join(dir, ".git", "modules", "modules", "sub"))
	if d, ok := daemonOf(sub); !ok || d.Socket != sock {
		t.Errorf("with a store of its own: %s, %v; want the superproject's %s", d.Socket, ok, sock)
	}
	fault.Check(t, os.RemoveAll(filepath.Dir(sock)))
	if d, ok := daemonOf(sub); !ok || d.Store != own {
		t.Errorf("without the superproject's store: %s, %v; want %s", d.Store, ok, own)
	}
	clone := filepath.Join(dir, "clone") // a repository of its own, only inside
	git(t, "clone", "-q", inner, clone)
	if d, ok := daemonOf(clone); ok {
		t.Errorf("a clone inside of a repository got its socket %s", d.Socket)
	}
}
