// Package hooktest sends hooks to a daemon, for tests of other packages and for programs of the
// developers.
package hooktest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
)

// Send sends a hook to the daemon. If it waits, Send returns the answer; else it leaves at once, as
// the hook client does.
func Send(ctx context.Context, p locate.Place, h api.Hook) ([]byte, error) {
	conn, err := api.Dial(ctx, p)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	q := Request(h)
	if err := q.Write(conn); err != nil || !h.Wait {
		return nil, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), q)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("a hook was answered %s", answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// Request returns the hook as a request. The hook client writes the same bytes without package
// net/http.
func Request(h api.Hook) *http.Request {
	q, err := http.NewRequest(http.MethodPost, "http://aoa/v1/hook", bytes.NewReader(h.Payload))
	if err != nil {
		panic(err) // method and address are constants
	}
	q.Close = true
	q.Header.Set("Aoa-Agent", url.PathEscape(h.Agent))
	q.Header.Set("Aoa-Dir", url.PathEscape(h.Dir))
	if len(h.Env) > 0 {
		env := url.Values{}
		for name, value := range h.Env {
			env.Set(name, value)
		}
		q.Header.Set("Aoa-Env", env.Encode())
	}
	if h.Wait {
		q.Header.Set("Aoa-Wait", "1")
	}
	return q
}
