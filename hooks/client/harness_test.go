//go:build unix

package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// program is the client with a scripted daemon.
var program string

// TestMain builds the client with a scripted daemon.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "aoa-client-")
	if err != nil {
		panic(err)
	}
	program, userState = filepath.Join(dir, "hook"), filepath.Join(dir, "state")
	if msg, err := compile(program, "./testdata/hook"); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, msg)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// compile builds a program as make does, so that what is compiled is there already, under the race
// detector, too.
func compile(out, program string) ([]byte, error) {
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	return build.CombinedOutput()
}

// repo makes a repository with a store; its path is free of symlinks and short enough for a socket.
func repo(t testing.TB) (dir, sock string) {
	t.Helper()
	top := fault.Must(os.MkdirTemp("/tmp", "aoa-"))
	t.Cleanup(func() { os.RemoveAll(top) })
	dir = repotest.Below(t, top).Dir
	return dir, filepath.Join(store(t, filepath.Join(dir, ".git")), "sock")
}

// userState is the folder in which the user of the tests has the records of the stores.
var userState string

// store makes a store that the user knows.
func store(t testing.TB, commonDir string) string {
	t.Helper()
	env := config.Lookup([]string{"XDG_STATE_HOME=" + userState})
	return fault.Must(locate.Create(commonDir, env)).Store
}

func git(t testing.TB, args ...string) {
	t.Helper()
	(&repotest.Repo{TB: t, Dir: "/", Env: environ(t.TempDir())}).Git(args...)
}

func environ(home string) []string {
	return append(repotest.Env(home), "XDG_STATE_HOME="+userState)
}

// serve answers connections on the socket with handle until the test ends.
func serve(t testing.TB, sock string, handle func(net.Conn)) {
	t.Helper()
	ln := fault.Must(net.Listen("unix", sock))
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

// receive reads a hook as the daemon does.
func receive(c net.Conn) (h api.Hook, err error) {
	q, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return h, err
	}
	mux := http.NewServeMux()
	api.HandleHook(mux, func(_ context.Context, got api.Hook) []byte { h = got; return nil })
	answer := httptest.NewRecorder()
	if mux.ServeHTTP(answer, q); answer.Code != http.StatusOK {
		return h, errors.New(answer.Body.String())
	}
	return h, nil
}

// heard listens on the socket: what hooks send comes in the channel, and each gets the text as its
// answer, if there is one.
func heard(t testing.TB, sock, text string) <-chan api.Hook {
	t.Helper()
	got := make(chan api.Hook, 8)
	serve(t, sock, func(c net.Conn) {
		h, err := receive(c)
		if err != nil {
			t.Error(err)
		}
		if text != "" {
			c.Write(answer(text))
		}
		got <- h
	})
	return got
}

func answer(text string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
}

func payload(event, cwd string) string {
	b, _ := json.Marshal(map[string]any{"session_id": "s", "cwd": cwd, "hook_event_name": event, "tool_name": "Read",
		"tool_input": map[string]string{"file_path": cwd + "/a.go"}})
	return string(b)
}

// hook runs the client. Anything but exit 0 or anything on stderr fails the test.
func hook(t testing.TB, dir string, stdin io.Reader, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin, cmd.Env = dir, stdin, append(environ(dir), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("hook %v: %v, stderr %q", args, err, errs.String())
	}
	return out.String()
}

// patient gives a hook twenty times its time: for tests of what it does, on a machine that does
// much else.
const patient = "AOA_PATIENCE=20"

// sent is what a daemon got.
func sent(t testing.TB, got <-chan api.Hook) api.Hook {
	t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	select {
	case h := <-got:
		return h
	case <-late.C:
		t.Fatal("a hook has sent nothing")
		return api.Hook{}
	}
}
