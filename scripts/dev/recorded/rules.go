package recorded

import (
	"path"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// The simple rules that aOa is compared with: files that were committed most often together with
// the current ones, files in the same folder, files that were touched most often, and files that
// were touched last.
const (
	Together = "together"
	Folder   = "folder"
	Frequent = "frequent"
	Recent   = "recent"
)

// RuleNames are the simple rules in the order of tables.
var RuleNames = []string{Together, Folder, Frequent, Recent}

const (
	currentFiles = 5   // number of files that a session opened last; these are its current files
	mostPairs    = 100 // files of the largest commit whose pairs are counted
)

// Rules counts what the simple rules need, without packages learn, hot and rank.
type Rules struct {
	files    []counted               // the files, by their numbers
	together map[int]map[int]float64 // how often each pair of files was committed together
	commits  map[int]float64         // the number of commits of each file
	ids      map[event.Path]int      // the number of each file
	opened   map[string][]int        // the files that each session opened, the newest last
}

// counted is a file and how often it was touched: opened by a session, or committed.
type counted struct {
	path   event.Path
	folder string
	there  bool    // whether the file exists now
	last   float64 // unix seconds of the last touch
	count  float64 // touches
}

// opens reports whether an event opened a file. A call that failed opened nothing.
func opens(e event.Event) bool { return e.Opens() && e.Call().OK() && len(e.Paths()) > 0 }

// NewRules returns empty Rules.
func NewRules() *Rules {
	return &Rules{together: map[int]map[int]float64{}, commits: map[int]float64{}, ids: map[event.Path]int{},
		opened: map[string][]int{}}
}

// number returns the number of a file; a new file gets the next number.
func (r *Rules) number(p event.Path) int {
	i, known := r.ids[p]
	if !known {
		i = len(r.files)
		r.ids[p], r.files = i, append(r.files, counted{path: p, folder: path.Dir(string(p))})
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
	case opens(e):
		for _, p := range e.Paths() {
			id := r.there(p, true)
			r.touch(id, at)
			r.opened[e.Session] = append(slices.DeleteFunc(r.opened[e.Session], func(x int) bool { return x == id }), id)
		}
	}
	if e.Call().Listing {
		for _, p := range e.Seen() {
			r.there(p, true)
		}
	}
}

func (r *Rules) there(p event.Path, yes bool) int {
	id := r.number(p)
	r.files[id].there = yes
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
		r.commits[a]++
		if r.together[a] == nil {
			r.together[a] = map[int]float64{}
		}
		for _, b := range ids {
			if a != b {
				r.together[a][b]++
			}
		}
	}
}

func (r *Rules) touch(id int, at float64) {
	f := &r.files[id]
	f.last = max(f.last, at)
	f.count++
}

// RuleQuestion is one question as the rules see it.
type RuleQuestion struct {
	rules   *Rules
	current []int        // the current files, the newest last
	taken   map[int]bool // files that cannot be an answer
}

// Question converts a question of aOa for the rules: it is about the files of a change, or about
// what a session opened.
func (r *Rules) Question(q event.Query) RuleQuestion {
	c := RuleQuestion{rules: r, taken: map[int]bool{}}
	known := r.opened[q.Session]
	if q.Task == event.TaskChange {
		known = nil
		for _, p := range q.Files {
			known = append(known, r.number(p))
		}
	}
	for _, id := range known {
		c.taken[id] = true
	}
	c.current = known
	if q.Task != event.TaskChange {
		c.current = known[max(0, len(known)-currentFiles):]
	}
	return c
}

// score scores every file by a rule. 0 means that the rule does not list it.
func (c RuleQuestion) score(rule string) []float64 {
	out := make([]float64, len(c.rules.files))
	folders := map[string]float64{}
	for _, q := range c.current {
		folders[c.rules.files[q].folder]++
		if rule == Together { // 1 − Π(1 − commits of both / commits of the current file)
			for id, with := range c.rules.together[q] {
				out[id] = 1 - (1-out[id])*(1-min(with/(c.rules.commits[q]+.01), .99))
			}
		}
	}
	for i, f := range c.rules.files {
		switch n := folders[f.folder]; {
		case rule == Folder && n > 0: // among files with equal scores, the one that was touched last comes first
			out[i] = n + f.last/1e12
		case rule == Frequent:
			out[i] = f.count
		case rule == Recent:
			out[i] = f.last
		}
	}
	return out
}

// List returns the best files by a rule for which counts is true, at most n; ties are ordered by
// path.
func (c RuleQuestion) List(rule string, n int, counts func(event.Path) bool) []event.Path {
	var best []int
	scores := c.score(rule)
	before := func(a, b int) bool {
		return scores[a] > scores[b] || scores[a] == scores[b] && c.rules.files[a].path < c.rules.files[b].path
	}
	for i, v := range scores {
		f := &c.rules.files[i]
		full := len(best) == n
		if v <= 0 || full && !before(i, best[n-1]) || !f.there || c.taken[i] || !counts(f.path) {
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
		out[i] = c.rules.files[id].path
	}
	return out
}
