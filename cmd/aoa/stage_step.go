package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
)

// step looks up one stage, runs it if its inputs changed, and stores the result.
type step struct {
	*app
	client   *api.Client
	req      api.StageRequest
	root     string // of the worktree: declared outputs are below it
	dir      string
	env      []string
	in       io.Reader
	out, err io.Writer // nil: not printed, only kept
	quiet    bool
	check    func(*stage.Record) error // a record that it refuses is not kept; may be nil
	prefix   string                    // of notes; "" for "stage NAME"

	turn   *api.Reply[api.StageTurn]
	record *stage.Record // of the hit or the run; nil when it was too much
	code   int
	ran    bool
	took   time.Duration // of the run; for a hit, of the run that was stored
	kept   api.StageKept
}

// run does the step. It returns an error if there is no exit code. A failure of the wrapped command is in code.
func (s *step) run(ctx context.Context) error {
	if s.client == nil {
		return s.perform(ctx)
	}
	if err := s.begin(ctx); err != nil {
		if !unusable(ctx, err) {
			return err
		}
		s.talk("%s runs without the cache: %v", s.name(), err)
	}
	if s.turn != nil {
		defer s.turn.Close()
		s.unmatched(s.req.Stage, s.turn.Head.Idle)
		if s.turn.Head.Hit {
			if done, err := s.replay(); done || err != nil {
				return err
			}
		}
	}
	return s.perform(ctx)
}

func (s *step) name() string {
	if s.prefix != "" {
		return s.prefix
	}
	return "stage " + s.req.Stage
}

func (s *step) note(format string, args ...any) {
	if !s.quiet {
		s.talk("%s", s.name()+": "+fmt.Sprintf(format, args...))
	}
}

// begin asks for the turn. A tool is asked for its version only when the daemon does not know it.
func (s *step) begin(ctx context.Context) (err error) {
	if s.turn, err = api.Ask(ctx, s.client, api.StageBegin, s.req, nil); err != nil || !s.turn.Head.AskTool {
		return err
	}
	s.turn.Close()
	s.turn = nil
	if s.req.Tool.Version, err = s.toolVersion(ctx, s.req.Tool); err != nil {
		return err
	}
	s.turn, err = api.Ask(ctx, s.client, api.StageBegin, s.req, nil)
	return err
}

// replay restores and prints a hit. If the record cannot be read, the command runs.
func (s *step) replay() (done bool, err error) {
	rec, err := readRecord(s.turn)
	if err != nil {
		s.talk("%s runs: %v", s.name(), err)
		return false, nil
	}
	if _, err := stage.Restore(s.root, rec.Files); err != nil {
		return false, fail(exitFailed, "aoa stage run --refresh runs it again", "%v", err)
	}
	s.record, s.code, s.took = rec, s.turn.Head.Entry.Exit, time.Duration(s.turn.Head.Entry.Duration)*time.Millisecond
	s.print(rec)
	waited := ""
	if w := s.turn.Head.Waited; w > 0 {
		waited = fmt.Sprintf(", after waiting %s for the same run elsewhere", millis(w))
	}
	s.note("unchanged since %s, %s saved%s", stamp(s.turn.Head.Entry.Created), millis(s.turn.Head.Entry.Duration), waited)
	return true, nil
}

func (s *step) print(rec *stage.Record) {
	for _, f := range rec.Frames {
		w := s.out
		if f.Stream == stage.Stderr {
			w = s.err
		}
		if w != nil {
			_, _ = w.Write(f.Data) // a closed output is no error here, as it is none of the command
		}
	}
}

// uncached is the largest output, in bytes, of a run without a cache: a pipeline reads it.
const uncached = 16 << 20

// perform runs the command and stores its result.
func (s *step) perform(ctx context.Context) error {
	limit := int64(uncached)
	if s.turn != nil {
		limit = s.turn.Head.Limit
		s.note("runs: %s", s.turn.Head.Miss)
	}
	rec := stage.NewRecorder(limit)
	file := isFile(s.in)
	before := offset(file)
	began := s.now()
	end, err := s.child(ctx, rec)
	if err != nil {
		return err
	}
	s.ran, s.code, s.took = true, end.code, s.now().Sub(began)
	why := end.why
	if why == "" && file != nil && s.req.Stdin == nil && offset(file) != before {
		why = "it read its standard input, which is not an input of the stage; --stdin makes it one"
	}
	kept, fits, broken := rec.Record()
	if fits {
		s.record = kept
	}
	if why == "" && fits && s.code == 0 && s.check != nil {
		if err := s.check(kept); err != nil {
			why = err.Error()
		}
	}
	switch {
	case s.turn == nil && fits:
		return nil
	case why != "":
	case s.code != 0 && !s.req.Failures:
		why = fmt.Sprintf("exit code %d", s.code)
	case broken != nil:
		why = fmt.Sprintf("its output could not be read: %v", broken)
	case fits && len(s.req.Outputs) > 0:
		if err := stage.Gather(s.root, s.req.Outputs, rec); err != nil {
			why = err.Error()
		}
		kept, fits, _ = rec.Record()
	}
	if why == "" && !fits {
		why = fmt.Sprintf("its result is larger than %s", size(limit))
	}
	if why != "" {
		s.kept.Why = why
		s.note("not kept: %s", why)
		return nil
	}
	s.keep(ctx, kept)
	return nil
}

// keep stores the record. If that fails, this run still succeeds.
func (s *step) keep(ctx context.Context, rec *stage.Record) {
	if s.req.Tool.Command != "" {
		s.req.Tool.Version = s.turn.Head.Version
	}
	ans, err := api.Ask(ctx, s.client, api.StageEnd, api.StageResult{Request: s.req, Key: s.turn.Head.Key, Exit: s.code,
		Duration: s.took.Milliseconds()}, rec.Append(nil))
	if err != nil {
		s.kept.Why = err.Error()
		s.talk("%s: not kept: %v", s.name(), err)
		return
	}
	defer ans.Close()
	if s.kept = ans.Head; !s.kept.Kept {
		s.note("not kept: %s", s.kept.Why)
	}
}

// report is the JSON of stage run.
func (s *step) report() map[string]any {
	out := map[string]any{"stage": s.req.Stage, "hit": !s.ran, "exit": s.code, "duration_ms": s.took.Milliseconds(),
		"kept": s.kept.Kept || !s.ran}
	if s.turn != nil {
		out["key"], out["miss"] = s.turn.Head.Key, s.turn.Head.Miss
	}
	if s.kept.Why != "" {
		out["not_kept"] = s.kept.Why
	}
	if !s.ran {
		out["saved_ms"] = s.took.Milliseconds()
	}
	if s.record != nil {
		out["stdout"], out["stderr"] = string(s.record.Output(stage.Stdout)), string(s.record.Output(stage.Stderr))
		out["made"] = made(s.record)
	}
	return out
}
