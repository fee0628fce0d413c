package daemon

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/blame"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// readTime is how long an answer for a person waits for the contents of files after a start.
const readTime = time.Second

// rank answers people and tools with the plain ranking. It does not apply the rules that decide
// what is worth telling an agent.
func (d *Daemon) rank(ctx context.Context, q event.Query) (event.Answer, error) {
	d.events.SyncBriefly(ctx)
	if q.Limit < 0 || q.Limit > 100 {
		return event.Answer{}, event.BadRequest("use 1 to 100", "limit %d is out of range", q.Limit)
	}
	bounded, cancel := checkout.ForGit(ctx)
	defer cancel()
	w := d.worktrees.Asking(bounded)
	wait := readTime
	if rank.TaskOf(q) == event.TaskOpen {
		wait = 0 // The question is asked again at the next call.
	}
	reading := !w.Reader.Wait(ctx, wait)
	begin := d.now()
	q.At = begin
	var silent error
	q.Branch, silent = w.Branch(bounded)
	ans, err := w.Answer(ctx, q)
	if err != nil {
		return ans, err
	}
	if q.Prompt != "" {
		w.Places(q.Prompt, ans.Suggestions)
		ans.Unknown = d.worktrees.Unknown(q.Prompt)
		if q.Explain {
			if err := w.Earlier(ctx, q.Prompt, ans.Suggestions); err != nil {
				return ans, err
			}
		}
	}
	if rank.AsksBranch(q) || q.Prompt != "" {
		ans.Branch = q.Branch
	}
	if silent != nil {
		ans.Silent = silent.Error()
	}
	ans.Reading = ans.Reading || reading
	ans.Ms = float64(d.now().Sub(begin).Microseconds()) / 1000
	d.metrics.Ranked(d.now().Sub(begin))
	return ans, nil
}

// why returns the present arithmetic of one file.
func (d *Daemon) why(ctx context.Context, r api.WhyRequest) (api.WhyAnswer, error) {
	bounded, cancel := checkout.ForGit(ctx)
	defer cancel()
	w := d.worktrees.Asking(bounded)
	if r.File == "" {
		return api.WhyAnswer{}, event.BadRequest("aoa why FILE", "no file named")
	}
	d.events.SyncBriefly(ctx)
	reading := !w.Reader.Wait(ctx, readTime)
	r.Query.At = d.now()
	r.Query.Branch, _ = w.Branch(bounded)
	past, err := w.Asked(ctx, r.Query)
	if err != nil {
		return api.WhyAnswer{}, err
	}
	s, place, err := w.Prefetch.Why(ctx, r.Query, past, r.File)
	if err == nil && r.Query.Prompt != "" {
		shown := []event.Suggestion{s}
		err = w.Earlier(ctx, r.Query.Prompt, shown)
		s = shown[0]
	}
	return api.WhyAnswer{Suggestion: s, At: r.Query.At.UnixMilli(), Rank: place, Known: w.Tree().Has(r.File),
		Reading: reading}, err
}

// whyLine tells where lines of a file come from.
func (d *Daemon) whyLine(ctx context.Context, r api.WhyLineRequest) (api.WhyLineAnswer, error) {
	out := api.WhyLineAnswer{File: r.File, Lines: []blame.Origin{}}
	bounded, cancel := checkout.ForGit(ctx)
	defer cancel()
	w := d.worktrees.Asking(bounded)
	r.To = cmp.Or(r.To, r.From)
	text := w.Reader.Text(r.File)
	lines := bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1
	switch {
	case text != nil && w.Repo.Nested(r.File) != "":
		inner := w.Repo.Nested(r.File)
		return out, event.BadRequest("cd "+event.ShellWord(inner)+", and ask there",
			"%s is a repository of its own, whose git knows the line", event.Path(inner).Display())
	case text == nil:
		return out, event.BadRequest("name a text file of the repository", "%s is not a text file of at most 1 MB", r.File.Display())
	case len(text) == 0:
		return out, event.BadRequest("name a file with lines", "%s is empty", r.File.Display())
	case r.From < 1 || r.To < r.From || r.To > lines:
		asked := fmt.Sprintf("lines %d-%d", r.From, r.To)
		if r.From == r.To {
			asked = fmt.Sprintf("line %d", r.From)
		}
		return out, event.BadRequest(fmt.Sprintf("its lines are 1 to %d", lines), "%s has no %s", r.File.Display(), asked)
	case r.To-r.From >= blame.MaxLines:
		return out, event.BadRequest(fmt.Sprintf("ask for %d at a time", blame.MaxLines), "%d lines are too many", r.To-r.From+1)
	}
	d.events.SyncBriefly(ctx)
	find := blame.Finder{DB: d.db, Repo: w.Repo, Texts: d.sequences.Edits, Blob: w.Sequences().Blob, Now: d.now}
	found, err := find.Find(bounded, r.File, text, r.From, r.To)
	out.Lines = append(out.Lines, found...)
	return out, err
}

// check tells what a change breaks and lacks.
func (d *Daemon) check(ctx context.Context, r change.Request) (change.Answer, error) {
	bounded, cancel := checkout.ForGit(ctx)
	defer cancel()
	w := d.worktrees.Asking(bounded)
	w.Reader.Wait(ctx, readTime) // names in the lines of a change are looked up in the contents
	d.events.SyncBriefly(ctx)
	w.WaitForDiffs(bounded, readTime)
	return w.Check(bounded, r)
}
