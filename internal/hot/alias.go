package hot

// alias is one file, tag or term inside a batch. Aliases keep a bulk import small and make a rename one step: the old
// name's alias is redirected, and the old name, used again, is a new file.
type alias uint32

type aliases struct {
	byName [NounTerm + 1]map[string]alias
	texts  []string
	moved  []alias // moved[a] == a unless a was renamed
}

func newAliases() aliases {
	as := aliases{texts: []string{""}, moved: []alias{0}}
	for noun := range as.byName {
		as.byName[noun] = map[string]alias{}
	}
	return as
}

// id finds or makes the alias of a name; the owner of global sets has alias 0.
func (as *aliases) id(noun Noun, text string) alias {
	if noun == NounNone {
		return 0
	}
	a, ok := as.byName[noun][text]
	if !ok {
		a = alias(len(as.texts))
		as.byName[noun][text] = a
		as.texts = append(as.texts, text)
		as.moved = append(as.moved, a)
	}
	return a
}

// rename redirects a file's alias to that of its new name.
func (as *aliases) rename(from, to string) {
	a, ok := as.byName[NounFile][from]
	if !ok {
		return
	}
	as.moved[a] = as.id(NounFile, to)
	delete(as.byName[NounFile], from)
}

// now is the alias that a stands for after all renames. Chains are as long as a file's renames in one batch, and have
// no cycles: a name renamed twice had a new alias the second time.
func (as *aliases) now(a alias) alias {
	for as.moved[a] != a {
		a = as.moved[a]
	}
	return a
}

// text is the name after all renames.
func (as *aliases) text(a alias) string { return as.texts[as.now(a)] }
