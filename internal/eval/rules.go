package eval

import (
	"path"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// The simple rules that aOa is compared with: files that were committed together with the current ones most often,
// files in the same folder, files that were touched most often, and those touched last.
const (
	Together = "together"
	Folder   = "folder"
	Frequent = "frequent"
	Recent   = "recent"
)

// RuleNames are the simple rules in the order of tables.
var RuleNames = []string{Together, Folder, Frequent, Recent}

const (
	currentFiles = 5   // opened last by a session: they are current
	mostPairs    = 100 // files of a commit up to which its pairs count
)

// Rules count what the simple rules need, in maps and slices, without learn, hot or rank.
type Rules struct {
	Files    []Counted                // by number
	Commits  Pairs                    // files of one commit
	Touching func(id int, at float64) // sees each touch before it is counted; nil: nobody does
	Opening  func(s *Opened, id int)  // sees each open before the session knows it; nil: nobody does
	ids      map[event.Path]int
	sessions map[string]*Opened
}

// Counted is a file and how often it was touched: opened by a session, or committed.
type Counted struct {
	Path   event.Path
	folder string
	There  bool    // at the moment
	Last   float64 // unix seconds of the last touch
	Count  float64 // touches
}

// Opened is the files that a session opened, the newest last.
type Opened struct {
	ID    string
	Order []int
}

// Pairs count how often two files occurred together, and how often the first occurred at all.
type Pairs struct {
	With map[int]map[int]float64
	N    map[int]float64
}

// NewPairs makes empty counts.
func NewPairs() Pairs { return Pairs{map[int]map[int]float64{}, map[int]float64{}} }

// Add counts one occurrence of b with a.
func (p Pairs) Add(a, b int) {
	m := p.With[a]
	if m == nil {
		m = map[int]float64{}
		p.With[a] = m
	}
	m[b]++
}

// NewRules makes rules that have counted nothing.
func NewRules() *Rules {
	return &Rules{Commits: NewPairs(), ids: map[event.Path]int{}, sessions: map[string]*Opened{}}
}

// Number is the place of a file among Files, which gets it if it is new.
func (r *Rules) Number(p event.Path) int {
	i, known := r.ids[p]
	if !known {
		i = len(r.Files)
		r.ids[p], r.Files = i, append(r.Files, Counted{Path: p, folder: path.Dir(string(p))})
	}
	return i
}

// Learn counts one event.
func (r *Rules) Learn(e event.Event) {
	at := float64(e.Time.UnixMilli()) / 1000
	switch {
	case e.Kind() == event.KindCommit:
		r.commit(e, at)
	case e.Kind() == event.KindRename, e.Kind() == event.KindDelete:
		for _, p := range slices.Concat(e.From(), e.Paths()) {
			r.there(p, e.Kind() == event.KindRename && slices.Contains(e.Paths(), p))
		}
	case Opens(e):
		s := r.Session(e.Session)
		for _, p := range e.Paths() {
			r.opened(s, r.there(p, true), at)
		}
	}
	if e.Call().Listing {
		for _, p := range e.Seen() {
			r.there(p, true)
		}
	}
}

func (r *Rules) there(p event.Path, yes bool) int {
	id := r.Number(p)
	r.Files[id].There = yes
	return id
}

func (r *Rules) commit(e event.Event, at float64) {
	ids := make([]int, len(e.Paths()))
	for i, p := range e.Paths() {
		ids[i] = r.there(p, true)
		r.touch(ids[i], at)
	}
	for _, p := range e.Gone() {
		r.there(p, false)
	}
	if len(ids) > mostPairs {
		return
	}
	for _, a := range ids {
		r.Commits.N[a]++
		for _, b := range ids {
			if a != b {
				r.Commits.Add(a, b)
			}
		}
	}
}

// Session is what a session has opened.
func (r *Rules) Session(id string) *Opened {
	s := r.sessions[id]
	if s == nil {
		s = &Opened{ID: id}
		r.sessions[id] = s
	}
	return s
}

func (r *Rules) opened(s *Opened, id int, at float64) {
	r.touch(id, at)
	if r.Opening != nil {
		r.Opening(s, id)
	}
	s.Order = append(slices.DeleteFunc(s.Order, func(x int) bool { return x == id }), id)
}

func (r *Rules) touch(id int, at float64) {
	if r.Touching != nil {
		r.Touching(id, at)
	}
	f := &r.Files[id]
	f.Last = max(f.Last, at)
	f.Count++
}

// RuleQuestion is one question as the rules see it.
type RuleQuestion struct {
	Rules *Rules
	Hand  []int        // current files, the newest last
	Now   float64      // unix seconds
	taken map[int]bool // files that are no answer
}

// Question is a question of aOa as the rules see it: about the files of a change, or about what a session opened.
func (r *Rules) Question(q event.Query) RuleQuestion {
	c := RuleQuestion{Rules: r, Now: float64(q.At.UnixMilli()) / 1000, taken: map[int]bool{}}
	known := r.Session(q.Session).Order
	if q.Task == event.TaskChange {
		known = nil
		for _, p := range q.Files {
			known = append(known, r.Number(p))
		}
	}
	for _, id := range known {
		c.taken[id] = true
	}
	c.Hand = known
	if q.Task != event.TaskChange {
		c.Hand = known[max(0, len(known)-currentFiles):]
	}
	return c
}

// Score scores every file by a rule. 0 means that the rule does not list it. out is as long as the rules' files.
func (c RuleQuestion) Score(rule string, out []float64) {
	clear(out)
	switch rule {
	case Together:
		c.NoisyOr(c.Rules.Commits, out)
	case Folder:
		c.folder(out)
	case Frequent:
		for i, f := range c.Rules.Files {
			out[i] = f.Count
		}
	case Recent:
		for i, f := range c.Rules.Files {
			out[i] = f.Last
		}
	}
}

// NoisyOr is 1 − Π(1 − count together / count of the current file).
func (c RuleQuestion) NoisyOr(p Pairs, out []float64) {
	for _, q := range c.Hand {
		n := p.N[q]
		for id, with := range p.With[q] {
			out[id] = 1 - (1-out[id])*(1-min(with/(n+.01), .99))
		}
	}
}

// folder counts the current files in the folder of each file. Among equals the file touched last is first.
func (c RuleQuestion) folder(out []float64) {
	folders := map[string]float64{}
	for _, q := range c.Hand {
		folders[c.Rules.Files[q].folder]++
	}
	for i, f := range c.Rules.Files {
		if n := folders[f.folder]; n > 0 {
			out[i] = n + f.Last/1e12
		}
	}
}

// Answers reports whether a file can be the answer.
func (c RuleQuestion) Answers(id int, counts func(event.Path) bool) bool {
	f := &c.Rules.Files[id]
	return f.There && !c.taken[id] && counts(f.Path)
}

// Top lists the best files that count, at most n, ties by path.
func (c RuleQuestion) Top(scores []float64, n int, counts func(event.Path) bool) []event.Path {
	var best []int
	before := func(a, b int) bool {
		return scores[a] > scores[b] || scores[a] == scores[b] && c.Rules.Files[a].Path < c.Rules.Files[b].Path
	}
	for i, v := range scores {
		full := len(best) == n
		if v <= 0 || full && !before(i, best[n-1]) || !c.Answers(i, counts) {
			continue
		}
		place := len(best)
		for place > 0 && before(i, best[place-1]) {
			place--
		}
		best = slices.Insert(best, place, i)
		best = best[:min(len(best), n)]
	}
	out := make([]event.Path, len(best))
	for i, id := range best {
		out[i] = c.Rules.Files[id].Path
	}
	return out
}

// places is where each rule lists the first file that is right, from 1 to Listed; 0: it lists none.
func (c RuleQuestion) places(right, counts func(event.Path) bool) map[string]int {
	out := map[string]int{}
	scores := make([]float64, len(c.Rules.Files))
	for _, rule := range RuleNames {
		c.Score(rule, scores)
		out[rule] = 1 + slices.IndexFunc(c.Top(scores, Listed, counts), right)
	}
	return out
}
