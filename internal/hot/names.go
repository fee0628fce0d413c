package hot

import "strings"

// names has the files, tags or terms in the store, each under a small number. Numbers of names that
// nothing refers to are reused after a sweep.
type names struct {
	ids   map[string]uint32
	texts []string // by id; "" is free
	free  []uint32
}

// id returns the id of a name. A new name gets one.
func (n *names) id(text string) uint32 {
	if id, ok := n.ids[text]; ok {
		return id
	}
	return n.add(strings.Clone(text)) // the string may be part of a much larger one
}

// noID is the id of no name.
const noID = ^uint32(0)

// find returns the id of a name, or noID.
func (n *names) find(text string) uint32 {
	if id, ok := n.ids[text]; ok {
		return id
	}
	return noID
}

// all returns the ids of all names.
func (n *names) all() []uint32 {
	out := make([]uint32, 0, len(n.ids))
	for id, text := range n.texts {
		if text != "" {
			out = append(out, uint32(id))
		}
	}
	return out
}

func (n *names) add(text string) uint32 {
	id := uint32(len(n.texts))
	if last := len(n.free) - 1; last >= 0 {
		id, n.free = n.free[last], n.free[:last]
		n.texts[id] = text
	} else {
		n.texts = append(n.texts, text)
	}
	n.ids[text] = id
	return id
}

// rename gives the id of a name to another name, which has none.
func (n *names) rename(id uint32, to string) {
	delete(n.ids, n.texts[id])
	n.texts[id] = strings.Clone(to)
	n.ids[n.texts[id]] = id
}

// has reports whether an id belongs to a name.
func (n *names) has(id uint32) bool { return int(id) < len(n.texts) && n.texts[id] != "" }

// restore sets the names of a snapshot. It reports whether each of them occurs only once.
func (n *names) restore(texts []string) bool {
	*n = names{ids: make(map[string]uint32, len(texts)), texts: texts}
	for id, text := range texts {
		if text == "" {
			n.free = append(n.free, uint32(id))
			continue
		}
		if _, twice := n.ids[text]; twice {
			return false
		}
		n.ids[text] = uint32(id)
	}
	return true
}

// release frees an id that no set refers to any more.
func (n *names) release(id uint32) {
	delete(n.ids, n.texts[id])
	n.texts[id] = ""
	n.free = append(n.free, id)
}
