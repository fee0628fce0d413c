package rank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// explain puts the reasons of a file into words: facts only, no advice. If once is true and several
// signals tell the same fact, it is said only at the strongest of those that raise the score.
func (r *Ranker) explain(ctx context.Context, rs []event.Reason, c *candidate, x *queryContext, once bool) {
	said := map[string]bool{}
	for i := range rs {
		reason := &rs[i]
		if reason.Signal == Comod.String() {
			if c.comodBy.path != "" {
				reason.Text, reason.With = r.together(ctx, x, c.comodBy.path, c.path)
				reason.Evidence = true
			}
			continue
		}
		words := x.inWords(reason.Signal, c)
		if once && said[words.Text] {
			continue
		}
		said[words.Text] = reason.Value*reason.Weight > 0
		reason.Text, reason.With, reason.Evidence = words.Text, words.With, words.Evidence
	}
}

// inWords returns a reason with the words for a signal, but without its value.
func (x *queryContext) inWords(signal string, c *candidate) event.Reason {
	about := func(words string, with event.Path) event.Reason {
		return event.Reason{Text: words + " " + with.Display(), With: with, Evidence: true}
	}
	fact := func(words string) event.Reason { return event.Reason{Text: words} }
	of := Signal(slices.Index(signalNames, signal))
	if text := plain[of]; text != "" {
		return fact(text)
	}
	switch of {
	case SessionLast, SessionBack:
		return about("opened in the same sessions as", c.coaccessBy.path)
	case AlikeRank:
		return about("shares rare identifiers with", c.alikeBy.path)
	case TermsRank:
		text := c.use() + " before with" + x.spelled(picked(x.terms, c.termBits, 3), " the word")
		return event.Reason{Text: text, Evidence: true}
	case TextCover:
		return fact("its path fits the text")
	case Text, TextShare, TextPlace, TextBody, TextDocs, TextUses, Pattern, PatternPlace:
		if len(c.said) == 0 {
			return fact("its path fits the text")
		}
		if words := x.spelled(c.said, ""); words != "" {
			return event.Reason{Text: "mentions" + words, Evidence: true}
		}
	case CallsRank:
		return event.Reason{Text: "it defines what " + c.calledBy.Display() + " uses", With: c.calledBy, Evidence: true}
	case Tags:
		return fact("used before under " + strings.Join(picked(x.tags, c.tagBits, 3), ", "))
	case Directory:
		if newest := x.newest(); newest.Dir() != c.path.Dir() {
			return about("in a folder near", newest)
		}
		return about("in the same folder as", x.newest())
	case Pair:
		return about("same stem as", x.pairedWith(c))
	case RecencyHour:
		return fact("opened " + ago(x.at, c.access))
	case Committed:
		return fact("committed " + ago(x.at, c.commit))
	}
	return event.Reason{}
}

// use returns whether a file got its words by opens or by commits, as far as that is known: the
// store has only one sum for both.
func (c *candidate) use() string {
	switch {
	case !(c.access > 0):
		return "committed"
	case !(c.commit > 0):
		return "opened"
	}
	return "opened or committed"
}

// spelled returns a heading followed by words: the given stems as the prompt spells them, else as a
// path of the repository does. A stem without a spelling is left out because it is not a word, and so
// are words that texts about anything have. If no word is left the result is "".
func (x *queryContext) spelled(stems []string, heading string) string {
	if x.spellings == nil {
		x.spellings = index.Spellings(x.prompted)
	}
	var words []string
	common := false
	for _, stem := range stems {
		word := cmp.Or(x.spellings[stem], x.inPath(stem))
		switch {
		case word == "" || slices.Contains(words, word):
		case len(index.Terms(word, 1)) == 0:
			common = true
		default:
			words = append(words, word)
		}
	}
	switch list := " " + strings.Join(words, ", "); {
	case len(words) == 0 && common:
		return ""
	case len(words) == 0:
		return " words of the session"
	case heading != "" && len(words) > 1:
		return heading + "s" + list
	default:
		return heading + list
	}
}

// inPath returns a stem as a path of the repository spells it, "" if no path has it.
func (x *queryContext) inPath(stem string) string {
	for _, p := range x.tree.Word(stem) {
		if word := index.Spellings(string(p))[stem]; word != "" {
			return word
		}
	}
	return ""
}

// plain has the reasons whose words do not depend on the question.
var plain = map[Signal]string{
	Named:     "named in the prompt",
	Mentioned: "listed by a recent result of the session", ListedFresh: "listed since the last opens",
	FolderRecent: "files of its folder were used lately",
	TermsFolder:  "files of its folder were used before with words of the text",
	AskedKind:    "the text asks for files of its kind", OfBranch: "changed on this branch",
	FreshCommitted: "among the files committed last", Topic: "fits an earlier prompt of the session",
	Churn: "committed often lately", Never: "never opened here", Uncommitted: "not committed yet",
}

// together tells how often two files changed in one commit, with counts if Options.Together is set.
// A person who asks about a single file does not get the name of that file again.
func (r *Ranker) together(ctx context.Context, x *queryContext, with, file event.Path) (string, event.Path) {
	if r.o.Together != nil {
		if t, err := r.o.Together(ctx, with, file); err == nil && t.Both > 0 {
			if len(x.files) == 1 && x.session == "" {
				return "changed together in " + t.String(), ""
			}
			if both, of := t.Recent, t.OfRecent; both > 0 && of < t.Of {
				return fmt.Sprintf("in %d of the last %d commits to %s", both, of, with.Display()), with
			}
			return fmt.Sprintf("in %d of %d commits to %s", t.Both, t.Of, with.Display()), with
		}
	}
	return "changes together with " + with.Display(), with
}

// ago returns the age of something that happened at a number of seconds since 1970.
func ago(at time.Time, stamp float64) string {
	return event.Ago(at.Sub(time.UnixMilli(int64(stamp * 1000))))
}
