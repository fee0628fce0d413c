package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/aoa-dev/aoa/internal/stage"
)

// endAfter is how long a child may take to react to a signal, and to close its output after it has
// ended.
const endAfter = 5 * time.Second

// StartError is the error of a command that cannot be started, with the exit code that shells use:
// 127 if there is no such program, else 126.
type StartError struct {
	Code int
	Err  error
}

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// signalSoon is how long a step waits for the signal that ended its context: the signal reaches the
// context and the step independently.
const signalSoon = 100 * time.Millisecond

// child runs the command in the folder of the step, and forwards the signals of this process. Its
// output goes through the recorder as it is written. why is the reason not to store the result, ""
// if it may be stored.
func (s *Step) child(ctx context.Context, rec *stage.Recorder) (code int, why string, err error) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, ending...)
	defer signal.Stop(signals)
	ctx, stop := signal.NotifyContext(ctx, ending...)
	defer stop()
	cmd := exec.CommandContext(ctx, s.Request.Command[0], s.Request.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.Dir, s.Env, s.In
	cmd.Stdout, cmd.Stderr = rec.Writer(stage.Stdout, s.Out), rec.Writer(stage.Stderr, s.Err)
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // a shell would also run it if the current folder is on the PATH
	}
	shared := s.onTerminal()
	if !shared {
		newGroup(cmd)
	}
	stopped := false
	cmd.WaitDelay = endAfter
	cmd.Cancel = func() error {
		stopped = true
		sig := os.Interrupt // the caller canceled the context without a signal
		select {
		case sig = <-signals:
		case <-time.After(signalSoon):
		}
		pass(cmd, shared, sig)
		return nil
	}
	if err := cmd.Start(); err != nil {
		code := 126
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			code = 127
		}
		return 0, "", &StartError{Code: code, Err: err}
	}
	err = cmd.Wait()
	if code = cmd.ProcessState.ExitCode(); signalOf(cmd.ProcessState) > 0 {
		code = 128 + signalOf(cmd.ProcessState)
		why = fmt.Sprintf("it was ended by signal %d", signalOf(cmd.ProcessState))
	}
	switch {
	case stopped:
		why = "it was interrupted"
		if !shared {
			kill(cmd) // shells start background processes that ignore ctrl-C
		}
	case errors.Is(err, exec.ErrWaitDelay):
		why = fmt.Sprintf("a process that it started kept its output open for %s", endAfter)
	}
	return code, why, nil
}

// onTerminal reports whether the step uses a terminal. It then stays in the process group that gets
// the keyboard's signals.
func (s *Step) onTerminal() bool {
	return slices.ContainsFunc([]any{s.In, s.Out, s.Err}, func(v any) bool {
		f, ok := v.(*os.File)
		return ok && term.IsTerminal(int(f.Fd()))
	})
}
