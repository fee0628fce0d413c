package main

import (
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

// stageTalk says on stderr what a stage does.
type stageTalk struct {
	*app
	name  string
	quiet bool // only problems
}

func (t *stageTalk) note(format string, args ...any) {
	if !t.quiet {
		t.talk("stage %s: %s", t.name, fmt.Sprintf(format, args...))
	}
}

func (t *stageTalk) Runs(why string)     { t.note("runs: %s", why) }
func (t *stageTalk) NotKept(why string)  { t.note("not kept: %s", why) }
func (t *stageTalk) Problem(what string) { t.talk("stage %s %s", t.name, what) }

func (t *stageTalk) Unchanged(turn api.StageTurn) {
	waited := ""
	if turn.Waited > 0 {
		waited = fmt.Sprintf(", after waiting %s for the same run elsewhere", millis(turn.Waited))
	}
	t.note("unchanged since %s, %s saved%s", stamp(turn.Entry.Created), millis(turn.Entry.Duration), waited)
}

// Unmatched warns of globs that match no file: most often they are mistyped.
func (t *stageTalk) Unmatched(globs []string) {
	for _, g := range globs {
		t.talk("stage %s: %s matches no file that git has or would add", t.name, g)
	}
}

// stageFailure gives the errors of a step their exit codes and hints.
func stageFailure(name string, err error) error {
	var start *stagerun.StartError
	switch {
	case errors.As(err, &start):
		return fail(start.Code, "", "%s: %v", name, start.Err)
	case errors.Is(err, stagerun.ErrRestore):
		return fail(exitFailed, "aoa stage run --refresh runs it again", "%v", err)
	}
	return err
}

// stageReportOf is the JSON of stage run.
func stageReportOf(s *stagerun.Step) map[string]any {
	out := map[string]any{"stage": s.Request.Stage, "hit": !s.Ran, "exit": s.Code, "duration_ms": s.Took.Milliseconds(),
		"kept": s.Kept.Kept || !s.Ran}
	if s.Turn != nil {
		out["key"], out["miss"] = s.Turn.Key, s.Turn.Miss
	}
	if s.Kept.Why != "" {
		out["not_kept"] = s.Kept.Why
	}
	if !s.Ran {
		out["saved_ms"] = s.Took.Milliseconds()
	}
	if s.Record != nil {
		out["stdout"], out["stderr"] = string(s.Record.Output(stage.Stdout)), string(s.Record.Output(stage.Stderr))
		out["made"] = made(s.Record)
	}
	return out
}
