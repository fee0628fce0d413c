package recorded

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Stratum says how a session could have known about a file before it opened it.
type Stratum int

const (
	Unseen Stratum = iota // nothing had named the file (task T2)
	Seen                  // an earlier result or content had named it (task T3)
	Named                 // a prompt or a command had named it; such opens are left out and counted
)

// Open is the first touch, in its session, of a file that was known before.
type Open struct {
	File    event.Path
	Seq     int // place of the event in the record
	Stratum Stratum
}

// memory is what a session has named and opened so far.
type memory struct {
	opened map[event.Path]bool
	named  map[event.Path]bool // files that prompts, commands and patterns named
	seen   map[event.Path]bool // files that results named
}

func newMemory() *memory {
	return &memory{opened: map[event.Path]bool{}, named: map[event.Path]bool{}, seen: map[event.Path]bool{}}
}

// Stratum returns how the session could know about the file at this time.
func (m *memory) Stratum(p event.Path) Stratum {
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
		for _, p := range e.Named() {
			m.named[p] = true
		}
		for _, p := range e.Seen() {
			m.seen[p] = true
		}
		if opens(e) {
			for _, p := range e.Paths() {
				m.opened[p] = true
			}
		}
	}
}

// label goes through the timeline once without predicting, to find the right answer of each
// question. It also resolves the names in prompts, which needs the files of that time.
func label(items []item) {
	tree := index.NewTree(nil)
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

// expect records, when a unit begins, which of its opens are to be predicted, and by which
// questions.
func (u *unit) expect(t *track, m *memory, tree *index.Tree) {
	for i, e := range u.events {
		if !opens(e) {
			continue
		}
		for _, p := range e.Paths() {
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

// close records, when a unit is complete, what it means for the prompt before it and for later
// units.
func (t *track) close(u *unit, m *memory, tree *index.Tree) {
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
		for _, p := range e.Paths() {
			if t.existing[p] {
				delete(t.existing, p)
				t.prompt.turn = append(t.prompt.turn, p)
			}
		}
	}
}

// existing returns the files of the turn that count as right: files that existed at the prompt,
// were not named in it, and were not opened before.
func existing(t *track, u *unit, m *memory, tree *index.Tree) map[event.Path]bool {
	out := map[event.Path]bool{}
	for _, later := range t.units[u.place+1:] {
		if later.prompt() != nil {
			break
		}
		for _, e := range later.events {
			if !opens(e) {
				continue
			}
			for _, p := range e.Paths() {
				if tree.Has(p) && !m.opened[p] && !slices.Contains(u.events[0].Named(), p) {
					out[p] = true
				}
			}
		}
	}
	return out
}

// name finds the files that a prompt names, and removes folders and the like from what other events
// name.
func (u *unit) name(tree *index.Tree) {
	for i := range u.events {
		e := &u.events[i]
		switch b := e.Body.(type) {
		case event.Prompt:
			for _, p := range tree.Named(b.Text) {
				if !slices.Contains(b.Named, p) && len(b.Named) < event.MaxSeen {
					b.Named = append(b.Named, p)
				}
			}
			e.Body = b
		case event.Call:
			if b.Kind() == event.KindSearch {
				b.Named = slices.DeleteFunc(slices.Clone(b.Named), func(p event.Path) bool { return !tree.Has(p) })
				e.Body = b
			}
		}
	}
}

// grow keeps the tree up to date. It adds the files of commits, opened files, and files named in a
// listing. If the recording does not contain deletions, a deleted file stays in the tree.
func grow(tree *index.Tree, e event.Event) {
	switch {
	case e.Kind() == event.KindCommit:
		tree.Add(e.Paths()...)
		tree.Remove(e.Gone()...)
	case e.Kind() == event.KindRename:
		tree.Remove(e.From()...)
		tree.Add(e.Paths()...)
	case e.Kind() == event.KindDelete:
		tree.Remove(e.Paths()...)
	case opens(e), e.Kind() == event.KindSave:
		tree.Add(e.Paths()...)
	}
	if e.Call().Listing {
		tree.Add(e.Seen()...)
	}
}
