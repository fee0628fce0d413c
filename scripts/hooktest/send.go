// Package hooktest sends hooks to a daemon, for tests of other packages and for programs of the developers.
package hooktest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
)

// Send sends a hook to the daemon. If it waits, Send returns the answer; else it leaves at once, as the hook client
// does.
func Send(ctx context.Context, p locate.Place, h api.Hook) ([]byte, error) {
	conn, err := api.Dial(ctx, p)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	q := h.HTTP()
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
