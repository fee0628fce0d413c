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

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/peer"
)

// ErrNoDaemon is the error if no daemon listens and none could be started.
var ErrNoDaemon = errors.New("no daemon is running")

// Client calls the daemon of one repository.
type Client struct {
	Place locate.Place
	Dir   string                      // working directory of the caller, which selects the worktree
	Build string                      // build of this program; "" accepts any daemon
	Start func(context.Context) error // starts a daemon, and returns why it cannot serve; nil never starts one

	// Factor for the time in which a ping must be answered (AOA_PATIENCE); 0 means 1.
	Patience int64

	web *http.Client
}

// Dial connects to the socket. It refuses a socket that another user owns or listens on. Who
// listens is known only after connecting, because until then someone may rename folders.
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

// connect waits while the queue of connecting clients is full, which means that a process listens
// but does not accept.
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

// do sends a request. If it may, it starts or replaces a daemon, so that one of this build answers.
func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	limit, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var started time.Time
	cuts, id := 0, rand.Text()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		resp, err := c.try(ctx, method, path, body, id)
		if c.Start == nil || ctx.Err() != nil {
			return resp, err
		}
		old := err == nil && resp.StatusCode == statuses[event.CodeBuild]
		switch {
		case old:
			// The other daemon answers its clients, writes a snapshot and exits; then ours takes
			// over.
			resp.Body.Close()
			if err := c.stopOther(ctx); err != nil {
				return nil, err
			}
		case cut(err) && cuts < mostCuts:
			// The daemon ended during the call: it was killed, or is being replaced. Repeating the
			// call is harmless: events have IDs, other calls that count are stored under the id of
			// the call, and all others are idempotent.
			cuts++
		case err == nil || !errors.Is(err, ErrNoDaemon):
			return resp, err
		case time.Since(started) > startAgain: // else a daemon, ours or another client's, is about to listen
			if err := c.Start(limit); err != nil && limit.Err() == nil {
				return nil, fmt.Errorf("%w: %w", ErrNoDaemon, err)
			}
			started, cuts = time.Now(), cuts+mostCuts/2
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

// mostCuts is how often a call is repeated because its daemon ended. A killed daemon may still accept
// connections for a moment, only to break them. The call itself may be what ends the daemon, so it is
// not repeated forever, and each daemon that is started for it counts for half of them.
const mostCuts = 20

// startTime is how long a daemon may take to start or to be replaced.
const startTime = 30 * time.Second

// startAgain is how long a newly started daemon may be silent before another one is started. The
// first may have exited because it met an older daemon that was just about to end.
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

// stopOther asks a daemon of another build to stop. Many clients may do so at once, so the request
// must not stop the successor if it comes late. The error is the daemon's reason not to stop.
func (c *Client) stopOther(ctx context.Context) error {
	body, _ := json.Marshal(StopRequest{Unless: c.Build}) // a string can always be encoded
	resp, err := c.try(ctx, Stop.Method, "/v1"+Stop.Path, body, rand.Text())
	if err != nil {
		return nil // the daemon has ended, or the next attempt will show it
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refusedBy(resp)
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
	// A daemon that has not begun with the request by then has missed the first ping, too, and
	// attend gives up.
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
	if around, ok := errors.AsType[*url.Error](err); ok {
		err = around.Err // the method and address do not help people
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the daemon was killed before it answered, try again: %w", err)
	}
	return nil, err
}
