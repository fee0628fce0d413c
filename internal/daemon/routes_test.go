package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var declared = regexp.MustCompile(`Route\[.*\]\{"(GET|POST)", "(/[^"]+)"`)

// TestRoutes: the daemon serves the routes that package api declares.
func TestRoutes(t *testing.T) {
	t.Parallel()
	sources := fault.Must(filepath.Glob("../api/*.go"))
	var routes []string
	for _, name := range sources {
		raw := fault.Must(os.ReadFile(name))
		for _, m := range declared.FindAllStringSubmatch(string(raw), -1) {
			routes = append(routes, m[1]+" "+m[2])
		}
	}
	if n := len(routes); n < 20 || n > 38 {
		t.Errorf("there are %d routes, at most 38 are wanted", n)
	}
	d := newFixture(t)
	d.Start()
	web := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return api.Dial(ctx, d.Options.Place)
	}}}
	defer web.CloseIdleConnections()
	for _, r := range routes {
		method, path, _ := strings.Cut(r, " ")
		req := fault.Must(http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://aoa/v1"+path, nil))
		resp := fault.Must(web.Do(req))
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(resp.Header.Get("Allow"), method) {
			t.Errorf("the daemon does not serve %s: %s, it allows %s", r, resp.Status, resp.Header.Get("Allow"))
		}
	}
}

// TestThresholdIsSet: POST /threshold is S3's way of aoa config threshold. It lasts.
func TestThresholdIsSet(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Start()
	if got := call(d, api.SetThreshold, api.ThresholdRequest{Value: 0.75}); got.Configured != 0.75 || got.Value != 0.75 {
		t.Errorf("it became %+v", got)
	}
	d.Stop()
	d.Start()
	fault.Same(t, "after a restart", call(d, api.Threshold, api.None{}).Configured, 0.75)
}

// TestRefusals: a request that means nothing is the caller's fault, and is never taken for a
// decision. The daemon tells what is wrong with it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Start()
	call(d, api.Pause, api.PauseRequest{Seconds: 60})
	for _, c := range [][3]string{
		{"/feedback", ``, "was_helpful is missing"}, {"/feedback", `{"session_id":"s"}`, "was_helpful is missing"},
		{"/feedback", `{"was_helpful":null}`, "was_helpful is missing"},
		{"/pause", ``, "seconds is missing"}, {"/pause", `{"seconds":-1}`, "out of range"},
		{"/pause", `{"seconds":1e18}`, "out of range"}, {"/pause", `{"seconds":0}x`, "invalid character"},
		{"/threshold", `{}`, "value is missing"}, {"/threshold", `{"value":0.39}`, "0.4"}, {"/threshold", `{"value":7}`, "0.4"},
		{"/sessions/set", `{"session_id":"s"}`, "state is missing"},
		{"/cache/put", `{"session_id":"c"}`, "data is missing"},
		{"/cache/delete", ``, "name a key"}, {"/stage/drop", ``, "name a stage"}, {"/reload/forget", ``, "name one sequence"},
		{"/forget", ``, "exactly one thing"},
		{"/rank", `{"task":"nosuch"}`, "no such task"}, {"/why", `{"file":"a.go","query":{"task":"nosuch"}}`, "no such task"},
		{"/check", `{"committer":"a\u0000b"}`, "cannot be checked"}, {"/check", `{"staged":true,"index":"."}`, "cannot be checked"},
		{"/check", `{"committer":"` + strings.Repeat("x", 70_000) + `"}`, "cannot be checked"},
		{"/check", `{"range":"\u0000..HEAD"}`, "cannot be checked"},
	} {
		if status, answer := d.post(c[0], c[1], "refused"); status != http.StatusBadRequest || !strings.Contains(answer, c[2]) {
			t.Errorf("%s %.60s: %d %s", c[0], c[1], status, answer)
		}
	}
	if call(d, api.Status, api.None{}).Paused.IsZero() {
		t.Error("a request without a time has ended the pause")
	}
	large := strings.Repeat(" ", 9<<20)
	for path, want := range map[string]int{"/names": http.StatusRequestEntityTooLarge, "/cache/put": http.StatusBadRequest} {
		if status, answer := d.post(path, large, "large"); status != want {
			t.Errorf("9 MB to %s: %d %s", path, status, answer)
		}
	}
}

// post sends a request as the call with the given id, and returns the status and the body of the answer.
func (d *fixture) post(path, body, id string) (status int, answer string) {
	d.Helper()
	conn := fault.Must(api.Dial(d.Context(), d.Options.Place))
	defer conn.Close()
	req := fault.Must(http.NewRequestWithContext(d.Context(), http.MethodPost, "http://aoa/v1"+path, strings.NewReader(body)))
	req.Header.Set("Aoa-Call", id)
	sent := make(chan error, 1)
	go func() { sent <- req.Write(conn) }() // a daemon that refuses a body does not read all of it
	resp := fault.Must(http.ReadResponse(bufio.NewReader(conn), req))
	defer resp.Body.Close()
	raw := fault.Must(io.ReadAll(resp.Body))
	conn.Close()
	<-sent
	return resp.StatusCode, string(raw)
}

// twice sends one request two times, as a client does whose daemon ended before it answered, and
// returns both answers.
func (d *fixture) twice(path, body string) (answers [2]string) {
	d.Helper()
	for i := range answers {
		var status int
		status, answers[i] = d.post(path, body, fmt.Sprintf("%x", sha256.Sum256([]byte(path+body))))
		if status != http.StatusOK {
			d.Errorf("%s, time %d: %d: %s", path, i+1, status, answers[i])
		}
	}
	return answers
}

// TestTwice: a request that arrives twice counts once, and is answered alike.
func TestTwice(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Start()
	d.twice("/feedback", `{"session_id":"s","was_helpful":true}`)
	if n := len(call(d, api.Log, cold.LogFilter{Kinds: []event.Kind{event.KindFeedback}}).Events); n != 1 {
		t.Errorf("%d events of one feedback", n)
	}
	d.twice("/pipeline/progress", `{"session_id":"p","id":"x.yaml","tokens":7}`)
	if s := call(d, api.Sessions, api.SessionsRequest{ID: "p"}).Sessions[0]; s.Tokens != 7 {
		t.Errorf("the session has %d tokens, want 7", s.Tokens)
	}
	d.edits("s", 1)
	d.twice("/sessions/set", `{"session_id":"s","state":"active"}`)
	if s := call(d, api.Sessions, api.SessionsRequest{ID: "s"}).Sessions[0]; s.Resumed != 1 {
		t.Errorf("the session was resumed %d times, want once", s.Resumed)
	}
	d.twice("/sessions/set", `{"session_id":"s","state":"paused"}`)
	for _, item := range []string{`"data":"ZGF0YQ=="`, `"task_id":"a","turn_id":"1","data":"ZGF0YQ=="`} {
		if labels := d.twice("/cache/put", `{"session_id":"c",`+item+`}`); labels[0] != labels[1] {
			t.Errorf("set aside as %s, then as %s", labels[0], labels[1])
		}
	}
	if n := call(d, api.CacheList, api.CacheListRequest{All: true}).Total; n != 2 {
		t.Errorf("%d items, want 2", n)
	}
	batch := fault.Must(json.Marshal([]event.Event{read("e", "s", d.Options.Now(), "a.go")}))
	d.twice("/events", string(batch))
	if n := d.ids("e"); n != 1 {
		t.Errorf("%d events of one", n)
	}
}

// TestRemovedWorktreeLeavesNothing: of a worktree that was removed neither a goroutine nor the
// contents of its files are left.
func TestRemovedWorktreeLeavesNothing(t *testing.T) {
	d := newFixture(t)
	readers := func() int {
		stacks := make([]byte, 1<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "index.(*Reader).Run(")
	}
	before := readers()
	d.Repo.Run("git worktree add -q ../linked")
	d.Begin()
	linked := filepath.Join(filepath.Dir(d.Repo.Dir), "linked")
	_, err := api.Call(t.Context(), d.Client(linked), api.Status, api.None{})
	fault.Check(t, err)
	d.Until("both are read", func() bool { return readers() == before+2 && len(d.contents()) == 2 })
	d.Repo.Run("git worktree remove --force ../linked")
	d.Until("one is left", func() bool { return readers() == before+1 && len(d.contents()) == 1 })
}

// TestFirstCallsListOnce: calls that arrive together from a new worktree list its files once.
func TestFirstCallsListOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the git of this test is a shell script")
	}
	real := fault.Must(exec.LookPath("git"))
	dir := t.TempDir()
	listed, release := filepath.Join(dir, "listed"), filepath.Join(dir, "release")
	script := fmt.Sprintf(`#!/bin/sh
case "$(pwd -P) $*" in */linked*ls-files*) echo x >>'%s'; read line <'%s';; esac
exec '%s' "$@"
`, listed, release, real)
	fault.Check(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	d := newFixture(t, "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	d.Repo.Run("git worktree add -q ../linked; mkfifo " + release)
	open := fault.Must(os.OpenFile(release, os.O_RDWR, 0))
	defer open.Close()
	d.Begin()
	linked := filepath.Join(filepath.Dir(d.Repo.Dir), "linked")
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if _, err := api.Call(d.Context(), d.Client(linked), api.Status, api.None{}); err != nil {
				d.Error(err)
			}
		})
	}
	count := func() int {
		out, _ := os.ReadFile(listed)
		return bytes.Count(out, []byte("x"))
	}
	d.Until("the files are listed", func() bool { return count() > 0 })
	for range 50 { // time for the other calls to arrive
		call(d, api.Status, api.None{})
	}
	fault.Must(open.WriteString(strings.Repeat("\n", 8)))
	calls.Wait()
	fault.Same(t, "the files were listed", count(), 1)
}
