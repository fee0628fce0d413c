package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLines: whatever a line of testdata/lines.txt is, it is answered, and so is the next one. -update
// writes the answers.
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
	answered := func(line string) string {
		t.Helper()
		got := ask(line)
		if next := ask(`{"jsonrpc":"2.0","id":9,"method":"ping"}`); next.ID != 9.0 || next.Error.Code != 0 {
			t.Fatalf("after %.80q: %+v", line, next)
		}
		names := map[int]string{0: "answered", jsonrpc.CodeParseError: "no JSON", jsonrpc.CodeInvalidRequest: "no request",
			jsonrpc.CodeMethodNotFound: "no such method"}
		return fmt.Sprintf("%s, id %v", names[got.Error.Code], got.ID)
	}
	fault.Replies(t, "testdata/lines.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		if text, err := strconv.Unquote(line); err == nil {
			line = text
		}
		return []string{answered(line)}
	})
	for _, long := range []string{strings.Repeat("x", 1<<20), `{"jsonrpc":"2.0","id":5,"x":"` + strings.Repeat("x", maxLine) + `"}`} {
		fault.Same(t, fmt.Sprint("a line of ", len(long), " bytes"), answered(long), "no JSON, id <nil>")
	}
	for _, line := range []string{"", " \r", `{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","id":78}`,
		`{"jsonrpc":"2.0","method":"no/such/notification"}`} { // nothing to answer
		if got := ask(line + "\n" + ` {"jsonrpc":"2.0","id":9,"method":"ping"} `); got.ID != 9.0 || got.Error.Code != 0 {
			t.Fatalf("after %q: %+v", line, got)
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
