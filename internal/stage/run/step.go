package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
)

// Listener hears what a step does, while it does it.
type Listener interface {
	Runs(why string)              // the command runs, for this reason
	Unchanged(turn api.StageTurn) // a kept result was printed instead
	NotKept(why string)           // the result of the run is not kept
	Problem(what string)          // it goes on without the daemon, or without the kept result
	Unmatched(globs []string)     // globs that match no file
}

// Step is one stage with what it needs.
type Step struct {
	Client   *api.Client // nil: it runs without the cache
	Request  api.StageRequest
	Root     string // of the worktree: declared outputs are below it
	Dir      string
	Env      []string
	In       io.Reader
	Out, Err io.Writer                 // nil: not printed, only kept
	Check    func(*stage.Record) error // a record that it refuses is not kept; may be nil
	Listener Listener
	Now      func() time.Time

	Result
	turn *api.Reply[api.StageTurn]
}

// Result is what became of a step.
type Result struct {
	Turn   *api.StageTurn // the daemon's answer; nil without one
	Record *stage.Record  // of the hit or the run; nil when it was too much
	Code   int            // the exit code of the command
	Ran    bool
	Took   time.Duration // of the run; for a hit, of the run that was stored
	Kept   api.StageKept
}

// ErrRestore says that the files of a kept result cannot be restored.
var ErrRestore = errors.New("restore")

// Run does the step. It returns an error if there is no exit code: of the daemon, ErrRestore or a *StartError. A
// failure of the wrapped command is in Code.
func (s *Step) Run(ctx context.Context) error {
	if s.Client == nil {
		return s.perform(ctx)
	}
	if err := s.begin(ctx); err != nil {
		if !unusable(ctx, err) {
			return err
		}
		s.Listener.Problem(fmt.Sprintf("runs without the cache: %v", err))
	}
	if s.turn != nil {
		defer s.turn.Close()
		s.Turn = &s.turn.Head
		s.Listener.Unmatched(s.Turn.Idle)
		if s.Turn.Hit {
			if done, err := s.replay(); done || err != nil {
				return err
			}
		}
	}
	return s.perform(ctx)
}

// begin asks for the turn. A tool is asked for its version only when the daemon does not know it.
func (s *Step) begin(ctx context.Context) (err error) {
	if s.turn, err = api.Ask(ctx, s.Client, api.StageBegin, s.Request, nil); err != nil || !s.turn.Head.AskTool {
		return err
	}
	s.turn.Close()
	s.turn = nil
	if s.Request.Tool.Version, err = ToolVersion(ctx, s.Request.Tool, s.Dir, s.Env); err != nil {
		return err
	}
	s.turn, err = api.Ask(ctx, s.Client, api.StageBegin, s.Request, nil)
	return err
}

// replay restores and prints a hit. If the record cannot be read, the command runs.
func (s *Step) replay() (done bool, err error) {
	rec, err := ReadRecord(s.turn)
	if err != nil {
		s.Listener.Problem(fmt.Sprintf("runs: %v", err))
		return false, nil
	}
	if _, err := stage.Restore(s.Root, rec.Files); err != nil {
		return false, fmt.Errorf("%w: %w", ErrRestore, err)
	}
	s.Record, s.Code, s.Took = rec, s.turn.Head.Entry.Exit, time.Duration(s.turn.Head.Entry.Duration)*time.Millisecond
	s.print(rec)
	s.Listener.Unchanged(s.turn.Head)
	return true, nil
}

func (s *Step) print(rec *stage.Record) {
	for _, f := range rec.Frames {
		w := s.Out
		if f.Stream == stage.Stderr {
			w = s.Err
		}
		if w != nil {
			_, _ = w.Write(f.Data) // a closed output is no error here, as it is none of the command
		}
	}
}

// uncached is the largest output, in bytes, of a run without a cache: a pipeline reads it.
const uncached = 16 << 20

// perform runs the command and stores its result.
func (s *Step) perform(ctx context.Context) error {
	limit := int64(uncached)
	if s.turn != nil {
		limit = s.turn.Head.Limit
		s.Listener.Runs(s.turn.Head.Miss)
	}
	rec := stage.NewRecorder(limit)
	file := regular(s.In)
	before := offset(file)
	began := s.Now()
	end, err := s.child(ctx, rec)
	if err != nil {
		return err
	}
	s.Ran, s.Code, s.Took = true, end.code, s.Now().Sub(began)
	why := end.why
	if why == "" && file != nil && s.Request.Stdin == nil && offset(file) != before {
		why = "it read its standard input, which is not an input of the stage; --stdin makes it one"
	}
	kept, fits, broken := rec.Record()
	if fits {
		s.Record = kept
	}
	if why == "" && fits && s.Code == 0 && s.Check != nil {
		if err := s.Check(kept); err != nil {
			why = err.Error()
		}
	}
	switch {
	case s.turn == nil && fits:
		return nil
	case why != "":
	case s.Code != 0 && !s.Request.Failures:
		why = fmt.Sprintf("exit code %d", s.Code)
	case broken != nil:
		why = fmt.Sprintf("its output could not be read: %v", broken)
	case fits && len(s.Request.Outputs) > 0:
		if err := stage.Gather(s.Root, s.Request.Outputs, rec); err != nil {
			why = err.Error()
		}
		kept, fits, _ = rec.Record()
	}
	if why == "" && !fits {
		why = fmt.Sprintf("its result is larger than %d MB", limit/1_000_000)
	}
	if why != "" {
		s.Kept.Why = why
		s.Listener.NotKept(why)
		return nil
	}
	s.keep(ctx, kept)
	return nil
}

// keep stores the record. If that fails, this run still succeeds.
func (s *Step) keep(ctx context.Context, rec *stage.Record) {
	if s.Request.Tool.Command != "" {
		s.Request.Tool.Version = s.turn.Head.Version
	}
	ans, err := api.Ask(ctx, s.Client, api.StageEnd, api.StageResult{Request: s.Request, Key: s.turn.Head.Key,
		Exit:     s.Code,
		Duration: s.Took.Milliseconds()}, rec.Append(nil))
	if err != nil {
		s.Kept.Why = err.Error()
		s.Listener.Problem(fmt.Sprintf("is not kept: %v", err))
		return
	}
	defer ans.Close()
	if s.Kept = ans.Head; !s.Kept.Kept {
		s.Listener.NotKept(s.Kept.Why)
	}
}

// ReadRecord reads the record behind an answer's line.
func ReadRecord(r io.Reader) (*stage.Record, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the kept result: %w", err)
	}
	return stage.DecodeRecord(data)
}

// regular returns the regular file behind a reader, nil when it is none.
func regular(r io.Reader) *os.File {
	f, ok := r.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return f
}

// offset is the read position of a file, which processes that share it have in common.
func offset(f *os.File) int64 {
	if f == nil {
		return 0
	}
	n, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	return n
}

// unusable reports whether the daemon cannot help, as opposed to refusing what can never work.
func unusable(ctx context.Context, err error) bool {
	var refused *api.Error
	if errors.As(err, &refused) {
		return refused.Code != api.CodeBad && refused.Code != api.CodeMissing
	}
	return ctx.Err() == nil
}
