package install

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

// own finds our groups: those whose every command is ours. mixed says that further commands of ours are in groups of
// others.
func (s *settings) own() (groups []group, mixed bool) {
	if s.hooks == nil {
		return nil, false
	}
	for _, m := range s.hooks.Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for _, v := range list.Elements {
			g, all, some := s.owned(v)
			if all {
				g.Event = nameOf(m)
				groups = append(groups, g)
			}
			mixed = mixed || some && !all
		}
	}
	return groups, mixed
}

// decode reads a value that may have comments; false if it has another form.
func decode(v hujson.Value, into any) bool {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), into) == nil
}

// owned decodes an entry of an event's list. all says that every handler of it is ours, some that any is.
func (s *settings) owned(v hujson.Value) (g group, all, some bool) {
	if !decode(v, &g) || len(g.Hooks) == 0 {
		var h handler
		all = decode(v, &h) && s.ours(h)
		return group{flat: true, Hooks: []handler{h}}, all, all
	}
	return g, !slices.ContainsFunc(g.Hooks, func(h handler) bool { return !s.ours(h) }),
		slices.ContainsFunc(g.Hooks, s.ours)
}

// remove takes our handlers out, and with them every bracket that only they needed. empty says that nothing is left
// that anyone else could have written.
func (s *settings) remove() (empty bool) {
	if s.hooks == nil {
		return false
	}
	gone := make([]bool, len(s.hooks.Members))
	for i, m := range s.hooks.Members {
		if list, ok := m.Value.Value.(*hujson.Array); ok {
			gone[i] = s.removeGroups(list)
		}
	}
	rest, whole := remaining(s.hooks.Members, gone, &s.hooks.AfterExtra)
	if !whole {
		s.hooks.Members = rest
		return false
	}
	return s.madeVersion() || s.removeMember(memberOf(s.agent))
}

// removeGroups takes our handlers out of the list of an event; true if the list goes, too.
func (s *settings) removeGroups(list *hujson.Array) bool {
	gone := make([]bool, len(list.Elements))
	for i, v := range list.Elements {
		_, all, some := s.owned(v)
		if gone[i] = all; some && !all {
			s.removeHandlers(v)
		}
	}
	rest, whole := remaining(list.Elements, gone, &list.AfterExtra)
	if !whole {
		list.Elements = rest
	}
	return whole
}

// removeHandlers takes single handlers out of a group that is shared with others.
func (s *settings) removeHandlers(v hujson.Value) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	inner, err := member(o, "hooks")
	if err != nil || inner == nil {
		return
	}
	list := inner.Value.(*hujson.Array) // owned has decoded it
	gone := make([]bool, len(list.Elements))
	for i, v := range list.Elements {
		var h handler
		gone[i] = decode(v, &h) && s.ours(h)
	}
	list.Elements, _ = remaining(list.Elements, gone, &list.AfterExtra)
}

// removeMember takes a member out of the root. empty says that nothing is left, not even a comment.
func (s *settings) removeMember(name string) (empty bool) {
	gone := make([]bool, len(s.root.Members))
	for i, m := range s.root.Members {
		gone[i] = nameOf(m) == name
	}
	rest, whole := remaining(s.root.Members, gone, &s.root.AfterExtra)
	if whole { // comments stay, and so does their file
		before, after := edges(&s.root.Members[0])
		s.root.AfterExtra = slices.Concat(*before, *after, s.root.AfterExtra)
	}
	s.root.Members = rest
	return whole && !comments(s.value.BeforeExtra, s.root.AfterExtra, s.value.AfterExtra)
}

// madeVersion reports whether the file is one that we made of a form with a version: the hooks first, then the version,
// and nothing else. Into a file that was there, hooks go last.
func (s *settings) madeVersion() bool {
	m := s.root.Members
	if !flat(s.agent.Name) || len(m) != 2 || nameOf(m[0]) != "hooks" || nameOf(m[1]) != "version" {
		return false
	}
	version, ok := m[1].Value.Value.(hujson.Literal)
	return ok && string(version) == "1" && !comments(s.value.BeforeExtra, s.value.AfterExtra, s.root.AfterExtra,
		m[0].Name.BeforeExtra, m[0].Value.AfterExtra,
		m[1].Name.BeforeExtra, m[1].Name.AfterExtra, m[1].Value.BeforeExtra, m[1].Value.AfterExtra)
}

func comments(extras ...hujson.Extra) bool {
	return slices.ContainsFunc(extras, func(e hujson.Extra) bool { return bytes.IndexByte(e, '/') >= 0 })
}

// remaining returns the entries that are not gone. Comments around the others stay; end is the space before the closing
// bracket. whole says that the list goes, too: it has no other entry, and not the mark of one that was there.
func remaining[E hujson.ObjectMember | hujson.Value](list []E, gone []bool, end *hujson.Extra) (rest []E, whole bool) {
	if !slices.Contains(gone, true) {
		return list, false
	}
	if !slices.Contains(gone, false) {
		before, _ := edges(&list[0])
		_, after := edges(&list[len(list)-1])
		if string(*before) != " " {
			return nil, true
		}
		*end = slices.Concat(*after, *end)
		return nil, false
	}
	var lead, loose hujson.Extra // space before the first entry if it is gone; comments around entries that are gone
	keep := func(e hujson.Extra) {
		if comments(e) {
			loose = append(loose, e...)
		}
	}
	for i := range list {
		before, after := edges(&list[i])
		switch {
		case gone[i] && i == 0:
			lead = *before
		case gone[i]:
			keep(*before)
		case len(rest) == 0 && i > 0:
			keep(*before)
			*before = append(lead, loose...)
		default:
			*before = append(loose, *before...)
		}
		if !gone[i] {
			loose, rest = nil, append(rest, list[i])
		} else if i < len(list)-1 {
			keep(*after)
		}
	}
	if gone[len(gone)-1] { // a comma after the last entry stays one
		_, tail := edges(&list[len(list)-1])
		_, after := edges(&rest[len(rest)-1])
		if all := append(slices.Concat(*after, loose), *tail...); *tail != nil {
			*after = append(hujson.Extra{}, all...)
		} else {
			*after, *end = nil, append(all, *end...)
		}
	}
	return rest, false
}
