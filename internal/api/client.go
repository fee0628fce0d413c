package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/peer"
)

// ErrNoDaemon is returned if no daemon listens and none could be started.
var ErrNoDaemon = errors.New("no daemon is running")

// Client calls the daemon of one repository.
type Client struct {
	Place locate.Place
	Dir   string                      // working directory of the caller, which selects the worktree
	Build string                      // build of this program; "" to accept any daemon
	Start func(context.Context) error // starts a daemon, returns why it cannot serve; nil: never start one

	Patience int64 // factor of the time in which it must answer a ping (AOA_PATIENCE); 0 means 1

	web *http.Client
}

// Dial connects to the socket. It refuses one that another user owns or listens on. Who listens is
// known only after it has connected: until then folders can be renamed.
func Dial(ctx context.Context, p locate.Place) (net.Conn, error) {
	for _, name := range []string{filepath.Dir(p.Socket), p.Socket} {
		st, err := os.Lstat(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
		}
		if err := locate.CheckOwner(name, st); err != nil {
			return nil, &locate.ForeignError{Socket: p.Socket, Err: err}
		}
	}
	conn, err := connect(ctx, p.Socket)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	if err := peer.Listener(conn, p.Socket); err != nil {
		conn.Close()
		return nil, &locate.ForeignError{Socket: p.Socket,
			Err: fmt.Errorf("the process that listens there is not trusted: %w", err)}
	}
	return conn, nil
}

// connect waits while the queue of those who have connected is full: then a process listens and
// does not accept.
func connect(ctx context.Context, socket string) (net.Conn, error) {
	var d net.Dialer
	for {
		conn, err := d.DialContext(ctx, "unix", socket)
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(queueFull):
		}
	}
}

// queueFull is the time between two attempts to connect.
const queueFull = 10 * time.Millisecond

// do sends a request and, if it may, brings about a daemon of this build that answers it.
func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	limit, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	again := time.After(0)
	var dying <-chan time.Time // set when a daemon ended while it was asked
	id := rand.Text()
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
			if err := c.stopOther(ctx); err != nil {
				return nil, err
			}
		case cut(err) && !passed(dying):
			// The daemon ended during the call: it was killed, or is replaced. To repeat the call
			// is harmless: events have IDs, other calls that count are stored under the id of the
			// call, and all others are idempotent.
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
			return nil, late(ctx, old)
		case <-time.After(pause):
		}
	}
}

// cut reports whether the daemon ended while it was being asked.
func cut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// diesWithin is how long a daemon that was killed may still take connections, only to break them.
// One that ends later is another one: the request may be what ends it, so it is not repeated for
// ever.
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

// startTime is how long a daemon may take to start or to be replaced.
const startTime = 30 * time.Second

// startAgain is how long a started daemon may be silent before another is started: the first may
// have met one that was about to end, and given way to it.
const startAgain = 2 * time.Second

func late(ctx context.Context, old bool) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case old:
		return fmt.Errorf("daemon of another build does not stop within %s; stop it with: aoa daemon stop", startTime)
	}
	return fmt.Errorf("%w: started one, but it does not answer within %s", ErrNoDaemon, startTime)
}

// stopOther asks a daemon of another build to stop. Many clients may do so at once: one that comes
// late must not hit the successor. The error is its reason to go on.
func (c *Client) stopOther(ctx context.Context) error {
	body, _ := json.Marshal(StopRequest{Unless: c.Build}) // a string always has a JSON form
	resp, err := c.try(ctx, Stop.Method, "/v1"+Stop.Path, body, rand.Text())
	if err != nil {
		return nil // it has ended, or the next attempt shows it
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return nil
}

func (c *Client) try(ctx context.Context, method, path string, body []byte, id string) (*http.Response, error) {
	if c.web == nil {
		c.web = &http.Client{Transport: &http.Transport{IdleConnTimeout: 10 * time.Second,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return Dial(ctx, c.Place) }}}
	}
	outer := ctx
	ctx, giveUp := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, method, "http://aoa"+path, bytes.NewReader(body))
	if err != nil {
		giveUp(nil)
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(BuildHeader, c.Build)
	req.Header.Set(CallHeader, id)
	// A daemon that has not begun by then has missed the first ping too: attend gives up.
	until := time.Now().Add(c.patience(pingAfter) + c.patience(pingTime))
	req.Header.Set(untilHeader, strconv.FormatInt(until.UnixMilli(), 10))
	req.Header.Set(dirHeader, url.PathEscape(c.Dir))
	stop := c.attend(ctx, giveUp)
	resp, err := c.web.Do(req)
	stop()
	if err == nil {
		resp.Body = &attended{resp.Body, c, ctx, giveUp}
		return resp, nil
	}
	if outer.Err() == nil {
		err = instead(ctx, err)
	}
	giveUp(nil)
	var around *url.Error
	if errors.As(err, &around) {
		err = around.Err // method and address do not help
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the daemon was killed before it answered, try again: %w", err)
	}
	return nil, err
}
