package change

import (
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/watcher"
)

// Answer says what a change breaks and which files it lacks.
type Answer struct {
	Files []event.Path `json:"files"` // the files of the change
	// why the change is not checked, for example "a merge is in progress"
	Silent string `json:"silent,omitempty"`

	Broken     []index.Broken `json:"broken"`                // uses of names that the change removes, by file and line
	MoreBroken int            `json:"more_broken,omitempty"` // more uses that are not listed

	// files that are probably missing in the change, the most likely first, at most five
	Missing     []Lack `json:"missing"`
	MoreMissing int    `json:"more_missing,omitempty"` // more files that are not listed

	// Usual lists files that would be in Missing if they did not change with nearly everything:
	// changelogs, manifests, lock files, and files that change about as often without With as with
	// it. They are not counted as findings.
	Usual []Lack `json:"usual"`

	// the differences of earlier commits are still being read: a later answer may differ
	Reading bool `json:"reading,omitempty"`

	Companions *prefetch.Candidates `json:"-"` // the source of Missing and Usual; nil if the change is not checked

	// lines of the file of exceptions that cannot be understood, as "file:line: why"
	Unread []string `json:"unread,omitempty"`
}

// Lack is a file that is probably missing in a change, with the line for the file of exceptions
// that would suppress it.
type Lack struct {
	prefetch.Lack
	Exception string `json:"exception"`
}

// Because returns the reason why a file is called missing, with the counts. show formats a path for
// the reader.
func (l Lack) Because(show func(event.Path) string) string {
	return fmt.Sprintf("changed with %s in %d of %d commits", show(l.With), l.Both, l.Of)
}

// Findings returns the number of findings, including those that are not listed.
func (a *Answer) Findings() int {
	return len(a.Broken) + a.MoreBroken + len(a.Missing) + a.MoreMissing
}

// Candidates returns the files that a hint may name as companions of the change: exactly those in
// Missing.
func (a *Answer) Candidates() *prefetch.Candidates {
	lacks := make([]prefetch.Lack, 0, len(a.Missing))
	for _, l := range a.Missing {
		lacks = append(lacks, l.Lack)
	}
	return a.Companions.Lacking(lacks)
}

// Limits of an answer.
const (
	maxMissing = 5  // files that are listed
	maxUsual   = 20 // most files in Usual, so that they fit in one line
)

// Check returns what a change breaks and lacks. The error is ErrRange, ErrCommit, an error of git
// or of ctx.
func (c *Checkout) Check(ctx context.Context, r Request) (Answer, error) {
	a := Answer{Files: []event.Path{}, Broken: []index.Broken{}, Missing: []Lack{}, Usual: []Lack{}}
	s, err := c.scopeOf(ctx, r)
	if err != nil {
		return a, err
	}
	if a.Files, a.Silent = s.files, s.silent; s.silent != "" {
		return a, nil
	}
	commits, err := c.Commits(ctx, s.commits)
	if err != nil {
		return a, err
	}
	a.Companions = c.Prefetch.Companions(event.Query{Files: s.asked, At: c.Now()},
		history.Past{Commits: commits, Diffs: Diffs(s.changed), Text: s.world.Text}, s.exists)
	lacks := slices.DeleteFunc(a.Companions.Lacks(c.Prefetch.Sure()), func(l prefetch.Lack) bool { return s.own[l.File] })
	rules := Rules{changed: s.unstaged}
	rules.exceptions, a.Unread = exceptions(c.Repo.Root, r.Range == "", s.hidden)
	broken, more := s.world.BrokenBy(s.changed)
	if rules.written, err = c.Repo.ByAttribute(ctx, named(broken, lacks)); err != nil {
		return a, err
	}
	broken = slices.DeleteFunc(broken, func(b index.Broken) bool { return rules.written[b.File] })
	a.Broken, a.MoreBroken = append(a.Broken, broken...), more
	missing, everything := rules.Findings(lacks)
	a.MoreMissing = max(0, len(missing)-maxMissing)
	a.Missing = append(a.Missing, missing[:len(missing)-a.MoreMissing]...)
	for i := range a.Missing {
		a.Companions.Locate(&a.Missing[i].Lack)
	}
	a.Usual = append(a.Usual, everything[:min(len(everything), maxUsual)]...)
	return a, nil
}

// Diffs returns the differences of the files of a change.
func Diffs(changed []index.Changed) map[event.Path]index.Sketch {
	out := make(map[event.Path]index.Sketch, len(changed))
	for _, f := range changed {
		if f.Sketch != nil {
			out[f.Path] = f.Sketch
		}
	}
	return out
}

// Rules are a repository's own rules: which files never belong together, and which files are
// generated. The zero value has none.
type Rules struct {
	exceptions map[pair]bool
	written    map[event.Path]bool
	changed    map[event.Path]bool // files that are changed on disk, but not in a change that is staged
}

// RulesOf reads the current rules of a repository. lacks must include everything that Findings will
// be called with.
func RulesOf(ctx context.Context, repo *watcher.Repo, lacks []prefetch.Lack) (r Rules, err error) {
	r.exceptions, _ = exceptions(repo.Root, true, func(event.Path) []byte { return nil })
	r.written, err = repo.ByAttribute(ctx, named(nil, lacks))
	return r, err
}

// Findings divides lacks into files that a check reports as missing and files that change with
// everything, both in the order of lacks. Files that the rules explain are in neither.
func (r Rules) Findings(lacks []prefetch.Lack) (missing, everything []Lack) {
	for _, l := range lacks {
		x := Lack{l, line(l.With, l.File)}
		switch {
		case r.written[l.File], r.exceptions[pair{l.With, l.File}], byItsTest(l) && !r.changed[l.File]:
		case l.Usual:
			everything = append(everything, x)
		default:
			missing = append(missing, x)
		}
	}
	return missing, everything
}

// byItsTest reports whether a test is the evidence that a source is missing. Nobody who edits a test
// forgets to edit the source, but somebody may forget to stage it. In 18 histories this drops a fifth of
// the reports about complete commits, and one in forty of the left-out files that are named.
func byItsTest(l prefetch.Lack) bool {
	return index.KindOf(l.With) == index.KindTest && index.KindOf(l.File) == index.KindSource
}

// named returns the files of all findings, each once.
func named(broken []index.Broken, lacks []prefetch.Lack) (out []event.Path) {
	for _, b := range broken {
		out = append(out, b.File)
	}
	for _, l := range lacks {
		out = append(out, l.File)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
