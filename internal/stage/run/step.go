package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/stage"
)

// Step is one stage with everything that is needed to run it.
type Step struct {
	Client   *api.Client // nil runs it without the cache
	Request  stage.Request
	Root     string // the root of the worktree; declared outputs are below it
	Dir      string
	Env      []string
	In       io.Reader                 // nil means empty
	Out, Err io.Writer                 // nil: only stored, not printed
	Check    func(*stage.Record) error // a record for which it returns an error is not stored; may be nil
	Now      func() time.Time

	// Note is called with what the step does: why the command runs, or a problem that does
	// not stop it.
	Note func(problem bool, text string)

	Result
	turn io.Closer // ends the turn
}

// Result is the result of a step.
type Result struct {
	Turn   *stage.Turn   // the daemon's answer; nil if there was none
	Record *stage.Record // of the hit or the run; nil if it was too large
	Code   int           // the exit code of the command
	Ran    bool
	Took   time.Duration // duration of the run; for a hit, of the run that was stored
	Kept   stage.Kept
}

// ErrRestore means that the files of a stored result cannot be restored.
var ErrRestore = errors.New("restore")

// Run runs the step. It returns an error only if there is no exit code: an error of the daemon,
// ErrRestore or a *StartError. If the wrapped command fails, Code tells so.
func (s *Step) Run(ctx context.Context) error {
	if s.Client == nil {
		return s.perform(ctx)
	}
	if err := s.begin(ctx); err != nil {
		if !unusable(ctx, err) {
			return err
		}
		s.Note(true, fmt.Sprintf("running without the cache: %v", err))
	}
	if s.Turn != nil {
		defer s.turn.Close()
		for _, g := range s.Turn.Idle { // most often such a pattern is mistyped
			s.Note(true, g+" matches no file: a glob names tracked and new files, not ignored ones")
		}
		if s.Turn.Hit {
			return s.replay()
		}
	}
	return s.perform(ctx)
}

// begin asks the daemon for the turn. It runs a tool to get its version only if the daemon does not
// know it.
func (s *Step) begin(ctx context.Context) (err error) {
	slow := time.AfterFunc(time.Second, func() {
		s.Note(false, "is reading its dependencies, or waiting for an equal run")
	})
	defer slow.Stop()
	turn, open, err := api.Hold(ctx, s.Client, api.StageBegin, s.Request)
	if err != nil {
		return err
	}
	if !turn.AskTool {
		s.Turn, s.turn = &turn, open
		return nil
	}
	open.Close()
	if s.Request.Tool.Version, err = ToolVersion(ctx, s.Request.Tool, s.Dir, s.Env); err != nil {
		return err
	}
	return s.begin(ctx)
}

// replay restores the files of a stored result and prints its output.
func (s *Step) replay() error {
	rec := s.Turn.Record
	if err := stage.Restore(s.Root, rec.Files); err != nil {
		return fmt.Errorf("%w: %w", ErrRestore, err)
	}
	s.Record, s.Took = rec, time.Duration(s.Turn.Entry.Duration)*time.Millisecond
	for _, f := range rec.Frames {
		w := s.Out
		if f.Stream == stage.Stderr {
			w = s.Err
		}
		if w != nil {
			_, _ = w.Write(f.Data) // a closed output is not an error, as for the command itself
		}
	}
	return nil
}

// perform runs the command and stores its result.
func (s *Step) perform(ctx context.Context) error {
	if s.Turn != nil {
		s.Note(false, "runs: "+s.Turn.Miss)
	}
	rec := stage.NewRecorder(stage.MaxResult)
	began := s.Now()
	code, why, err := s.child(ctx, rec)
	if err != nil {
		return err
	}
	s.Ran, s.Code, s.Took = true, code, s.Now().Sub(began)
	kept, fits, unprinted := rec.Record()
	if fits {
		s.Record = kept
	}
	switch {
	case why != "":
	case code != 0 && s.Turn != nil:
		why = fmt.Sprintf("exit code %d", code)
	case unprinted != nil:
		why = fmt.Sprintf("its output could not be printed: %v", unprinted)
	case fits && code == 0 && s.Check != nil && s.Check(kept) != nil:
		why = s.Check(kept).Error()
	case fits && s.Turn != nil:
		if err := stage.Gather(s.Root, s.Request.Outputs, rec); err != nil {
			why = err.Error()
		}
		kept, fits, _ = rec.Record()
	}
	switch {
	case why != "":
	case !fits:
		why = fmt.Sprintf("its result is larger than %d MB", stage.MaxResult/1_000_000)
	case s.Turn != nil:
		s.keep(ctx, kept)
		return nil
	}
	s.Kept.Why = why
	return nil
}

// keep stores the record. If that fails, the run still counts as successful.
func (s *Step) keep(ctx context.Context, rec *stage.Record) {
	s.Request.Tool.Version = s.Turn.Version
	var err error
	s.Kept, err = api.Call(ctx, s.Client, api.StageEnd, stage.Result{Request: s.Request, Key: s.Turn.Key,
		Duration: s.Took.Milliseconds(), Record: rec})
	if err != nil {
		s.Kept.Why = err.Error()
	}
}

// unusable reports whether the daemon cannot help, as opposed to refusing a request that can never
// work.
func unusable(ctx context.Context, err error) bool {
	if refused, is := errors.AsType[*event.Refusal](err); is {
		return refused.Code != event.CodeBad && refused.Code != event.CodeMissing
	}
	return ctx.Err() == nil
}
