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

// Answer is a change, what it breaks and what it lacks.
type Answer struct {
	Files  []event.Path `json:"files"`            // of the change
	Silent string       `json:"silent,omitempty"` // why nothing is said of it, as "a merge is in progress"

	Broken     []index.Broken `json:"broken"`                // what still uses what the change removes, by file and line
	MoreBroken int            `json:"more_broken,omitempty"` // further ones that are not listed

	Missing     []Lack `json:"missing"`                // files that the change lacks, the likeliest first, at most five
	MoreMissing int    `json:"more_missing,omitempty"` // further ones that are not listed

	// Usual are files that would be Missing if they did not change with nearly everything:
	// changelogs, manifests, lock files, and files that change about as often without With as with
	// it. They do not count as findings.
	Usual []Lack `json:"usual"`

	// what earlier commits changed is still being read: a later answer may be another one
	Reading bool `json:"reading,omitempty"`

	Companions *prefetch.Candidates `json:"-"` // what Missing and Usual were taken from; nil if nothing is said

	Unread []string `json:"unread,omitempty"` // lines of the file of exceptions that say nothing, as "file:line: why"
}

// Lack is a file that the change lacks, with the line of the file of exceptions that would silence
// it.
type Lack struct {
	prefetch.Lack
	Exception string `json:"exception"`
}

// Because is why a file is missing: the counts that say so. show prints a path as the reader sees
// it.
func (l Lack) Because(show func(event.Path) string) string {
	return fmt.Sprintf("changed with %s in %d of %d commits", show(l.With), l.Both, l.Of)
}

// Findings is how many findings the answer has, those that are not listed included.
func (a *Answer) Findings() int {
	return len(a.Broken) + a.MoreBroken + len(a.Missing) + a.MoreMissing
}

// Candidates returns the files that a hint may name as going with the change: exactly those in
// Missing.
func (a *Answer) Candidates() *prefetch.Candidates {
	lacks := make([]prefetch.Lack, 0, len(a.Missing))
	for _, l := range a.Missing {
		lacks = append(lacks, l.Lack)
	}
	return a.Companions.Lacking(lacks)
}

// Bounds of an answer.
const (
	maxMissing = 5  // files that are listed
	maxUsual   = 20 // files of Usual; more would be no line
)

// Check says what a change breaks and lacks. Errors: ErrRange, ErrCommit, those of git and of ctx.
func (c *Checkout) Check(ctx context.Context, r Request) (Answer, error) {
	a := Answer{Files: []event.Path{}, Broken: []index.Broken{}, Missing: []Lack{}, Usual: []Lack{}}
	s, err := c.scopeOf(ctx, r)
	if err != nil {
		return a, err
	}
	if a.Files, a.Silent = s.files, s.silent; s.silent != "" {
		return a, nil
	}
	commits, err := c.Commits(ctx)
	if err != nil {
		return a, err
	}
	a.Companions = c.Prefetch.Companions(event.Query{Files: s.asked, At: c.Now()},
		history.Past{Commits: commits, Diffs: Diffs(s.changed), Text: s.world.Text}, s.exists)
	lacks := slices.DeleteFunc(a.Companions.Lacks(c.Prefetch.Sure()), func(l prefetch.Lack) bool { return s.own[l.File] })
	var rules Rules
	rules.exceptions, a.Unread = c.exceptions(r, &s)
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

// Diffs says what the files of a change change.
func Diffs(changed []index.Changed) map[event.Path]index.Sketch {
	out := make(map[event.Path]index.Sketch, len(changed))
	for _, f := range changed {
		if f.Sketch != nil {
			out[f.Path] = f.Sketch
		}
	}
	return out
}

// Rules are a repository's own rules: which files never belong together, and which are written by
// programs. The zero value has none.
type Rules struct {
	exceptions map[pair]bool
	written    map[event.Path]bool
}

// RulesOf reads the rules of a repository as they are now. lacks are all that Findings will be
// asked about.
func RulesOf(ctx context.Context, repo *watcher.Repo, lacks []prefetch.Lack) (r Rules, err error) {
	c := Checkout{Repo: repo}
	r.exceptions, _ = c.exceptions(Request{}, &scope{hidden: func(event.Path) []byte { return nil }})
	r.written, err = repo.ByAttribute(ctx, named(nil, lacks))
	return r, err
}

// Findings returns the lacks that a check names as missing, and those that change with everything,
// in the order of lacks. It leaves out lacks that the rules explain.
func (r Rules) Findings(lacks []prefetch.Lack) (missing, everything []Lack) {
	for _, l := range lacks {
		x := Lack{l, line(l.With, l.File)}
		switch {
		case r.written[l.File], r.exceptions[pair{l.With, l.File}]:
		case prefetch.Usual(l.File, l.Together, l.Without, l.OfWithout):
			everything = append(everything, x)
		default:
			missing = append(missing, x)
		}
	}
	return missing, everything
}

// named are the files of findings, each once.
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
