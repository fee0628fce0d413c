package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrNoDaemon is returned when nobody listens and none could be started.
var ErrNoDaemon = errors.New("no daemon is running")

// Client speaks to one repository's daemon.
type Client struct {
	Place Place
	Dir   string                      // where the caller stands: says which worktree is meant
	Build string                      // this program's build; "" accepts any daemon
	Start func(context.Context) error // starts a daemon, returns why it cannot serve; nil: never start one
	Wait  time.Duration               // how long a daemon may take to start or to be replaced; 0 is 30 s

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

// do sends a request and, if it may, brings about a daemon of this build that answers it.
func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	wait := c.Wait
	if wait == 0 {
		wait = 30 * time.Second
	}
	limit, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	again := time.After(0)
	var dying <-chan time.Time // set when a daemon ended while it was asked
	id := newCallID()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		resp, err := c.try(ctx, method, path, body, id)
		if c.Start == nil || ctx.Err() != nil {
			return resp, err
		}
		old := err == nil && resp.StatusCode == statuses[CodeBuild]
		switch {
		case old:
			// It drains, snapshots and exits, then ours takes over.
			resp.Body.Close()
			c.stopOther(ctx)
		case cut(err) && !passed(dying):
			// It ended in the middle: killed, or about to begin anew. Asking twice is harmless: events carry IDs, other
			// things that count are kept under the id of the call, and all else says how things shall be.
			if dying == nil {
				dying = time.After(diesWithin)
			}
		case err == nil || !errors.Is(err, ErrNoDaemon):
			return resp, err
		default:
			select {
			case <-again:
				if err := c.Start(limit); err != nil && limit.Err() == nil {
					return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
				}
				again = time.After(startAgain)
			default: // another client's, or ours, is about to listen
			}
		}
		select {
		case <-limit.Done():
			return nil, late(ctx, old, wait)
		case <-time.After(pause):
		}
	}
}

// cut reports whether the daemon ended while it was being asked.
func cut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// diesWithin is how long a daemon that was killed may still take connections, only to break them. One that ends later is
// another one: what is asked may be what ends it, so it is not asked for ever.
const diesWithin = time.Second

// passed reports whether a time has come.
func passed(t <-chan time.Time) bool {
	select {
	case <-t:
		return true
	default:
		return false
	}
}

// startAgain is how long a started daemon may be silent before another is started: the first may have met one
// that was about to leave, and left to it.
const startAgain = 2 * time.Second

func late(ctx context.Context, old bool, wait time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case old:
		return fmt.Errorf("daemon of another build does not stop within %s; stop it with: aoa stop", wait)
	}
	return fmt.Errorf("%w: started one, but it does not answer within %s", ErrNoDaemon, wait)
}

// stopOther asks a daemon of another build to stop. Many clients may do so at once: one that comes late must not
// hit the successor.
func (c *Client) stopOther(ctx context.Context) {
	body, _ := json.Marshal(StopRequest{Unless: c.Build}) // a string always has a JSON form
	resp, err := c.try(ctx, Stop.Method, "/v1"+Stop.Path, body, newCallID())
	if err != nil {
		return // gone already, or the next attempt tells
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

func (c *Client) try(ctx context.Context, method, path string, body []byte, id string) (*http.Response, error) {
	if c.web == nil {
		c.web = &http.Client{Transport: &http.Transport{IdleConnTimeout: 10 * time.Second,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return Dial(ctx, c.Place) }}}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://aoa"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(BuildHeader, c.Build)
	req.Header.Set(CallHeader, id)
	req.Header.Set(dirHeader, url.PathEscape(c.Dir))
	resp, err := c.web.Do(req)
	var around *url.Error
	if errors.As(err, &around) {
		err = around.Err // method and address tell nobody anything
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the daemon was killed before it answered, try again: %w", err)
	}
	return resp, err
}
