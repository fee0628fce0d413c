package recorded

import (
	"context"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// Options are the settings of a replay. The zero value works.
type Options struct {
	Models map[event.Task]rank.Model // weights of sessions, instead of the shipped ones
	Texts  *rank.Texts               // weights of texts, instead of the shipped ones
	// whether contents of files are known, as of the last commit at that time, if a source has them
	Contents bool
	Learned  func(event.Event) // called with every event when it becomes known, in order
}

// Decision is one question with its answer and what the session did then.
type Decision struct {
	Session string
	Seq     int // number of the event before the question
	// prompt: asked at a prompt; open: after a prompt or a batch; search: after a search; change:
	// before a commit
	Query  event.Query
	Ranked []rank.Scored // candidates, the best first; Values() returns their signals

	Prompted map[event.Path]bool // task prompt: files that the prompt names
	Turn     []event.Path        // task prompt (T1): files that the turn opens
	// task open: the event before is a prompt, about which another question was asked
	AfterPrompt bool
	// task open: files that are opened for the first time now; Stratum tells whether T2 or T3 counts
	// them, and Named ones are left out
	Next   []Open
	After  []Open  // task open, after a file event: files that the next file event opens for the first time
	Search *Search // task search: the search that failed
	// the files that came true. Tasks prompt and search: those opened before the next prompt; open:
	// the file that is opened for the first time next, with those requested together with it; change:
	// the file that was left out
	Used   map[event.Path]bool
	Left   event.Path    // task change: the file that was left out, "" for a complete commit
	Warned []change.Lack // task change: the files that `aoa check` names
	// task change: the probability that the change is incomplete without each of the files
	Missing []eval.Promise

	Files   int // number of file events of the session so far
	Prompts int // number of prompts of the session so far, with this one

	// returns how the session could know about a file when the question was asked
	Stratum func(event.Path) Stratum
}

// Sessions replays a source in time order and calls each with every Decision, which is valid only
// during the call.
func Sessions(ctx context.Context, s Source, o Options, each func(*Decision) error) error {
	items, _ := timeline(s)
	label(items)
	w, err := NewWorld(ctx, s.Source, o)
	if err != nil {
		return err
	}
	defer w.Close()
	r := replay{World: w, memories: map[*track]*memory{}, each: each}
	for _, it := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.item(ctx, it); err != nil {
			return fmt.Errorf("evaluate %s: %w", s.Name, err)
		}
	}
	return nil
}

type replay struct {
	*World
	memories map[*track]*memory
	each     func(*Decision) error
}

func (r *replay) item(ctx context.Context, it item) error {
	if it.alone != nil {
		return r.Learn(ctx, *it.alone)
	}
	t := it.unit.session
	m := r.memories[t]
	if it.begins {
		if m != nil {
			return nil
		}
		m = newMemory()
		r.memories[t] = m
		if len(t.idle.next) == 0 {
			return nil
		}
		return r.open(ctx, t.idle, m, it.at) // The recording begins in the middle of a session.
	}
	if it.unit.said != nil {
		if err := r.Learn(ctx, *it.unit.said); err != nil {
			return err
		}
	}
	if err := r.Learn(ctx, it.unit.events...); err != nil {
		return err
	}
	m.learn(it.unit)
	if e := it.unit.prompt(); e != nil {
		if err := r.prompt(ctx, it.unit, m, *e); err != nil {
			return err
		}
	}
	if it.unit.place == len(t.units)-1 {
		delete(r.memories, t)
		return nil
	}
	return r.open(ctx, it.unit, m, it.at)
}

// prompt asks which files the turn will open.
func (r *replay) prompt(ctx context.Context, u *unit, m *memory, e event.Event) error {
	d := r.decision(u, m)
	d.Query = event.Query{Task: event.TaskPrompt, Session: u.session.id, Subagent: e.Subagent, Prompt: e.Text(),
		At: u.end}
	d.Turn, d.Prompted, d.Used = u.turn, event.PathSet(e.Named()), u.inTurn()
	return r.decide(ctx, d)
}

// open asks which file is opened next.
func (r *replay) open(ctx context.Context, u *unit, m *memory, at time.Time) error {
	d := r.decision(u, m)
	d.Query = event.Query{Task: event.TaskOpen, Session: u.session.id, At: at}
	d.AfterPrompt = u != u.session.idle && u.prompt() != nil
	d.Used = u.nextOpened()
	for _, v := range u.next {
		d.Next = append(d.Next, v.opens...)
	}
	for _, v := range u.after {
		d.After = append(d.After, v.opens...)
	}
	if err := r.decide(ctx, d); err != nil {
		return err
	}
	return r.search(ctx, u, m, at)
}

// search asks which file is opened next after a search that failed.
func (r *replay) search(ctx context.Context, u *unit, m *memory, at time.Time) error {
	failed := u.search()
	if failed == nil {
		return nil
	}
	d := r.decision(u, m)
	d.Query = event.Query{Task: event.TaskSearch, Session: u.session.id, At: at}
	d.Search, d.Used = failed, u.inTurn()
	return r.decide(ctx, d)
}

func (r *replay) decision(u *unit, m *memory) *Decision {
	t := u.session
	d := &Decision{Session: t.id, Seq: -1, Stratum: m.Stratum,
		Used:  map[event.Path]bool{},
		Files: u.files, Prompts: u.prompts}
	if u != t.idle {
		d.Seq = u.seqs[len(u.seqs)-1]
	}
	return d
}

// inTurn returns the files that the session opens before its next prompt.
func (u *unit) inTurn() map[event.Path]bool {
	t, end := u.session, len(u.session.opened)
	for _, v := range t.units[u.place+1:] {
		if v.prompt() != nil {
			end = v.files
			break
		}
	}
	return event.PathSet(t.opened[min(u.files, end):end])
}

// nextOpened returns the next files that the session opens for the first time.
func (u *unit) nextOpened() map[event.Path]bool {
	from := 0
	if u != u.session.idle {
		from = u.place + 1
	}
	out := map[event.Path]bool{}
	for _, v := range u.session.units[from:] {
		for _, o := range v.opens {
			out[o.File] = true
		}
		if len(v.opens)+v.created > 0 {
			break
		}
	}
	return out
}

func (r *replay) decide(ctx context.Context, d *Decision) error {
	ranking, err := r.Ask(ctx, d.Query)
	if err != nil {
		return err
	}
	d.Ranked = ranking.Files
	return r.each(d)
}
