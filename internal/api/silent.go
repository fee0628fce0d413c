package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/peer"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Silent is the error if a daemon exists but does not answer, because it hangs or was stopped by a
// signal.
type Silent struct {
	Place locate.Place
	Pid   int // 0 if the system does not tell
}

func (s *Silent) Error() string {
	return fmt.Sprintf("the daemon of %s%s does not answer", s.Place.Store, s.process())
}

// Unwrap returns a Refusal, which says what to do next.
func (s *Silent) Unwrap() error {
	hint := "aoa daemon stop --force ends it"
	switch {
	case s.Pid == 0:
		hint = "end the process that holds " + s.Place.Lock() + ", then try again"
	case s.state() != "":
		hint = fmt.Sprintf("kill -CONT %d lets it go on, %s", s.Pid, hint)
	}
	return &event.Refusal{Code: event.CodeSilent, Message: s.Error(), Hint: hint}
}

func (s *Silent) process() string {
	switch state := s.state(); {
	case s.Pid == 0:
		return ""
	case state != "":
		return fmt.Sprintf(" (pid %d, %s)", s.Pid, state)
	}
	return fmt.Sprintf(" (pid %d)", s.Pid)
}

// state tells why a process does not run, on systems that have /proc.
func (s *Silent) state() string {
	stat, err := regularfile.Read(fmt.Sprintf("/proc/%d/stat", s.Pid), regularfile.NoLinks, 4<<10)
	if err != nil {
		return ""
	}
	// The name of a program may contain any byte, so parse after its last parenthesis.
	_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	switch {
	case bytes.HasPrefix(after, []byte("T")):
		return "stopped by a signal"
	case bytes.HasPrefix(after, []byte("t")):
		return "stopped by a debugger"
	}
	return ""
}

// pingAfter is how long a call may take before the daemon must answer a ping, pingTime how long
// that answer may take. Even a busy daemon answers at once, because a ping takes no lock.
const (
	pingAfter = 2 * time.Second
	pingTime  = 3 * time.Second
)

// patience returns one of the times above, multiplied on slow machines.
func (c *Client) patience(d time.Duration) time.Duration {
	return d * time.Duration(max(c.Patience, 1))
}

// attend pings the daemon repeatedly while a call waits for its answer. If a ping is not answered,
// it calls giveUp with the reason. Calling the returned function stops it.
func (c *Client) attend(ctx context.Context, giveUp context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	first := time.AfterFunc(c.patience(pingAfter), func() {
		for missed := false; ; {
			err := c.ping(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				missed = false
			case errors.Is(err, ErrNoDaemon) && !missed:
				missed = true // the daemon may be ending; it then answers connected clients within two seconds
			default:
				giveUp(err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(c.patience(pingAfter)):
			}
		}
	})
	return func() { first.Stop(); cancel() }
}

// ping asks the daemon for any answer, on a connection of its own. A daemon of another build does
// not know the request, but its refusal is an answer, too.
func (c *Client) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience(pingTime))
	defer cancel()
	silent := &Silent{Place: c.Place}
	conn, err := Dial(ctx, c.Place)
	if err != nil {
		// Dialing may see that the time is over before the context does.
		if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
			return silent // its queue is full and stays full
		}
		return err
	}
	defer conn.Close()
	silent.Pid = peer.Process(conn)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	_, err = fmt.Fprintf(conn, "%s /v1%s HTTP/1.1\r\nHost: aoa\r\nConnection: close\r\n\r\n", Ping.Method, Ping.Path)
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	if err != nil && ctx.Err() != nil {
		return silent
	}
	return nil // the daemon answered, or ended: the waiting call notices that by itself
}

// attended is the body of an answer. Reading it fails once the daemon no longer answers pings.
type attended struct {
	io.ReadCloser
	client *Client
	ctx    context.Context
	giveUp context.CancelCauseFunc
}

func (a *attended) Read(p []byte) (int, error) {
	stop := a.client.attend(a.ctx, a.giveUp)
	defer stop()
	n, err := a.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = instead(a.ctx, err)
	}
	return n, err
}

func (a *attended) Close() error {
	defer a.giveUp(nil)
	return a.ReadCloser.Close()
}

// instead returns the reason why a call was given up, if there is one, in place of the error that
// resulted from giving up.
func instead(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil && !errors.Is(why, context.Canceled) {
		return why
	}
	return err
}
