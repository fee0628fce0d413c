package reload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Request asks for a replay.
type Request struct {
	ID    string `json:"id,omitempty"`          // id of the sequence
	Skip  []int  `json:"skipIndices,omitempty"` // indexes of actions that are left out, from 0 on
	Edits bool   `json:"edits,omitempty"`       // plan the edits and return them as a diff
	// The name of a plan that an earlier replay has shown: it is carried out. If "", nothing is
	// changed.
	Plan string `json:"plan,omitempty"`
}

// The results of an action.
const (
	Done     = "done"
	Changed  = "changed"  // done, but its files have changed since, or the search finds nothing any more
	Skipped  = "skipped"  // the caller left it out
	Refused  = "refused"  // it cannot or must not be repeated
	Planned  = "planned"  // an edit that could be made
	Applied  = "applied"  // an edit that was made
	Diverged = "diverged" // it cannot be made again; nothing after it was done
)

// Report is the result of a replay.
type Report struct {
	ID       string `json:"id"`
	Summary  string `json:"summary,omitempty"`
	Steps    []Step `json:"steps,omitzero"`
	Diverged string `json:"diverged,omitempty"` // which step differs, in words; "" if none does
	Diff     string `json:"diff,omitempty"`     // diff of the edits
	Plan     string `json:"plan,omitempty"`     // name of the plan, if there are edits to make
	Undo     string `json:"undo,omitempty"`     // id of the undo record, if files were changed
}

// Step is one action of a sequence, described for people.
type Step struct {
	Index int       `json:"index"` // index of the action, from 0
	Tool  string    `json:"tool"`
	Act   event.Act `json:"act"`
	What  string    `json:"what"` // the input on one line
	// State is, after a replay, one of done, changed, skipped, refused, planned, applied and
	// diverged.
	State   string `json:"state,omitempty"`
	Note    string `json:"note,omitempty"`
	Output  string `json:"output,omitempty"`
	OK      bool   `json:"ok,omitempty"`      // it succeeded when it was recorded; false in a replay
	Changes bool   `json:"changes,omitempty"` // it does more than read
}

func newStep(i int, a Action) Step {
	return Step{Index: i, Tool: a.Tool, Act: a.Act, What: a.what(), Changes: !a.Act.ReadOnly()}
}

func (s *Step) is(state, note string) { s.State, s.Note = state, note }

// Limits for the answer of a replay, in bytes.
const (
	maxStepOutput = 16 << 10
	maxOutput     = 64 << 10
)

// ErrIndex means that an action to be skipped does not exist, ErrPlan that the plan to be applied
// is not the one that was shown.
var (
	ErrIndex = errors.New("no such action")
	ErrPlan  = errors.New("the plan has changed")
)

// replay is the state of one replay.
type replay struct {
	w    Worktree
	dir  *os.Root
	plan *plan // nil if edits were not requested
}

// Replay repeats an entry's actions in order, up to the first one that cannot be made again. Reads
// and searches run now and return what they find now. Commands are not run. Edits are planned as a
// whole before anything else, and made only if the request names the plan.
func (c *Cache) Replay(ctx context.Context, w Worktree, r Request) (Report, error) {
	e, err := c.Get(ctx, r.ID)
	if err != nil {
		return Report{}, err
	}
	for _, i := range r.Skip {
		if i < 0 || i >= len(e.Actions) {
			return Report{}, fmt.Errorf("%w: %d; it has the actions 0 to %d", ErrIndex, i, len(e.Actions)-1)
		}
	}
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return Report{}, fmt.Errorf("open the worktree: %w", err)
	}
	defer dir.Close()
	p := &replay{w: w, dir: dir}
	out := Report{ID: e.ID, Summary: e.Summary}
	if r.Edits || r.Plan != "" {
		c.applying.Lock()
		defer c.applying.Unlock()
		p.plan = newPlan(ctx, w, e, r.Skip)
		out.Diff, out.Plan = p.plan.diff(), p.plan.name()
		if r.Plan != "" && !p.plan.broken && r.Plan != out.Plan {
			return out, fmt.Errorf("%w: %s was shown, it would be %q now", ErrPlan, r.Plan, out.Plan)
		}
	}
	if err := p.actions(ctx, e, r.Skip, &out); err != nil {
		return out, err
	}
	// edits are made last, so that searches see the files as they were
	if r.Plan != "" && !p.plan.broken && out.Diverged == "" {
		if out.Undo, err = c.apply(ctx, w, p.plan, e.Session); err != nil {
			return out, err
		}
		for i := range out.Steps {
			if out.Steps[i].State == Planned {
				out.Steps[i].State = Applied
			}
		}
	}
	if r.Edits && r.Plan == "" {
		return out, nil // showing a plan counts neither as a use nor as a failure
	}
	return out, c.used(ctx, e.ID, out.Diverged == "")
}

// actions repeats the actions of an entry up to the first that cannot be made again.
func (p *replay) actions(ctx context.Context, e Entry, skip []int, out *Report) error {
	size := 0
	for i, a := range e.Actions {
		s := newStep(i, a)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case slices.Contains(skip, i):
			s.State = Skipped
		case size >= maxOutput && !a.changes():
			s.is(Skipped, fmt.Sprintf("the answer has %d KB already", maxOutput>>10))
		default:
			p.action(ctx, a, e.note(a), &s)
		}
		s.Output = cutLines(s.Output, maxStepOutput)
		size += len(s.Output)
		out.Steps = append(out.Steps, s)
		if s.State == Diverged {
			out.Diverged = fmt.Sprintf("action %d, %s: %s", i, s.What, s.Note)
			break
		}
	}
	return nil
}

// action repeats one action. All edits were planned before, and are made after the last action.
func (p *replay) action(ctx context.Context, a Action, note string, s *Step) {
	switch {
	case a.Act == event.ActRun && !a.Secret:
		s.is(Skipped, "commands are not run")
	case a.changes() && p.plan == nil && !a.Secret:
		s.is(Skipped, "edits were not requested")
	case note != "" && !a.OK && !a.Secret:
		s.is(Skipped, note)
	case note != "":
		s.is(Refused, note)
	case a.Act == event.ActRead:
		p.read(a, s)
	case a.Act == event.ActSearch, a.Act == event.ActList:
		p.search(ctx, a, s)
	case a.changes():
		s.is(p.plan.step(a.Paths[0]))
	default:
		s.is(Refused, "aoa cannot do this again")
	}
}
