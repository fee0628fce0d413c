package reload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Request asks for a replay.
type Request struct {
	ID      string // of the entry
	Skip    []int  // places of actions that are left out, from 0
	Edits   bool   // edits are planned, and shown as a diff
	Plan    string // the plan that is to be carried out, as a planning replay has named it; "": nothing is changed
	Session string // that asked, "" if none
	Call    string // id of the call that asks: one that arrives twice edits once
}

// The results of an action.
const (
	Done     = "done"
	Changed  = "changed"  // done, and its files have changed
	Skipped  = "skipped"  // not asked for
	Refused  = "refused"  // it cannot or may not be repeated
	Planned  = "planned"  // an edit that fits
	Applied  = "applied"  // an edit that was made
	Diverged = "diverged" // it has another result: nothing after it was done
)

// Report is the result of a replay.
type Report struct {
	ID       string
	Summary  string
	Steps    []Step
	Diverged bool
	Why      string // what diverged, in words
	Diff     string // of the edits
	Plan     string // name of the plan, if there are edits to be made
	Undo     string // id of the undo record, if files were changed
}

// Step is one action of a sequence as people read it.
type Step struct {
	Index int       `json:"index"` // from 0
	Tool  string    `json:"tool"`
	Act   event.Act `json:"act"`
	What  string    `json:"what"` // the input on one line
	// of a replay: done, changed, skipped, refused, planned, applied or diverged
	State   string `json:"state,omitempty"`
	Note    string `json:"note,omitempty"`
	Output  string `json:"output,omitempty"`
	OK      bool   `json:"ok,omitempty"`      // when it was recorded; false in a replay
	Changes bool   `json:"changes,omitempty"` // it does not only read
}

func newStep(i int, a Action) Step {
	return Step{Index: i, Tool: a.Tool, Act: a.Act, What: a.what(), Changes: !a.Act.ReadOnly()}
}

// Bounds of a replay's answer, in bytes.
const (
	maxStepOutput = 16 << 10
	maxOutput     = 64 << 10
)

// replay is one under way.
type replay struct {
	c     *Cache
	w     Worktree
	dir   *os.Root
	cfg   Config
	r     Request
	entry Entry
	plan  *plan
	out   Report
	size  int
}

// Replay repeats an entry's actions in their order, up to the first with another result. Reads and searches run now
// and return what they find now. Commands run only if they are allowed. Edits are planned as a whole before anything
// is done, and made only when the plan is named.
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
	p := &replay{c: c, w: w, dir: dir, cfg: c.o.config(), r: r, entry: e, out: Report{ID: e.ID, Summary: e.Summary}}
	if r.Edits || r.Plan != "" {
		c.applying.Lock()
		defer c.applying.Unlock()
		p.plan = newPlan(p)
	}
	if made, err := p.made(ctx); made || err != nil {
		return p.out, err
	}
	if err := p.run(ctx); err != nil {
		return p.out, err
	}
	c.accept(e.ID, r.Session, !p.out.Diverged)
	return p.out, nil
}

// ErrIndex is wrapped when an action to be skipped does not exist, ErrPlan when the plan to be applied is not the one
// that was shown.
var (
	ErrIndex = errors.New("no such action")
	ErrPlan  = errors.New("the plan has changed")
)

// made reports whether the same call has made the edits before, and reports their results again.
func (p *replay) made(ctx context.Context) (bool, error) {
	if p.r.Plan == "" || p.r.Call == "" {
		return false, nil
	}
	u, known, _, err := p.c.readUndo(ctx, cold.UndoFilter{Made: p.r.Call})
	if !known || err != nil {
		return false, err
	}
	for _, r := range u.Files {
		if raw, err := regularfile.ReadIn(p.dir, string(r.Path), maxEdited); err != nil || index.BlobID(raw) != r.After {
			return false, fmt.Errorf("%w: it was interrupted, or %s was changed since; aoa reload undo %s puts back what it changed",
				ErrPlan, r.Path.Display(), u.ID)
		}
	}
	p.out.Plan, p.out.Undo = p.r.Plan, u.ID
	for i, a := range p.entry.Actions {
		s := newStep(i, a)
		s.State, s.Note = Skipped, "it was done when this was asked first"
		if (a.Act == event.ActEdit || a.Act == event.ActWrite) && a.OK && !slices.Contains(p.r.Skip, i) {
			s.State, s.Note = Applied, ""
		}
		p.out.Steps = append(p.out.Steps, s)
	}
	return true, nil
}

func (p *replay) run(ctx context.Context) error {
	if p.plan != nil {
		if err := p.plan.make(); err != nil {
			return err
		}
		p.out.Diff = p.plan.diff()
		if p.out.Plan = p.plan.name(); p.r.Plan != "" && !p.plan.broken {
			if p.r.Plan != p.out.Plan {
				return fmt.Errorf("%w: %s was shown, it would be %s now", ErrPlan, p.r.Plan, p.out.Plan)
			}
			if err := p.plan.apply(ctx); err != nil {
				return err
			}
			p.out.Undo = p.plan.undo
		}
	}
	for i, a := range p.entry.Actions {
		s := newStep(i, a)
		switch {
		case slices.Contains(p.r.Skip, i):
			s.State = Skipped
		case ctx.Err() != nil:
			return ctx.Err()
		case p.size >= maxOutput:
			s.State, s.Note = Skipped, fmt.Sprintf("the answer has %d KB already", maxOutput>>10)
		default:
			p.action(ctx, i, a, &s)
		}
		s.Output = cutLines(s.Output, maxStepOutput)
		p.size += len(s.Output)
		p.out.Steps = append(p.out.Steps, s)
		if s.State == Diverged {
			p.out.Diverged, p.out.Why = true, fmt.Sprintf("action %d, %s: %s", i, s.What, s.Note)
			break
		}
	}
	return nil
}

// action repeats one action.
func (p *replay) action(ctx context.Context, i int, a Action, s *Step) {
	switch {
	case a.Secret:
		s.State, s.Note = Refused, "a secret was taken out of its input"
	case a.Cut && a.Act != event.ActEdit && a.Act != event.ActWrite:
		s.State, s.Note = Refused, "its input was not recorded as a whole"
	case !a.OK && a.Act != event.ActRun:
		s.State, s.Note = Skipped, "it failed when it was recorded"
	case a.Act == event.ActRead:
		p.read(a, s)
	case a.Act == event.ActSearch:
		p.search(ctx, a, s)
	case a.Act == event.ActList:
		p.list(a, s)
	case a.Act == event.ActRun:
		s.State, s.Note = Skipped, "commands are not run"
	case a.Act == event.ActEdit || a.Act == event.ActWrite:
		p.edit(i, s)
	default:
		s.State, s.Note = Refused, "aoa cannot do this again"
	}
}

// edit reports the result of an edit: all of them were planned, and perhaps made, before the first action.
func (p *replay) edit(i int, s *Step) {
	if p.plan == nil {
		s.State, s.Note = Skipped, "edits were not asked for"
		return
	}
	s.State, s.Note = p.plan.state(i)
}

// what is an action's input on one line.
func (a Action) what() string {
	switch a.Act {
	case event.ActRead:
		if a.Offset > 0 || a.Limit > 0 {
			return fmt.Sprintf("%s from line %d, %d lines", names(a.Paths), max(a.Offset, 1), a.Limit)
		}
		return names(a.Paths)
	case event.ActSearch:
		text := fmt.Sprintf("%q", a.Pattern)
		if a.Folder != "" {
			text += " in " + a.Folder.Display()
		}
		if a.Glob != "" {
			text += " (" + event.Path(a.Glob).Display() + ")"
		}
		return text
	case event.ActList:
		return event.Path(joined(a.Folder, a.Glob)).Display()
	case event.ActRun:
		return event.Path(a.Command).Display()
	case event.ActEdit:
		return fmt.Sprintf("%s (%d replacements)", names(a.Paths), len(a.Edits))
	}
	return names(a.Paths)
}

func joined(dir event.Path, name string) string {
	switch {
	case dir == "" && name == "":
		return "."
	case dir == "" || name == "":
		return string(dir) + name
	}
	return string(dir) + "/" + name
}

func names(paths []event.Path) string {
	out := ""
	for i, p := range paths {
		if i > 0 {
			out += ", "
		}
		out += p.Display()
	}
	return out
}
