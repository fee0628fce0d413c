package report

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// browser is a headless Chromium with one page, driven over its debugging pipe: JSON messages that
// end in a NUL.
type browser struct {
	t       *testing.T
	out     io.Writer
	in      *bufio.Reader
	calls   int
	session string
	seen    []message // events of the page so far
}

type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// startBrowser starts a Chromium without a profile. Root needs --no-sandbox; the page is our own.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	name := ""
	for _, n := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(n); err == nil && name == "" {
			name = found
		}
	}
	if name == "" {
		fault.Lacking(t, "chromium", "no Chromium is installed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	theirIn, out, err := os.Pipe()
	fault.Check(t, err)
	in, theirOut, err := os.Pipe()
	fault.Check(t, err)
	profile, err := os.MkdirTemp("", "aoa-browser-*") // not t.TempDir: helpers of the browser may write after its end
	fault.Check(t, err)
	cmd := exec.CommandContext(ctx, name, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-background-networking",
		"--no-first-run", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	fault.Check(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, out: out, in: bufio.NewReader(in)}
	t.Cleanup(func() {
		_, _ = fmt.Fprintf(out, `{"id":-1,"method":"Browser.close"}`+"\x00")
		_ = cmd.Wait()
		cancel()
		out.Close()
		in.Close()
		os.RemoveAll(profile)
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	b.size(1440)
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// size sets the width of the window, in CSS pixels.
func (b *browser) size(width int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1,
		"mobile": false}, nil)
}

// call sends a command and waits for its answer.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.calls++
	m := map[string]any{"id": b.calls, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	raw, err := json.Marshal(m)
	fault.Check(b.t, err)
	_, err = b.out.Write(append(raw, 0))
	fault.Check(b.t, err)
	answer := b.until(func(m message) bool { return m.ID == b.calls })
	if answer.Error != nil {
		b.t.Fatalf("%s: %s", method, answer.Error)
	}
	if result != nil {
		fault.Check(b.t, json.Unmarshal(answer.Result, result))
	}
}

// until reads messages up to the one that is wanted, and keeps the others.
func (b *browser) until(wanted func(message) bool) message {
	b.t.Helper()
	for {
		raw, err := b.in.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("the browser ended: %v", err)
		}
		var m message
		fault.Check(b.t, json.Unmarshal(raw[:len(raw)-1], &m))
		if wanted(m) {
			return m
		}
		b.seen = append(b.seen, m)
	}
}

// open shows a page and waits until it is loaded.
func (b *browser) open(page *Page) (url string) {
	b.t.Helper()
	name := filepath.Join(b.t.TempDir(), "report.html")
	f := fault.Must(os.Create(name))
	fault.Check(b.t, page.Write(f))
	fault.Check(b.t, f.Close())
	b.call("Page.navigate", map[string]any{"url": "file://" + name}, nil)
	b.until(func(m message) bool { return m.Method == "Page.loadEventFired" })
	return "file://" + name
}

// eval runs an expression in the page and returns its value as JSON. Promises are awaited.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	return string(got.Result.Value)
}

// press types a key into what has the focus.
func (b *browser) press(key string, code int) {
	b.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code},
			nil)
	}
}
