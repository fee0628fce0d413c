package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLines: whatever a line is, it is answered, and so is the next one.
func TestLines(t *testing.T) {
	from, in := io.Pipe()
	out, to := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), Options{}, from, to) }()
	answers := bufio.NewReader(out)
	ask := func(line string) (reply struct {
		ID    any
		Error struct{ Code int }
	}) {
		t.Helper()
		// The server may answer before it has read all of a long line.
		go func() { _, _ = io.WriteString(in, line+"\n") }()
		text, err := answers.ReadString('\n')
		if err != nil {
			t.Fatalf("%.80s: %v", line, err)
		}
		if err := json.Unmarshal([]byte(text), &reply); err != nil {
			t.Fatalf("%.80s: %v in %s", line, err, text)
		}
		return reply
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}`)
	for line, want := range map[string]int{
		`garbage`: jsonrpc.CodeParseError, `{"jsonrpc":`: jsonrpc.CodeParseError,
		`{} {}`: jsonrpc.CodeParseError, "\xff\x00": jsonrpc.CodeParseError,
		strings.Repeat("x", 1<<20): jsonrpc.CodeParseError,
		`{"jsonrpc":"2.0","id":5,"x":"` + strings.Repeat("x", maxLine) + `"}`: jsonrpc.CodeParseError,
		`{}`: jsonrpc.CodeInvalidRequest, `[]`: jsonrpc.CodeInvalidRequest, `[{}]`: jsonrpc.CodeInvalidRequest, `null`: jsonrpc.CodeInvalidRequest,
		`7`: jsonrpc.CodeInvalidRequest, `"x"`: jsonrpc.CodeInvalidRequest, `{"jsonrpc":"1.0","id":5,"method":"ping"}`: jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:          jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":5,"method":7}`:                jsonrpc.CodeInvalidRequest,
		`[{"jsonrpc":"2.0","id":5,"method":"ping"}]`:         jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":5,"method":"no/such/method"}`: jsonrpc.CodeMethodNotFound,
	} {
		if got := ask(line); got.Error.Code != want {
			t.Errorf("%.80q: %+v, want %d", line, got, want)
		}
		if got := ask(`{"jsonrpc":"2.0","id":9,"method":"ping"}`); got.ID != 9.0 || got.Error.Code != 0 {
			t.Fatalf("after %.80q: %+v", line, got)
		}
	}
	for _, line := range []string{"", " \r", `{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","id":78}`,
		`{"jsonrpc":"2.0","method":"no/such/notification"}`} { // nothing to answer
		if got := ask(line + "\n" + ` {"jsonrpc":"2.0","id":9,"method":"ping"} `); got.ID != 9.0 || got.Error.Code != 0 {
			t.Fatalf("after %q: %+v", line, got)
		}
	}
	for line, id := range map[string]string{
		`{"jsonrpc":"1.0","id":"a","method":"ping"}`:                                           "a",
		"\ufeff\ufeff" + `{"jsonrpc":"2.0","id":"b","method":"ping"}`:                          "b",
		`{"jsonrpc":"2.0","id":"c","method":"ping","params":{"_meta":{"x":"a` + "\x01\tb\"}}}": "c",
	} {
		if got := ask(line); got.ID != id || (got.Error.Code == 0) != (id != "a") {
			t.Errorf("%q: %+v", line, got)
		}
	}
	fault.Check(t, in.Close())
	if err := <-ended; err != nil && err != io.EOF {
		t.Error(err)
	}
}

// FuzzLines: what passes is a message, and what does not gets one line of JSON.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\n[]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var refused bytes.Buffer
		passed := fault.Must(io.ReadAll(&lineReader{in: bufio.NewReader(bytes.NewReader(text)), refused: &refused}))
		for line := range bytes.Lines(passed) {
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
		for line := range bytes.Lines(refused.Bytes()) {
			if !json.Valid(line) {
				t.Fatalf("%q", line)
			}
		}
	})
}
