package hot

import "strings"

// name is one file, tag or term inside a batch. Interning keeps a bulk import small and makes a rename one step:
// the old name is redirected, and whoever says the old name again means a new file.
type name uint32

type nameKey struct {
	noun noun
	text string
}

type names struct {
	ids   map[nameKey]name
	texts []string
	moved []name // moved[n] == n unless n was renamed
}

func newNames() names {
	return names{ids: map[nameKey]name{}, texts: []string{""}, moved: []name{0}}
}

// of interns a text; noun none is the owner of global sets, name 0.
func (n *names) of(kind noun, text string) name {
	if kind == nounNone {
		return 0
	}
	id, ok := n.ids[nameKey{kind, text}]
	if !ok {
		text = strings.Clone(text) // it may be a part of something large, and the embedded server keeps it
		id = name(len(n.texts))
		n.ids[nameKey{kind, text}] = id
		n.texts = append(n.texts, text)
		n.moved = append(n.moved, id)
	}
	return id
}

// rename makes everything that was said of from be said of to.
func (n *names) rename(from, to string) {
	a, ok := n.ids[nameKey{nounPath, from}]
	if !ok || from == to {
		return
	}
	n.moved[a] = n.of(nounPath, to)
	delete(n.ids, nameKey{nounPath, from})
}

// now is the name that id stands for after all renames. Chains are as long as a file's renames in one batch, and
// have no cycles: a name renamed twice was a new id the second time.
func (n *names) now(id name) name {
	for n.moved[id] != id {
		n.moved[id] = n.moved[n.moved[id]]
		id = n.moved[id]
	}
	return id
}
