package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Lines is a transport of one message a line. A line that is no message gets an error as its
// answer, where the library would end the session. Neither stream is closed.
func Lines(in io.Reader, out io.Writer) mcp.Transport {
	to := &lineWriter{to: out}
	return &mcp.IOTransport{Reader: &lineReader{in: bufio.NewReaderSize(in, 64<<10), refused: to}, Writer: to}
}

// maxLine is how many bytes a line has at most.
const maxLine = mcp.DefaultMaxLineLength - 2

// lineReader reads the lines that are messages.
type lineReader struct {
	in      *bufio.Reader
	refused io.Writer // gets the answers to the other lines
	rest    []byte    // of the line that is read
}

func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		line = bytes.TrimSpace(line)
		if reply := refuse(line); reply != nil {
			if _, err := r.refused.Write(reply); err != nil {
				return 0, err
			}
		} else if len(line) > 0 {
			r.rest = append(line, '\n') // the library takes no space behind a message
		}
		if err != nil && len(r.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line is the next line with its end. Of one that is too long only the beginning is kept, which is
// no message.
func (r *lineReader) line() (line []byte, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (r *lineReader) Close() error { return nil }

// refuse is the answer to a line that is no message, nil for a message. Batches are not part of the
// protocol any more.
func refuse(line []byte) []byte {
	if len(line) == 0 {
		return nil // an empty line needs no answer
	}
	problem := &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "this line is no JSON"}
	if json.Valid(line) {
		_, err := jsonrpc.DecodeMessage(line)
		if err == nil {
			return nil
		}
		problem = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this line is no JSON-RPC 2.0 request"}
	}
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(line, &asked) // an id that cannot be read is null
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

// lineWriter writes whole lines: the library's and the refusals.
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
