package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"golang.org/x/term"

	"github.com/aoa-dev/aoa/internal/stage"
)

// How long a child may take to follow a signal, and to close its output once it ended.
const (
	killAfter  = 5 * time.Second
	closeAfter = 2 * time.Second
)

// StartError is the error of a command that cannot be started, with the exit code that shells give it: 127 if there
// is no such program, else 126.
type StartError struct {
	Code int
	Err  error
}

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// childEnd is how a child ended.
type childEnd struct {
	code int
	why  string // why the result is not kept, "" if it may be
}

// child runs the command with this process's folder, standard input and signals. Output goes through the recorder as
// it is written.
func (s *Step) child(ctx context.Context, rec *stage.Recorder) (childEnd, error) {
	cmd := exec.Command(s.Request.Command[0], s.Request.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.Dir, s.Env, s.In
	cmd.Stdout, cmd.Stderr = rec.Writer(stage.Stdout, s.Out), rec.Writer(stage.Stderr, s.Err)
	cmd.WaitDelay = closeAfter
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // a shell would run it, too, where the current folder is on the PATH
	}
	shared := s.onTerminal()
	if !shared {
		newGroup(cmd)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, ending...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		code := 126
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			code = 127
		}
		return childEnd{}, &StartError{Code: code, Err: err}
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	stopped, err := s.await(ctx, cmd, shared, signals, over)
	if stopped && !shared {
		kill(cmd, shared) // shells start background processes that ignore ctrl-C
	}
	end := childEnd{code: cmd.ProcessState.ExitCode()}
	if sig := signalOf(cmd.ProcessState); sig > 0 {
		end.code, end.why = 128+sig, fmt.Sprintf("signal %d ended it", sig)
	}
	switch {
	case stopped:
		end.why = "it was interrupted"
	case errors.Is(err, exec.ErrWaitDelay):
		end.why = fmt.Sprintf("a process that it started kept its output open for %s", closeAfter)
	}
	return end, nil
}

// signalSoon is how long after the end of its context a step waits for the signal that ended it: one signal reaches
// both.
const signalSoon = 100 * time.Millisecond

// await waits for the child and passes signals on to its group. A second signal kills it. On a terminal the group is
// this process's own, and has had the keyboard's signals already.
func (s *Step) await(ctx context.Context, cmd *exec.Cmd, shared bool, signals <-chan os.Signal,
	over <-chan error) (stopped bool, err error) {
	var late, unsignaled <-chan time.Time // when it is killed; when no signal has come with the end of the context
	gone := ctx.Done()
	for {
		select {
		case err := <-over:
			return stopped || unsignaled != nil, err
		case <-gone:
			if gone = nil; !stopped {
				unsignaled = time.After(signalSoon)
			}
			continue
		case <-unsignaled: // the caller canceled the context without a signal
			unsignaled = nil
			pass(cmd, shared, os.Interrupt)
		case sig := <-signals:
			if unsignaled = nil; stopped && late != nil {
				kill(cmd, shared) // the second signal
			} else {
				pass(cmd, shared, sig)
			}
		case <-late:
			kill(cmd, shared)
			late = nil
			continue
		}
		if !stopped {
			stopped, late = true, time.After(killAfter)
		}
	}
}

// onTerminal reports whether the step uses a terminal. Then it stays in the process group that gets the keyboard's
// signals.
func (s *Step) onTerminal() bool {
	for _, v := range []any{s.In, s.Out, s.Err} {
		if f, ok := v.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return true
		}
	}
	return false
}
