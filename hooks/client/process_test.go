//go:build unix

package client

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var binaries = struct{ fat, empty string }{}

// TestMain builds a binary as heavy as the real one, with the fast path in it.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "aoa-client-")
	if err != nil {
		panic(err)
	}
	binaries.fat, binaries.empty = filepath.Join(dir, "fat"), filepath.Join(dir, "empty")
	for name, out := range map[string]string{"fat": binaries.fat, "empty": binaries.empty} {
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, "./testdata/"+name)
		if msg, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", name, err, msg)
			os.Exit(1)
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// repo makes a repository with a store; its path is free of symlinks and short enough for a socket.
func repo(t testing.TB) (dir, sock string) {
	t.Helper()
	top, err := os.MkdirTemp("/tmp", "aoa-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	if top, err = filepath.EvalSymlinks(top); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(top, "r")
	git(t, "init", "-q", dir)
	if err := os.Mkdir(filepath.Join(dir, ".git", "aoa"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, ".git", "aoa", "sock")
}

func git(t testing.TB, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = environ(t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func environ(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
}

// serve answers connections on the socket with handle until the test ends.
func serve(t testing.TB, sock string, handle func(net.Conn)) {
	t.Helper()
	ln, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { defer c.Close(); handle(c) })
		}
	})
	t.Cleanup(func() { ln.Close(); running.Wait() })
}

type sent struct {
	Agent   string
	Args    []string
	Cwd     string
	Env     map[string]string
	Wait    bool
	Payload json.RawMessage
}

func receive(c net.Conn) (sent, error) {
	var f sent
	head := make([]byte, 5)
	if _, err := io.ReadFull(c, head); err != nil {
		return f, err
	}
	body := make([]byte, int(head[1])<<24|int(head[2])<<16|int(head[3])<<8|int(head[4]))
	if _, err := io.ReadFull(c, body); err != nil {
		return f, err
	}
	return f, json.Unmarshal(body, &f)
}

func answer(text string) []byte {
	n := len(text)
	return append([]byte{0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, text...)
}

func payload(event, cwd string) string {
	b, _ := json.Marshal(map[string]any{"session_id": "s", "cwd": cwd, "hook_event_name": event, "tool_name": "Read",
		"tool_input": map[string]string{"file_path": cwd + "/a.go"}})
	return string(b)
}

// hook runs the client. Anything but exit 0 or anything on stderr fails the test.
func hook(t testing.TB, dir string, stdin io.Reader, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(binaries.fat, append([]string{"hook"}, args...)...)
	cmd.Dir, cmd.Stdin, cmd.Env = dir, stdin, append(environ(dir), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("hook %v: %v, stderr %q", args, err, errs.String())
	}
	return out.String()
}

func TestFastPathComesFirst(t *testing.T) {
	cmd := exec.Command(binaries.fat, "hook", "claude")
	cmd.Env = append(environ(t.TempDir()), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := bytes.Count(out, []byte("init ")); n < 5 || n >= 40 {
		t.Errorf("%d packages initialise before the hook client, want fewer than 40:\n%s", n, out)
	}
}

func TestReplyIsPrintedVerbatim(t *testing.T) {
	dir, sock := repo(t)
	text := "{\"hookSpecificOutput\":{\"additionalContext\":\"é\\n\"}}\n"
	got := make(chan sent, 1)
	serve(t, sock, func(c net.Conn) {
		f, err := receive(c)
		if err != nil {
			t.Error(err)
		}
		got <- f
		c.Write(answer(text))
	})
	sub := filepath.Join(dir, "deep", "er")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	out := hook(t, "/", strings.NewReader(payload("PreToolUse", sub)), []string{"CLAUDECODE=1"}, "claude", "x\"y")
	if out != text {
		t.Errorf("printed %q, want %q", out, text)
	}
	f := <-got
	if f.Agent != "claude" || len(f.Args) != 1 || f.Args[0] != "x\"y" || f.Cwd != sub || !f.Wait || f.Env["CLAUDECODE"] != "1" {
		t.Errorf("frame %+v", f)
	}
	if want := payload("PreToolUse", sub); string(f.Payload) != want {
		t.Errorf("payload %s, want %s", f.Payload, want)
	}
}

func TestLearningEventsAreNotWaitedFor(t *testing.T) {
	dir, sock := repo(t)
	got := make(chan sent, 1)
	serve(t, sock, func(c net.Conn) {
		f, _ := receive(c)
		c.Write(answer("nobody reads this"))
		got <- f
	})
	for _, event := range []string{"PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"} {
		if out := hook(t, dir, strings.NewReader(payload(event, dir)), nil, "claude"); out != "" {
			t.Errorf("%s printed %q", event, out)
		}
		if f := <-got; f.Wait || !bytes.Contains(f.Payload, []byte(event)) {
			t.Errorf("%s: frame %+v", event, f)
		}
	}
}

func TestGitHook(t *testing.T) {
	dir, sock := repo(t)
	got := make(chan sent, 1)
	serve(t, sock, func(c net.Conn) { f, _ := receive(c); got <- f })
	hook(t, dir, strings.NewReader("a b\nc d\n"), nil, "git", "post-rewrite", "amend")
	f := <-got
	var pairs string
	if err := json.Unmarshal(f.Payload, &pairs); err != nil || pairs != "a b\nc d\n" {
		t.Errorf("payload %s: %v", f.Payload, err)
	}
	if f.Agent != "git" || strings.Join(f.Args, " ") != "post-rewrite amend" || f.Cwd != dir {
		t.Errorf("frame %+v", f)
	}
	r, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	hook(t, dir, r, nil, "git", "post-commit")
	if f := <-got; f.Args[0] != "post-commit" || len(f.Payload) != 0 {
		t.Errorf("frame %+v", f)
	}
}

// TestAlwaysSilentAndZero: whatever is wrong, the agent must not notice. The daemons here hang or die; that the
// client returns at all is the proof that its deadlines work.
func TestAlwaysSilentAndZero(t *testing.T) {
	plain := t.TempDir()
	bare, _ := repo(t)
	os.RemoveAll(filepath.Join(bare, ".git", "aoa"))
	hung, sock := repo(t)
	done := make(chan struct{})
	serve(t, sock, func(net.Conn) { <-done })
	t.Cleanup(func() { close(done) })
	dies, sock := repo(t)
	serve(t, sock, func(c net.Conn) { c.Read(make([]byte, 3)); c.Write([]byte{0, 0, 0}) })
	liar, sock := repo(t)
	serve(t, sock, func(c net.Conn) { receive(c); c.Write([]byte{0, 0xff, 0xff, 0xff, 0xff, 'x'}) })
	full, sock := repo(t)
	backlog(t, sock)
	open, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.WriteString(`{"hook_event_name":"PreToolUse","cwd":`)
	closed, _ := os.Open(os.DevNull)
	closed.Close()
	huge := `{"hook_event_name":"PostToolUse","tool_name":"Read","tool_response":{"file":{"content":"` + strings.Repeat("x", 20<<20) + `"}}}`
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
		{"store is a file", hung, strings.NewReader(payload("PreToolUse", hung)), []string{"AOA_STORE=/dev/null"}, []string{"claude"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if out := hook(t, tt.dir, tt.stdin, tt.env, tt.args...); out != "" {
				t.Errorf("printed %q", out)
			}
		})
	}
}

// backlog listens without accepting until no further connection fits.
func backlog(t *testing.T, sock string) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: sock})
	}
	if err == nil {
		err = syscall.Listen(fd, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	for range 4 {
		c, _ := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		syscall.SetNonblock(c, true)
		_ = syscall.Connect(c, &syscall.SockaddrUnix{Name: sock})
		t.Cleanup(func() { syscall.Close(c) })
	}
}

// TestDeadDaemonIsStarted: ten sessions begin at once, one daemon wins and answers them all.
func TestDeadDaemonIsStarted(t *testing.T) {
	dir, _ := repo(t)
	outs := make([]string, 10)
	var all sync.WaitGroup
	for i := range outs {
		all.Go(func() {
			outs[i] = hook(t, dir, strings.NewReader(payload("SessionStart", dir)), []string{"GIT_DIR=.git"}, "claude")
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
		t.Error("nobody was answered by the daemon that started")
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
	wait(t, func() bool { return len(started(t, dir)) == 1 })
	p, _ := os.FindProcess(started(t, dir)[0])
	p.Kill()
	wait(t, func() bool {
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
	if err := os.Chtimes(stamp, old, old); err != nil {
		t.Fatal(err)
	}
	hook(t, dir, strings.NewReader(payload("PostToolUse", dir)), nil, "claude")
	wait(t, func() bool { return len(started(t, dir)) == 2 })
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
		if f[1] != "0" {
			t.Error("the daemon has inherited GIT_DIR")
		}
	}
	return pids
}

// wait polls what another process does; the test's own timeout is the limit.
func wait(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		if done() {
			return
		}
		<-tick.C
	}
	t.Fatal("waited for 10 seconds")
}

func TestLocate(t *testing.T) {
	dir, sock := repo(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("CLAUDE_PROJECT_DIR", "")
	t.Chdir(dir) // Locate moves about; this brings the test back
	tree := filepath.Join(filepath.Dir(dir), "linked")
	git(t, "-C", dir, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, "-C", dir, "worktree", "add", "-q", tree)
	sym := filepath.Join(filepath.Dir(dir), "symlink")
	if err := os.Symlink(dir, sym); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{dir, dir + "/", filepath.Join(dir, ".git"), tree, sym} {
		if store, s, ok := Locate(from); !ok || s != sock || store != filepath.Dir(sock) {
			t.Errorf("Locate(%s) = %s, %s, %v", from, store, s, ok)
		}
	}
	for _, from := range []string{"", "relative", "/", filepath.Dir(dir)} {
		if _, s, ok := Locate(from); ok {
			t.Errorf("Locate(%q) found %s", from, s)
		}
	}
	t.Setenv("CLAUDE_PROJECT_DIR", dir)
	if _, s, ok := Locate("/"); !ok || s != sock {
		t.Errorf("outside of any repository: %s, %v; want the project's", s, ok)
	}
	other, _ := repo(t)
	os.RemoveAll(filepath.Join(other, ".git", "aoa"))
	if _, s, ok := Locate(other); ok {
		t.Errorf("another repository without a store got %s", s)
	}
}

func TestLocateElsewhere(t *testing.T) {
	dir, _ := repo(t)
	t.Chdir(dir)
	common := filepath.Join(dir, ".git")
	sum := sha256.Sum256([]byte(common))
	hash := hex.EncodeToString(sum[:8])
	if err := os.Remove(filepath.Join(common, "aoa")); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(filepath.Dir(dir), "state")
	store := filepath.Join(state, "aoa", hash)
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", state)
	if s, sock, ok := Locate(dir); !ok || s != store || sock != filepath.Join(store, "sock") {
		t.Errorf("state folder: %s, %s, %v", s, sock, ok)
	}
	long := filepath.Join(filepath.Dir(dir), strings.Repeat("l", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AOA_STORE", long)
	if s, sock, ok := Locate(dir); !ok || s != long || sock != fmt.Sprintf("/tmp/aoa-%d/%s", os.Getuid(), hash) {
		t.Errorf("long path: %s, %s, %v", s, sock, ok)
	}
	link := filepath.Join(filepath.Dir(dir), "s")
	if err := os.Symlink(long, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AOA_STORE", link)
	if _, _, ok := Locate(dir); ok {
		t.Error("a store behind a symlink was trusted")
	}
	if os.Getuid() == 0 {
		if err := os.Chown(long, 12345, 12345); err != nil {
			t.Skip("cannot give a folder away here:", err)
		}
		t.Setenv("AOA_STORE", long)
		if _, _, ok := Locate(dir); ok {
			t.Error("a stranger's store was trusted")
		}
	}
}

func TestFingerprint(t *testing.T) {
	for n := range 200 {
		s := strings.Repeat("é/x", n)[:n]
		sum := sha256.Sum256([]byte(s))
		if got, want := fingerprint(s), hex.EncodeToString(sum[:8]); got != want {
			t.Fatalf("fingerprint of %d bytes = %s, want %s", n, got, want)
		}
	}
}
