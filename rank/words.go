package rank

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// explain puts words to the reasons of a file: facts only, no advice. Together is asked once at most.
func (r *Ranker) explain(ctx context.Context, rs []event.Reason, c *candidate, x *setting) {
	counted := false
	for i := range rs {
		// Several signals look at the same commits: the strongest of them has the words.
		if ofCommits[rs[i].Signal] {
			if counted || c.comodBy[byHand].path == "" {
				continue
			}
			counted = true
			rs[i].Text = r.together(ctx, x, c.comodBy[byHand].path, c.path)
			continue
		}
		rs[i].Text = r.text(ctx, rs[i].Signal, c, x)
	}
}

// ofCommits are the signals of what changed together with the files in hand.
var ofCommits = map[string]bool{Comod.String(): true, ComodRank.String(): true, ComodMean.String(): true, ComodBack.String(): true, Support.String(): true}

func (r *Ranker) text(ctx context.Context, signal string, c *candidate, x *setting) string {
	of, known := signalOf(signal)
	if !known {
		return ""
	}
	for l := range links {
		switch of {
		case sessionOf[l]:
			return "opened in the same sessions as " + c.coaccessBy[l].path.Display()
		case comodOf[l]:
			return "changes together with " + c.comodBy[l].path.Display()
		case alikeOf[l]:
			return "shares rare identifiers with " + c.alikeBy[l].path.Display()
		}
	}
	if text := plain[of]; text != "" {
		return text
	}
	switch of {
	case SessionRank, SessionLast, SessionBack:
		return "opened in the same sessions as " + c.coaccessBy[byHand].path.Display()
	case ComodRank:
		return "changes together with " + c.comodBy[byHand].path.Display()
	case AlikeRank:
		return "shares rare identifiers with " + c.alikeBy[byHand].path.Display()
	case Successor:
		return "opened right after " + x.newest().Display() + " before"
	case Terms, TermsRank:
		return "opened or committed before with the words " + strings.Join(picked(x.terms, c.termBits, 3), ", ")
	case Text, TextShare, TextPlace, Pattern, PatternPlace:
		return "it says " + strings.Join(x.spelled(c.said), ", ")
	case Calls:
		return "it defines what " + c.calledBy.Display() + " uses"
	case Tags:
		return "used before under " + strings.Join(picked(x.tags, c.tagBits, 3), ", ")
	case Directory:
		if newest := x.newest(); newest.Dir() != c.path.Dir() {
			return "in a folder near " + newest.Display()
		}
		return "in the same folder as " + x.newest().Display()
	case Pair:
		return "same stem as " + x.pairedWith(c).Display()
	case RecencyHour, RecencyDay, RecencyRank:
		return "opened " + ago(x.at, c.access)
	case Committed:
		return "committed " + ago(x.at, c.commit)
	}
	return ""
}

// spelled returns stems as the prompt writes them.
func (x *setting) spelled(stems []string) []string {
	if x.spellings == nil {
		x.spellings = index.Spellings(x.prompted)
	}
	out := make([]string, len(stems))
	for i, stem := range stems {
		out[i] = cmp.Or(x.spellings[stem], stem)
	}
	return out
}

// plain are the reasons that are the same whatever the question.
var plain = map[Signal]string{
	Named: "named in the prompt", NamedBefore: "named by an earlier prompt of the session",
	InCommand: "named by a command of the session",
	Mentioned: "listed by a recent result of the session", SeenBefore: "listed earlier in the session",
	ListedRecent: "listed by a recent result of the session",
	ListedAgo:    "in a recent list of the session", ListedFew: "one of few in a recent list",
	ContentAlone: "one of few named by what was read",
	ListedPlace:  "high in a recent list of the session",
	ListedLast:   "in the newest list of the session", ListedTurn: "listed since the prompt", ListedOften: "listed often in the session",
	ContentRecent: "named by what was read lately",
	NamedPair:     "same stem as a file named in the prompt",
	FolderShare:   "in a folder that the session works in", FolderRecent: "in a folder in use of late",
	Kin: "its name has words of the name of a file in hand", KindShare: "of the kind that the session works on",
	LateTest: "a test, and files were edited since the prompt", EarlyDocument: "a document, and the turn has just begun",
	FreshCommitted: "among the files committed last",
	Sessions:       "opened in many sessions", ListedLeft: "one of few files of a list that are not open yet", ListedFresh: "listed since the last opens",
	ListedTurns: "listed again and again since the prompt", ListedSkipped: "passed over in a list",
	Frequency: "opened often of late", Churn: "committed often of late", Never: "never opened here", Uncommitted: "not committed yet",
}

// together says how often two files changed in one commit, in counts if someone can count. With a single
// file in hand it goes without saying which one is meant.
func (r *Ranker) together(ctx context.Context, x *setting, with, file event.Path) string {
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
