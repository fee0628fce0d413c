package rank

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// explain puts words to the reasons of a file: facts only, no advice. Together is asked once at most.
func (r *Ranker) explain(ctx context.Context, rs []aoa.Reason, c *candidate, x *setting) {
	counted := false
	for i := range rs {
		// Three signals look at the same commits: the strongest of them has the words.
		if of := rs[i].Signal; of == Comod.String() || of == ComodMean.String() || of == Support.String() {
			if counted || c.comodBy.path == "" {
				continue
			}
			counted = true
			rs[i].Text = r.together(ctx, x, c.comodBy.path, c.path)
			continue
		}
		rs[i].Text = r.text(ctx, rs[i].Signal, c, x)
	}
}

func (r *Ranker) text(ctx context.Context, signal string, c *candidate, x *setting) string {
	switch signal {
	case Session.String():
		return "opened in the same sessions as " + c.coaccessBy.path.Display()
	case Successor.String():
		return "opened right after " + x.newest().Display() + " before"
	case Terms.String():
		return "opened or committed before with the words " + strings.Join(picked(x.terms, c.termBits, 3), ", ")
	case Words.String():
		return "its path has the words " + strings.Join(picked(x.terms, c.wordBits, 3), ", ")
	case Tags.String():
		return "used before under " + strings.Join(picked(x.tags, c.tagBits, 3), ", ")
	case Named.String():
		return "named in the prompt"
	case NamedBefore.String():
		return "named by an earlier prompt of the session"
	case InCommand.String():
		return "named by a command of the session"
	case Mentioned.String():
		return "listed by a recent result of the session"
	case SeenBefore.String():
		return "listed earlier in the session"
	case Directory.String():
		if newest := x.newest(); newest.Dir() != c.path.Dir() {
			return "in a folder near " + newest.Display()
		}
		return "in the same folder as " + x.newest().Display()
	case Pair.String():
		return "same stem as " + x.pairedWith(c.path).Display()
	case RecencyHour.String(), RecencyDay.String():
		return "opened " + ago(x.at, c.access)
	case Committed.String():
		return "committed " + ago(x.at, c.commit)
	case Frequency.String():
		return "opened often of late"
	case Churn.String():
		return "committed often of late"
	case Never.String():
		return "never opened here"
	}
	return ""
}

// together says how often two files changed in one commit, in counts if someone can count. With a single
// file in hand it goes without saying which one is meant.
func (r *Ranker) together(ctx context.Context, x *setting, with, file aoa.Path) string {
	name := " with " + with.Display()
	if r.o.Together != nil {
		if both, of, err := r.o.Together(ctx, with, file); err == nil && both > 0 && of >= both {
			if len(x.files) == 1 {
				name = ""
			}
			return fmt.Sprintf("changed together%s in %d of %d commits", name, both, of)
		}
	}
	return "changes together" + name
}

// ago renders an age roughly: people read it at a glance.
func ago(at time.Time, stamp float64) string {
	age := at.Sub(time.UnixMilli(int64(stamp * 1000)))
	switch {
	case age < time.Minute:
		return "just now"
	case age < time.Hour:
		return fmt.Sprintf("%d min ago", age/time.Minute)
	case age < 2*day:
		return fmt.Sprintf("%d h ago", age/time.Hour)
	}
	return fmt.Sprintf("%d days ago", age/day)
}
