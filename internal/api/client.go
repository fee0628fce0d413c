package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// ErrNoDaemon is returned when nobody listens and none could be started.
var ErrNoDaemon = errors.New("no daemon is running")

// Client speaks to one repository's daemon.
type Client struct {
	Place Place
	Dir   string                      // where the caller stands: says which worktree is meant
	Build string                      // this program's build; "" accepts any daemon
	Start func(context.Context) error // starts a daemon and returns; nil: never start one
	Wait  time.Duration               // how long a started daemon may take to listen; 0 is 10 s

	web *http.Client
}

// Dial connects to the socket, refusing one that another user owns.
func Dial(ctx context.Context, p Place) (net.Conn, error) {
	for _, name := range []string{filepath.Dir(p.Socket), p.Socket} {
		st, err := os.Lstat(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
		}
		if err := checkOwner(name, st); err != nil {
			return nil, fmt.Errorf("refuse socket: %w", err)
		}
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", p.Socket)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	return conn, nil
}

func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	resp, err := c.try(ctx, method, path, body)
	switch {
	case c.Start == nil || ctx.Err() != nil:
		return resp, err
	case err == nil && resp.StatusCode == statuses[CodeBuild]:
		// It drains, snapshots and exits, then ours takes over.
		resp.Body.Close()
		if stop, err := c.try(ctx, Stop.Method, "/v1"+Stop.Path, nil); err == nil {
			_, _ = io.Copy(io.Discard, stop.Body)
			stop.Body.Close()
		}
		if err := c.gone(ctx); err != nil {
			return nil, err
		}
	case err == nil:
		return resp, nil
	case !errors.Is(err, ErrNoDaemon):
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	return c.await(ctx, method, path, body)
}

// await repeats the request until the started daemon listens.
func (c *Client) await(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	wait := c.Wait
	if wait == 0 {
		wait = 10 * time.Second
	}
	ctx2, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		resp, err := c.try(ctx, method, path, body)
		if err == nil || !errors.Is(err, ErrNoDaemon) {
			return resp, err
		}
		select {
		case <-ctx2.Done():
			return nil, fmt.Errorf("%w: started one, but it does not answer after %s", ErrNoDaemon, wait)
		case <-time.After(pause):
		}
	}
}

// gone waits for the old daemon to leave its socket.
func (c *Client) gone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		conn, err := Dial(ctx, c.Place)
		if err != nil {
			return nil
		}
		conn.Close()
		select {
		case <-ctx.Done():
			return fmt.Errorf("daemon of another build does not stop; stop it with: aoa stop")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (c *Client) try(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	if c.web == nil {
		c.web = &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return Dial(ctx, c.Place) }}}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://aoa"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(BuildHeader, c.Build)
	req.Header.Set(dirHeader, url.PathEscape(c.Dir))
	return c.web.Do(req)
}
