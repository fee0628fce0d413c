package prefetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/rank"
)

// Limits for a question about a change.
const (
	loggedFiles    = 16  // newest files of the change, which the event of a hint keeps
	mostCompanions = 192 // companions that are returned at most
)

// Lack is a file that usually changes with a change and is missing from it, with evidence that a
// person can check: counts of commits, and commits to look at.
type Lack struct {
	File           event.Path `json:"file"`
	Score          float64    `json:"score"` // probability that the change is incomplete without the file
	event.Together            // with the file of the change that is the strongest evidence
	// the newest commits that changed both files, at most two, by nine digits of their ids
	Commits []string `json:"commits"`

	// Precedents are at most two earlier commits that changed both files and changed With most
	// similarly to this change, each given by nine digits of its id. There may be none.
	Precedents     []string `json:"precedents,omitempty"`
	MorePrecedents int      `json:"more_precedents,omitempty"` // number of further precedents
	// the place in the file that these commits changed, if the file still has it; see
	// Candidates.Locate
	event.Place

	// number of commits, of the newest 800 in the repository, that did not change With …
	Without   int `json:"without"`
	OfWithout int `json:"of_without"` // … and how many of these changed the file

	Usual bool `json:"-"` // it changes with almost everything, so it is not called missing

	candidate *Candidate // the file among the candidates
}

// LeastShared is the number of commits that two files must share before one of them is named as
// missing. A single common commit may be chance.
const LeastShared = 2

// leastMissing is the probability below which a file is never named as missing.
const leastMissing = 0.20

// shownCommits is the number of commits that are shown with the counts of a Lack.
const shownCommits = 2

// companions has the evidence of the commits about the files that usually change with a change.
type companions struct {
	change  []event.Path
	found   []history.Companion // by Candidate.Place
	past    history.Past
	weights *history.Weights
}

// Companions returns the files that usually change together with the change that a question is
// about: the files that the question names, or those that its session has edited since its prompt.
// exists reports whether a file exists.
func (p *Prefetcher) Companions(q event.Query, past history.Past, exists func(event.Path) bool) *Candidates {
	if len(q.Files) == 0 && q.Current == "" && q.Session != "" {
		q.Files = p.sessions.Get(q.Session, q.At).Edited()
	}
	if past.Commits == nil {
		past.Commits = &history.Commits{}
	}
	b := &companions{change: ChangeOf(q), past: past}
	b.found, b.weights = past.Companions(p.o.Weights, b.change, exists, mostCompanions)
	own := p.Learned()
	files := make([]Candidate, 0, len(b.found))
	for i := range b.found {
		f := &b.found[i]
		x := Candidate{Place: i, File: f.File, Class: OfChange, Scale: own.adjust(OfChange, rank.Uncalibrated), Unseen: true,
			with: f.With, Shipped: rank.Uncalibrated.Probability(f.LogOdds)}
		x.P = x.Scale.Probability(f.LogOdds)
		x.missing = b.weights.Missing.Probability(f, logOdds(x.P), len(b.change))
		files = append(files, x)
	}
	return &Candidates{files: files, query: q, beside: b}
}

// ChangeOf returns the files of the change that a question is about, the newest last.
func ChangeOf(q event.Query) []event.Path {
	files := slices.DeleteFunc(slices.Clone(q.Files), func(f event.Path) bool { return f == q.Current })
	if q.Current != "" {
		files = append(files, q.Current)
	}
	return files
}

// A file is usual, which means that it changes with almost everything, if it changes in at least
// usualEver of the commits without a file of the change, and if this share is at least usualShare
// of its share in the commits with that file. With fewer than usualLeast commits to compare with,
// no file is usual.
const (
	usualShare = 0.5
	usualEver  = 0.2
	usualLeast = 20
)

// usual reports whether a companion changes with almost everything, so that it is listed apart and
// never called missing: it changes about as often without the file of the change as with it, or it
// is a changelog, a manifest or a lock file.
//
// But if the file of the change is one of these itself, the other one is an ordinary companion: a
// version that is new in nine of ten manifests lacks the tenth. In 14 histories such companions are
// three quarters of all that a check names, and as often right as others. Lock files without a
// manifest ask for nothing, because tools renew them alone.
func (b *companions) usual(x *Candidate) bool {
	if x.File.Upkeep() {
		return !x.with.Upkeep() || x.with.Lock() && !slices.ContainsFunc(b.change, asksForUpkeep)
	}
	n, of := b.past.Commits.Without(x.with, x.File)
	return changesAnyway(b.together(x), n, of)
}

func asksForUpkeep(f event.Path) bool { return f.Upkeep() && !f.Lock() }

// changesAnyway reports whether a file changes about as often without the file t.With as with it. Of
// "of" commits without that file, n changed it.
func changesAnyway(t event.Together, n, of int) bool {
	without := float64(n) / float64(max(of, 1))
	return of >= usualLeast && without >= usualEver && without >= usualShare*float64(t.Both)/float64(max(t.Of, 1))
}

// together returns the counts of commits for a candidate and the file of the change next to it.
func (b *companions) together(x *Candidate) event.Together {
	return b.past.Commits.Count(x.with, x.File)
}

// Lacking returns the candidates for a hint about missing files: those in lacks, which package
// change has left, and further ones that are only probable enough to be logged.
func (c *Candidates) Lacking(lacks []Lack) *Candidates {
	out := *c
	out.files = nil
	for i := range c.files {
		x := c.files[i]
		x.lacking = slices.ContainsFunc(lacks, func(l Lack) bool { return l.File == x.File })
		if x.lacking || max(x.P, x.Shipped) >= Floor && c.beside.together(&x).Both >= LeastShared {
			out.files = append(out.files, x)
		}
	}
	return &out
}

// Lacks returns the files that the change lacks, the most probable first: companions that share two
// commits with a file of the change and without which the change is incomplete with at least the
// probability least.
func (c *Candidates) Lacks(least float64) (out []Lack) {
	for i := range c.files {
		x := &c.files[i]
		if x.P < leastMissing {
			break
		}
		if x.missing < least {
			continue
		}
		if t := c.beside.together(x); t.Both >= LeastShared {
			past := &c.beside.past
			l := Lack{File: x.File, Score: x.missing, Together: t, candidate: x,
				Commits: past.Commits.Together(t.With, x.File, shownCommits)}
			l.Without, l.OfWithout = past.Commits.Without(t.With, x.File)
			l.Usual = c.beside.usual(x)
			l.Precedents, l.MorePrecedents = past.Commits.Precedents(&c.beside.found[x.Place], shownCommits)
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b Lack) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// Locate sets l.Place, the place in the file that its precedents changed. It reads the file, so
// call it only for files that are shown.
func (c *Candidates) Locate(l *Lack) { l.Place = c.place(l.candidate) }

// place returns the place in a companion that its precedents changed. It reads the file.
func (c *Candidates) place(x *Candidate) event.Place {
	switch {
	case x.sides[1] != nil:
		return c.begun.beside.place(x.sides[1])
	case c.beside != nil:
		return c.beside.past.Place(&c.beside.found[x.Place])
	}
	return event.Place{}
}

// located returns a suggestion with the place that will change, if x is a companion.
func (c *Candidates) located(ctx context.Context, x *Candidate, explain bool) event.Suggestion {
	s := c.suggestion(ctx, x, explain)
	if at := c.place(x); at.Line > 0 {
		s.Place = at
	}
	return s
}

// suggestion returns a companion as people and agents get it. With all, it has all reasons; with
// names, the first reason names the file of the change that is the strongest evidence.
func (b *companions) suggestion(x *Candidate, all, names bool) event.Suggestion {
	found := &b.found[x.Place]
	t := b.together(x)
	s := event.Suggestion{File: x.File, Score: x.P, Logit: found.LogOdds, Scale: x.Scale, Unseen: true}
	if t.Both > 0 {
		s.Together = &t
	}
	if t.Both < LeastShared { // a single common commit may be chance
		s.Link = linkOf(&found.Facts)
	}
	terms := b.weights.Terms(&found.Facts)
	for f, value := range found.Facts {
		if value*terms[f] != 0 {
			s.Reasons = append(s.Reasons, event.Reason{Signal: history.Fact(f).String(), Value: value, Weight: terms[f],
				Text: factTexts[f]})
		}
	}
	slices.SortStableFunc(s.Reasons, rank.Stronger)
	if t.Both > 0 {
		s.Precedents, _ = b.past.Commits.Precedents(found, shownCommits)
	}
	if len(s.Reasons) == 0 {
		return s
	}
	// The first reason carries the text for people, so it is the strongest fact that connects the
	// two files. Counts of commits go with a fact about commits, if there is one in favor of the
	// file.
	speaks := func(r event.Reason) bool { return r.Weight*r.Value > 0 }
	ofCommits := func(r event.Reason) bool { return t.Both > 0 && speaks(r) && slices.Contains(counted, r.Signal) }
	i := slices.IndexFunc(s.Reasons, ofCommits)
	if i < 0 {
		i = slices.IndexFunc(s.Reasons, func(r event.Reason) bool {
			return speaks(r) && !slices.Contains(unlinked, r.Signal)
		})
	}
	if i < 0 {
		i = max(0, slices.IndexFunc(s.Reasons, speaks))
	}
	r := s.Reasons[i]
	s.Reasons = slices.Insert(slices.Delete(s.Reasons, i, i+1), 0, evidence(r, found, t, names, s.Precedents))
	if !all {
		s.Reasons = s.Reasons[:1]
	}
	return s
}

// evidence returns a reason with a text that tells in one sentence why a companion belongs to the
// change.
func evidence(r event.Reason, f *history.Companion, t event.Together, names bool, precedents []string) event.Reason {
	switch link := linkOf(&f.Facts); {
	case t.Both > 0:
		r.Text = "changed together"
		if names {
			r.Text, r.With = r.Text+" with "+f.With.Display(), f.With
		}
		r.Text += " in " + t.String()
		if len(precedents) > 0 {
			r.Text += " (like this one: " + precedents[0] + ")"
		}
	case f.Facts[history.Name] > 0:
		r.Text, r.With = "same stem as "+f.With.Display(), f.With
	case link != "":
		r.Text, r.With = link+": "+f.With.Display(), f.With
	case f.Facts[history.Folder] > 0:
		r.Text, r.With = "in the same folder as "+f.With.Display(), f.With
	default:
		r.Text = "changed lately"
	}
	return r
}

// saidLink is the least value of a connection that is mentioned. This means, for Stem, half of the
// rare words of a name; for Calls, one name that only the other file defines; for Linked, an import
// that may mean at most two files.
const saidLink = 0.5

// How names and contents connect two files, the strongest first.
const (
	linkStem    = "same stem"
	linkPath    = "one names the other"
	linkUses    = "shares definitions"
	linkSimilar = "similar name"
	linkFolder  = "same folder"
)

// linkOf returns how names and contents connect two files, in words, "" if they do not.
func linkOf(x *history.Facts) string {
	switch {
	case x[history.Name] > 0:
		return linkStem
	case x[history.Path] > 0:
		return linkPath
	case x[history.Linked] >= saidLink, x[history.Calls] >= saidLink:
		return linkUses
	case x[history.Stem] >= saidLink:
		return linkSimilar
	case x[history.Sibling] > 0:
		return linkFolder
	}
	return ""
}

// unlinked are the facts that do not connect a file with the change.
var unlinked = []string{history.Always.String(), history.Number.String(), history.Alone.String(),
	history.Prose.String(), history.Data.String(), history.Chance.String()}

// counted are the facts that are computed from common commits.
var counted = []string{history.Common.String(), history.Lately.String(), history.Small.String(), history.Sized.String(),
	history.Keeps.String(), history.Like.String()}

// factTexts has each fact in words.
var factTexts = [history.NumFacts]string{
	history.Common:  "share of the commits with that file",
	history.Lately:  "whether that share rose or fell lately",
	history.Name:    "same stem",
	history.Folder:  "same folder",
	history.Fresh:   "changed lately",
	history.Number:  "how many commits that file has",
	history.Small:   "share of the commits of at most 3 files",
	history.Like:    "similar earlier changes of that file",
	history.Words:   "its earlier changes share words with this one",
	history.Sized:   "share of the commits, small ones weighing more",
	history.Keeps:   "changed lately, and often together",
	history.Stem:    "words of the name",
	history.Sibling: "same small folder",
	history.Calls:   "one uses what the other defines",
	history.Path:    "one names the path of the other",
	history.Linked:  "one imports or uses the other, and there are few commits",
	history.Chance:  "one commit may be chance",
	history.Prose:   "a document",
	history.Data:    "data or settings",
	history.Others:  "the other files of the change point to it, too",
	history.Alike:   "commits of similar files changed it",
	history.Alone:   "it is the only file of the change",
}
