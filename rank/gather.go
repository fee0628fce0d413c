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

// gathered is a question with its candidates, whose values are all set.
type gathered struct {
	model   Model
	context *queryContext
	pool    *pool
}

// reads has what was read from the hot store for one question.
type reads struct {
	comod, coaccess     []*hot.Ranked // for each current file
	changes             []float64     // for each current file
	sessions            []float64     // of the newest current file
	termFiles, tagFiles []*hot.Ranked
	termFreq            []float64
	opened, committed   *hot.Ranked // the newest stamps of all files
}

// gather collects the candidates for a question: first the partners of current files, then the
// stored scores of the candidates that remain. forced remains a candidate in any case.
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
		return nil, fmt.Errorf("rank: %w: %.40q", ErrTask, task)
	}
	x := &queryContext{at: q.At, session: q.Session, files: filesOf(q), tags: tagsOf(q), tree: tree,
		contents: r.o.Contents(), read: r.o.Read, stored: r.o.Words,
		labels: &r.labels, ofBranch: ofBranch}
	did := &session.Session{}
	if q.Session != "" {
		did = r.sessions.Get(q.Session, q.At)
		if len(q.Files) == 0 { // the files that the session opened last are current, too
			x.files = bound(append(did.Files(), x.files...), contextFiles)
		}
	}
	x.remember(did)
	if task == event.TaskPrompt && event.Brief(q.Prompt) {
		x.goesOn = did.Said
	}
	x.ask(q, text)
	wanted := model.read()
	r.readTexts(x, q, text, wanted)
	x.names(q)
	var in reads
	in.partners(r.store, x, wanted)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rank: %w", err)
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
	r.score(p, x, wanted)
	return &gathered{model: model, context: x, pool: p}, nil
}

// TaskOf returns the task of a query. If the query does not set one, it follows from its other
// fields.
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
		return event.TaskPrompt // without current files: with which files does the work begin?
	}
	return event.TaskOpen
}

// Prompts outside of sessions have weights of their own, because only the text and the history are
// known.
const (
	taskText  event.Task = "text"  // a short text
	taskIssue event.Task = "issue" // a long one
)

// Questions without text, files and session, asked on a branch, have weights of their own.
const (
	taskBranch event.Task = "branch"      // the branch has changed files
	taskName   event.Task = "branch_name" // only the name of the branch tells something
)

// modelOf returns the task whose weights apply.
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

// filesOf returns the current files of a query, with Current last.
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

// wanted returns a function that tells whether a file may be suggested. Current files and files
// that the session has open may not; images and programs may only if the prompt names them.
func (x *queryContext) wanted(q event.Query) func(event.Path) bool {
	current := make(map[event.Path]bool, len(q.Files)+len(x.files)+1)
	current[q.Current] = true
	for _, f := range slices.Concat(q.Files, x.files) {
		current[f] = !x.ofBranch
	}
	return func(f event.Path) bool {
		return !current[f] && !has(x.did.Opened, f) && (x.labels.get(f).file != index.KindBinary || slices.Contains(x.byName, f))
	}
}

// bound returns the newest n of the files, each once.
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

// ask sets the words of the question: those of the prompt, else of the session's current prompt,
// and the rarest of them, which are looked up in the store. Without a prompt it takes the newest
// patterns and commands.
func (x *queryContext) ask(q event.Query, prompt index.Text) {
	switch {
	case q.Prompt != "":
		x.words = x.stored(index.Terms(q.Prompt, event.MaxTerms))
		x.addSaid(prompt)
	case len(x.did.Prompt.Words) > 0:
		x.words, x.idents = slices.Clone(x.did.Prompt.Words), x.did.Prompt.Idents
	default:
		words := x.did.Words()
		x.words = words[max(0, len(words)-maxTerms):]
	}
	x.words = x.words[:min(len(x.words), event.MaxTerms+event.MaxSaid)]
	// The store may know a word even if no path has it. Such words come after those that a path
	// has.
	slices.SortStableFunc(x.words, func(a, b string) int {
		return cmp.Compare(rarity(x.tree, a), rarity(x.tree, b))
	})
	x.terms = x.words[:min(len(x.words), maxTerms)]
	if q.Prompt == "" || x.saysMore() {
		prompt = index.TextOf(x.words, nil)
	}
	x.asked = x.askedBy(prompt, x.words)
	if q.Task == event.TaskPrompt || q.Prompt != "" || len(x.did.Patterns) == 0 {
		return
	}
	// Between calls the newest pattern tells more than the rarest words of an old prompt.
	x.terms = slices.Clone(x.terms[:min(len(x.terms), maxTerms/2)])
	for _, said := range x.did.Patterns {
		for _, w := range said.Words {
			if len(x.terms) < maxTerms && !slices.Contains(x.terms, w) {
				x.terms = append(x.terms, w)
			}
		}
	}
}

// saysMore reports whether there are words that the agent said before a brief prompt, which tell
// what the prompt is about.
func (x *queryContext) saysMore() bool { return len(x.goesOn.Words)+len(x.goesOn.Idents) > 0 }

// addSaid adds the words that the agent said before a brief prompt to those of the prompt.
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

const maxIdents = 40 // identifiers of a prompt that are looked up

// maxWord is the largest number of paths that the index lists for a word. See index.Tree.Word.
const maxWord = 256

func rarity(tree *index.Tree, term string) int {
	if n := len(tree.Word(term)); n > 0 {
		return n
	}
	return maxWord / 2
}
