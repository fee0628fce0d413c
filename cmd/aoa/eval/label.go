package eval

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/rank"
)

// Stratum says how a session could know of a file before it opened it.
type Stratum int

const (
	Unseen Stratum = iota // nothing had named it: T2
	Seen                  // an earlier result or content had: T3
	Named                 // a prompt or a command had: left out, and counted
)

// Open is the first touch, in its session, of a file that was known before.
type Open struct {
	File    aoa.Path
	Seq     int // of the event in the record
	Stratum Stratum
}

// memory is what a session has named and opened so far.
type memory struct {
	opened map[aoa.Path]bool
	named  map[aoa.Path]bool // by prompts, commands and patterns
	seen   map[aoa.Path]bool // by results
}

func newMemory() *memory {
	return &memory{opened: map[aoa.Path]bool{}, named: map[aoa.Path]bool{}, seen: map[aoa.Path]bool{}}
}

// Stratum is how the session could know of the file by now.
func (m *memory) Stratum(p aoa.Path) Stratum {
	switch {
	case m.named[p]:
		return Named
	case m.seen[p]:
		return Seen
	}
	return Unseen
}

// learn takes in what became known.
func (m *memory) learn(u *unit) {
	for _, e := range u.events {
		for _, p := range e.Named {
			m.named[p] = true
		}
		for _, p := range e.Seen {
			m.seen[p] = true
		}
		if opens(e) {
			for _, p := range e.Paths {
				m.opened[p] = true
			}
		}
	}
}

// label walks the timeline once without predicting, to find what each question's truth is. It also finds the names in
// prompts, which needs the files of that time.
func label(items []item) {
	tree := aoa.NewTree(nil)
	memories := map[*track]*memory{}
	for _, it := range items {
		if it.alone != nil {
			grow(tree, *it.alone)
			continue
		}
		t := it.unit.session
		m := memories[t]
		if m == nil {
			m = newMemory()
			memories[t] = m
		}
		if it.begins {
			it.unit.expect(t, m, tree)
			continue
		}
		it.unit.name(tree)
		t.close(it.unit, m, tree)
		m.learn(it.unit)
		for _, e := range it.unit.events {
			grow(tree, e)
		}
	}
}

// expect notes, when a unit begins, which of its opens are to be predicted, and by which questions.
func (u *unit) expect(t *track, m *memory, tree *aoa.Tree) {
	for i, e := range u.events {
		if !opens(e) {
			continue
		}
		for _, p := range e.Paths {
			if m.opened[p] || slices.ContainsFunc(u.opens, func(o Open) bool { return o.File == p }) {
				continue
			}
			if !tree.Has(p) {
				u.created++
				continue
			}
			u.opens = append(u.opens, Open{File: p, Seq: u.seqs[i], Stratum: m.Stratum(p)})
		}
	}
	if len(u.opens)+u.created == 0 {
		return
	}
	t.last.next = append(t.last.next, u)
	if t.file != nil {
		t.file.after = append(t.file.after, u)
	}
}

// close notes, when a unit is known, what it says of the prompt before it and what it is for the units after it.
func (t *track) close(u *unit, m *memory, tree *aoa.Tree) {
	t.last = u
	if u.prompt() != nil {
		t.prompt = u
		t.existing = existing(t, u, m, tree)
		return
	}
	if !u.hasFiles() {
		return
	}
	t.file = u
	if t.prompt == nil {
		return
	}
	for _, e := range u.events {
		if !opens(e) {
			continue
		}
		for _, p := range e.Paths {
			if t.existing[p] {
				delete(t.existing, p)
				t.prompt.turn = append(t.prompt.turn, p)
			}
		}
	}
}

// existing are the files of the turn that count: there when the prompt came, not named in it, not opened before.
func existing(t *track, u *unit, m *memory, tree *aoa.Tree) map[aoa.Path]bool {
	out := map[aoa.Path]bool{}
	for _, later := range t.units[u.place+1:] {
		if later.prompt() != nil {
			break
		}
		for _, e := range later.events {
			if !opens(e) {
				continue
			}
			for _, p := range e.Paths {
				if tree.Has(p) && !m.opened[p] && !slices.Contains(u.events[0].Named, p) {
					out[p] = true
				}
			}
		}
	}
	return out
}

// name resolves the names in a prompt, and drops folders and the like from what others name.
func (u *unit) name(tree *aoa.Tree) {
	for i := range u.events {
		e := &u.events[i]
		if e.Kind == aoa.KindPrompt {
			for _, p := range rank.NamedIn(e.Text, tree) {
				if !slices.Contains(e.Named, p) && len(e.Named) < aoa.MaxSeen {
					e.Named = append(e.Named, p)
				}
			}
		}
		if e.Kind == aoa.KindSearch {
			e.Named = slices.DeleteFunc(slices.Clone(e.Named), func(p aoa.Path) bool { return !tree.Has(p) })
		}
	}
}

// grow keeps the tree at what was there at the time: files of commits, files opened, and files that a listing named.
// Where the record does not tell of deletions, a deleted file stays.
func grow(tree *aoa.Tree, e aoa.Event) {
	switch {
	case e.Kind == aoa.KindCommit:
		tree.Add(e.Paths...)
		tree.Remove(e.Gone...)
	case e.Kind == aoa.KindRename:
		tree.Remove(e.From...)
		tree.Add(e.Paths...)
	case e.Kind == aoa.KindDelete:
		tree.Remove(e.Paths...)
	case opens(e), e.Kind == aoa.KindSave:
		tree.Add(e.Paths...)
	}
	if e.Listing {
		tree.Add(e.Seen...)
	}
}
