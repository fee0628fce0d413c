package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Serve serves a client on two streams, one message on each line, until the input ends. A byte order
// mark or a control character does not spoil a message. A line that is not a message is answered
// with an error, where the library would end the session. The streams are not closed.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	to := &lineWriter{to: out}
	return New(o).Run(ctx, &mcp.IOTransport{Reader: &lineReader{in: bufio.NewReaderSize(in, 64<<10), refused: to}, Writer: to})
}

// maxLine is the largest number of bytes in a line.
const maxLine = mcp.DefaultMaxLineLength - 2

// lineReader reads lines and passes on those that are messages.
type lineReader struct {
	in      *bufio.Reader
	refused io.Writer // gets the error answers to the other lines
	rest    []byte    // the unread part of the current line
}

func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := regularfile.Line(r.in, maxLine) // the beginning of a longer line is not a valid message
		if line = bytes.Trim(line, "\ufeff \t\r\n"); !json.Valid(line) {
			line = bytes.Map(printed, line)
		}
		if reply := refuse(line); reply != nil {
			if _, err := r.refused.Write(reply); err != nil {
				return 0, err
			}
		} else if len(line) > 0 {
			r.rest = append(line, '\n') // the library accepts no space after a message
		}
		if err != nil && len(r.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// printed is a space for a control character, which JSON does not allow in strings.
func printed(r rune) rune {
	if r < ' ' {
		return ' '
	}
	return r
}

func (r *lineReader) Close() error { return nil }

// refuse returns the error answer to a line that is not a message, or nil if it is one. Batches are
// no longer part of the protocol.
func refuse(line []byte) []byte {
	if len(line) == 0 {
		return nil // an empty line needs no answer
	}
	problem := &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "this line is not JSON"}
	if json.Valid(line) {
		_, err := jsonrpc.DecodeMessage(line)
		if err == nil {
			return nil
		}
		problem = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this line is not a JSON-RPC 2.0 request"}
	}
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(line, &asked) // if there is no readable ID, it is null
	reply, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", asked.ID, problem})
	if err != nil {
		return nil
	}
	return append(reply, '\n')
}

// lineWriter writes whole lines, both the library's messages and the error answers.
type lineWriter struct {
	mu sync.Mutex
	to io.Writer // guarded by mu
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func (w *lineWriter) Close() error { return nil }
