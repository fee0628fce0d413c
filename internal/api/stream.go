package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Stream is a request and an answer that each consist of a line of JSON and raw bytes after it. The
// answer may stay open after its line; the daemon then reserves something for the caller until the
// caller ends.
type Stream[Req, Res any] struct {
	Path string
	Max  int64 // largest size of a request in bytes
}

// Streamed is an answer as the daemon makes it.
type Streamed[Res any] struct {
	Head Res
	Body []byte
	// Called after Head was sent without a Body. ctx ends when the caller disconnects.
	Hold func(ctx context.Context)
}

// ErrEnding means that the daemon ends before it can answer. The connection is broken, and the
// caller asks the next daemon.
var ErrEnding = errors.New("the daemon ends")

// HandleStream serves a stream with fn.
func HandleStream[Req, Res any](mux *http.ServeMux, r Stream[Req, Res],
	fn func(ctx context.Context, req Req, rest io.Reader) (Streamed[Res], error)) {
	mux.HandleFunc("POST /v1"+r.Path, func(w http.ResponseWriter, q *http.Request) {
		body := http.MaxBytesReader(w, q.Body, r.Max)
		dec := json.NewDecoder(body)
		var req Req
		if err := dec.Decode(&req); err != nil {
			Fail(w, Bad("docs/api.md describes "+r.Path, "decode request: %v", err))
			return
		}
		rest := bufio.NewReader(io.MultiReader(dec.Buffered(), body))
		if c, err := rest.ReadByte(); err == nil && c != '\n' {
			_ = rest.UnreadByte() // a byte was just read
		}
		res, err := answer(q, r.Path, func(ctx context.Context) (Streamed[Res], error) { return fn(ctx, req, rest) })
		switch {
		case errors.Is(err, ErrEnding):
			panic(http.ErrAbortHandler)
		case err != nil:
			Fail(w, err)
			return
		}
		_, _ = io.Copy(io.Discard, rest) // a caller that leaves is noticed only while reading
		w.Header().Set("Content-Type", "application/octet-stream")
		line, err := json.Marshal(res.Head)
		if err != nil {
			Fail(w, err)
			return
		}
		if res.Hold == nil {
			w.Header().Set("Content-Length", fmt.Sprint(len(line)+1+len(res.Body)))
		}
		_, _ = w.Write(append(line, '\n'))
		_, _ = w.Write(res.Body)
		if res.Hold != nil {
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
			res.Hold(q.Context())
		}
	})
}

// Reply is an answer as the caller gets it. Close releases what the daemon reserved.
type Reply[Res any] struct {
	Head Res
	io.Reader
	io.Closer
}

// Ask sends a line and bytes, and reads the line of the answer.
func Ask[Req, Res any](ctx context.Context, c *Client, r Stream[Req, Res], req Req, rest []byte) (*Reply[Res], error) {
	line, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	resp, err := c.do(ctx, http.MethodPost, "/v1"+r.Path, bytes.Join([][]byte{line, rest}, []byte{'\n'}))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	in := bufio.NewReader(resp.Body)
	out := &Reply[Res]{Reader: in, Closer: resp.Body}
	head, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(head, &out.Head)
	}
	if err != nil {
		resp.Body.Close()
		return nil, fmt.Errorf("decode answer of %s: %w", r.Path, err)
	}
	return out, nil
}
