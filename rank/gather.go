package rank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// gathered is a question with its candidates, all their values filled in.
type gathered struct {
	model   Model
	context *queryContext
	pool    *pool
}

// reads are the futures of one question.
type reads struct {
	session             *session.Session
	comod, coaccess     []*hot.Ranked // of the current files
	changes             *hot.Values   // the same
	sessions            *hot.Values   // of the newest of them
	termFiles, tagFiles []*hot.Ranked
	termFreq            *hot.Values
	opened, committed   *hot.Ranked // the newest stamps
}

// gather makes two round trips, or three if the current files must first be read from the session:
// one for partner sets, then one for the stored scores of the remaining candidates. forced stays a
// candidate in any case.
func (r *Ranker) gather(ctx context.Context, q event.Query, forced event.Path) (*gathered, error) {
	if q.At.IsZero() {
		return nil, ErrNoTime
	}
	tree, ofBranch := r.tree(), AsksBranch(q)
	if ofBranch {
		q = aboutBranch(q)
	}
	task, text := TaskOf(q), index.ParseText(q.Prompt)
	model, ok := r.models[modelOf(q, ofBranch, task, text)]
	if !ok {
		return nil, fmt.Errorf("rank: unknown task %q: use prompt or open", task)
	}
	x := &queryContext{at: q.At, session: q.Session, files: filesOf(q), tags: tagsOf(q), tree: tree,
		contents: r.o.Contents(), read: r.o.Read, stored: r.o.Words,
		labels: &r.labels, ofBranch: ofBranch}
	var in reads
	if q.Session != "" {
		in.session = r.sessions.Get(q.Session, q.At)
		if len(q.Files) == 0 {
			x.files = x.inSession(in.session)
		}
		x.remember(in.session)
	}
	if in.session != nil && task == event.TaskPrompt && event.Brief(q.Prompt) {
		x.goesOn = in.session.Said
	}
	x.ask(q, text, in.session)
	wanted := model.read()
	r.readTexts(x, q, in.session, text, wanted)
	x.lead(q, task)
	view := r.store.View(q.At)
	in.partners(view, x, wanted)
	if err := view.Load(ctx); err != nil {
		return nil, fmt.Errorf("read partners: %w", err)
	}
	spoken := ofBranch || q.Prompt == "" || speaksOfChange(q.Prompt)
	if !spoken {
		x.setApart(q.Branch, in.committed)
	}
	x.head = in.head(q.At)
	x.recent, x.commits = in.opened, in.committed
	p := newPool()
	if forced != "" {
		p.get(forced)
	}
	in.collect(p, x)
	fromTree(p, x, q, task)
	x.relatives(p)
	x.addContents(p)
	if wanted[OfBranch] != 0 && spoken {
		x.branch = branchPlaces(q.Branch)
		for _, f := range q.Branch.Files {
			p.get(f)
		}
	}
	may := x.wanted(q)
	p.keep(func(f event.Path) bool { return f == forced || may(f) && tree.Has(f) })
	x.fresh = x.listings()
	for _, c := range p.list {
		c.fill(x)
	}
	x.ranks(p)
	p.cut(maxScored, model, forced)
	if err := r.score(ctx, p, x, wanted); err != nil {
		return nil, err
	}
	return &gathered{model: model, context: x, pool: p}, nil
}

// TaskOf is the task a query means when it does not say.
func TaskOf(q event.Query) event.Task {
	switch {
	case q.Task != "":
		return q.Task
	case q.Prompt != "":
		return event.TaskPrompt
	case q.Session == "" && (len(q.Files) > 0 || q.Current != ""):
		return event.TaskChange
	}
	if q.Session == "" {
		return event.TaskPrompt // there are no current files: with what does work begin?
	}
	return event.TaskOpen
}

// Prompts outside of sessions have weights of their own: the text and the history are all that is
// known.
const (
	taskText  event.Task = "text"  // a short text
	taskIssue event.Task = "issue" // a long one
)

// Questions that say nothing, on a branch, have weights of their own.
const (
	taskBranch event.Task = "branch"      // that has changed files
	taskName   event.Task = "branch_name" // that has only a name
)

// modelOf is the task whose weights hold.
func modelOf(q event.Query, ofBranch bool, task event.Task, prompt index.Text) event.Task {
	switch {
	case ofBranch && len(q.Branch.Files) > 0:
		return taskBranch
	case ofBranch:
		return taskName
	case task != event.TaskPrompt || q.Session != "" || q.Prompt == "":
		return task
	case kindOfText(prompt) == longText:
		return taskIssue
	}
	return taskText
}

// filesOf are the current files, the current one last.
func filesOf(q event.Query) []event.Path {
	files := make([]event.Path, 0, len(q.Files)+1)
	for _, f := range q.Files {
		if f != q.Current && f != "" {
			files = append(files, f)
		}
	}
	if q.Current != "" {
		files = append(files, q.Current)
	}
	return bound(files, contextFiles)
}

// inSession are the current files of a session and the current one: those it opened last.
func (x *queryContext) inSession(s *session.Session) []event.Path {
	return bound(append(s.Files(), x.files...), contextFiles)
}

// wanted tells which files may be suggested: no current file, no file that the session has open,
// and images and programs only by name.
func (x *queryContext) wanted(q event.Query) func(event.Path) bool {
	current := make(map[event.Path]bool, len(q.Files)+len(x.files)+1)
	current[q.Current] = true
	for _, f := range slices.Concat(q.Files, x.files) {
		current[f] = !x.ofBranch
	}
	return func(f event.Path) bool {
		return !current[f] && !has(x.open, f) && (x.labels.get(f).file != index.KindBinary || slices.Contains(x.byName, f))
	}
}

// bound keeps the newest n different files.
func bound(files []event.Path, n int) []event.Path {
	out := make([]event.Path, 0, n)
	for i := len(files) - 1; i >= 0 && len(out) < n; i-- {
		if !slices.Contains(out, files[i]) {
			out = append(out, files[i])
		}
	}
	slices.Reverse(out)
	return out
}

func tagsOf(q event.Query) []string {
	var out []string
	for _, t := range q.Tags {
		if t = strings.TrimPrefix(t, "#"); t != "" && !slices.Contains(out, t) && len(out) < maxQueryTags {
			out = append(out, t)
		}
	}
	return out
}

// ask takes the words of the question: those of the prompt, else of the session's current prompt,
// and the rarest of them, which are looked up. Without a prompt the newest patterns and commands
// have to do.
func (x *queryContext) ask(q event.Query, prompt index.Text, s *session.Session) {
	switch {
	case q.Prompt != "":
		x.words = x.stored(index.Terms(q.Prompt, event.MaxTerms))
		x.addSaid(prompt)
	case s != nil && len(s.Prompt.Words) > 0:
		x.words, x.idents = slices.Clone(s.Prompt.Words), s.Prompt.Idents
	case s != nil:
		words := s.Words()
		x.words = words[max(0, len(words)-maxTerms):]
	}
	x.words = x.words[:min(len(x.words), event.MaxTerms+event.MaxSaid)]
	// A word that no path has may still be known to the store: it comes after those that some path
	// has.
	slices.SortStableFunc(x.words, func(a, b string) int {
		return cmp.Compare(rarity(x.tree, a), rarity(x.tree, b))
	})
	x.terms = x.words[:min(len(x.words), maxTerms)]
	if q.Prompt == "" || x.saysMore() {
		prompt = index.TextOf(x.words, nil)
	}
	x.asked = x.askedBy(prompt, x.words)
	if q.Task == event.TaskPrompt || q.Prompt != "" || len(x.patterns) == 0 {
		return
	}
	// Between calls the newest pattern says more than the rarest words of a prompt long past.
	x.terms = slices.Clone(x.terms[:min(len(x.terms), maxTerms/2)])
	for _, said := range x.patterns {
		for _, w := range said.Words {
			if len(x.terms) < maxTerms && !slices.Contains(x.terms, w) {
				x.terms = append(x.terms, w)
			}
		}
	}
}

// saysMore reports whether the agent said before a brief prompt what the prompt is about.
func (x *queryContext) saysMore() bool { return len(x.goesOn.Words)+len(x.goesOn.Idents) > 0 }

// addSaid adds to the words of a brief prompt those that the agent said before it.
func (x *queryContext) addSaid(prompt index.Text) {
	if !x.saysMore() {
		return
	}
	for _, w := range x.goesOn.Words {
		if !slices.Contains(x.words, w) {
			x.words = append(x.words, w)
		}
	}
	x.idents = slices.Concat(prompt.Identifiers, x.goesOn.Idents)
}

const maxIdents = 40 // identifiers of a prompt that are looked for

// maxWord is the number of paths from which on a word is indexed incompletely and says nothing.
const maxWord = 256

func rarity(tree *index.Tree, term string) int {
	if n := len(tree.Word(term)); n > 0 {
		return n
	}
	return maxWord / 2
}
