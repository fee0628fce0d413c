//go:build unix

package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
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
		if msg, err := compile(out, "./testdata/"+name); err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", name, err, msg)
			os.Exit(1)
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// compile builds a program as make does, so that what is compiled is there already, under the race detector, too.
func compile(out, program string) ([]byte, error) {
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	return build.CombinedOutput()
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

// realBinary builds cmd/aoa.
func realBinary(t testing.TB) string {
	t.Helper()
	out := filepath.Join(filepath.Dir(binaries.fat), "aoa")
	if msg, err := compile(out, "../../cmd/aoa"); err != nil {
		t.Fatalf("build aoa: %v\n%s", err, msg)
	}
	return out
}
