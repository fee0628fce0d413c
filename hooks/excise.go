package hooks

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// own finds our groups: those whose every command is ours. mixed says that further commands of ours stand in
// groups of others.
func (s *settings) own() (groups []group, mixed bool) {
	for _, e := range s.byEv {
		if e.groups == nil {
			continue
		}
		for _, it := range e.groups.items {
			g, all, some := s.owned(it.value)
			if all {
				g.Event = e.event
				groups = append(groups, g)
			}
			mixed = mixed || some && !all
		}
	}
	return groups, mixed
}

// owned decodes an entry of an event's list; all says that every handler of it is ours, some that any is.
func (s *settings) owned(v hujson.Value) (g group, all, some bool) {
	std := v.Clone()
	std.Standardize()
	if s.agent.form.flat {
		var h handler
		all = json.Unmarshal(std.Pack(), &h) == nil && s.mine(h)
		return group{Hooks: []handler{h}}, all, all
	}
	if json.Unmarshal(std.Pack(), &g) != nil || len(g.Hooks) == 0 {
		return g, false, false
	}
	all = true
	for _, h := range g.Hooks {
		if s.mine(h) {
			some = true
		} else {
			all = false
		}
	}
	return g, all, some
}

// excise takes our handlers out, and with them every bracket that only they had needed. empty says that
// nothing is left of the file that anyone else could have written.
func (s *settings) excise() (out []byte, empty bool) {
	if s.hooks == nil {
		return s.apply(nil), false
	}
	var edits []splice
	goneEvents := make([]bool, len(s.hooks.items))
	for i, e := range s.byEv {
		if e.groups == nil {
			continue
		}
		gone := make([]bool, len(e.groups.items))
		for j, it := range e.groups.items {
			_, all, some := s.owned(it.value)
			gone[j] = all
			if some && !all {
				edits = append(edits, s.exciseHandlers(it.value)...)
			}
		}
		whole, cuts := s.remove(e.groups, gone)
		goneEvents[i] = whole
		if !whole {
			edits = append(edits, cuts...)
		}
	}
	whole, cuts := s.remove(s.hooks, goneEvents)
	if !whole {
		return s.apply(append(edits, cuts...)), false
	}
	root := objectList(s.root, s.open)
	if s.madeVersion(root) {
		return nil, true
	}
	gone := make([]bool, len(root.items))
	for i, m := range s.root.Members {
		gone[i] = m.Name.Value.(hujson.Literal).String() == "hooks"
	}
	if whole, cuts = s.remove(root, gone); !whole {
		return s.apply(cuts), false
	}
	rest := string(s.src[:root.items[0].start]) + string(s.src[root.items[0].end:])
	if strings.Trim(rest, " \t\r\n,{}") != "" { // comments stay, and so does their file
		return s.apply([]splice{{root.items[0].start, s.behindComma(root.items[0].end), ""}}), false
	}
	return nil, true
}

// madeVersion reports whether the file is one that we made of a form with a version: the hooks first, then the
// version, and nothing else. Into a file that we found, hooks go last.
func (s *settings) madeVersion(root *list) bool {
	if !s.agent.form.flat || len(root.items) != 2 {
		return false
	}
	a, b := root.items[0], root.items[1]
	version := strings.Join(strings.Fields(string(s.src[b.start:b.end])), "")
	rest := string(s.src[:a.start]) + string(s.src[a.end:b.start]) + string(s.src[b.end:])
	return bytes.HasPrefix(s.src[a.start:], []byte(`"hooks"`)) && version == `"version":1` && strings.Trim(rest, " \t\r\n,{}") == ""
}

// exciseHandlers takes single handlers out of a group that is shared with others.
func (s *settings) exciseHandlers(v hujson.Value) []splice {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	inner, err := only(obj, "hooks")
	if err != nil || inner == nil {
		return nil
	}
	arr, ok := inner.value.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	l := arrayList(arr, inner.value.StartOffset)
	gone := make([]bool, len(l.items))
	for i, it := range l.items {
		std := it.value.Clone()
		std.Standardize()
		var h handler
		gone[i] = json.Unmarshal(std.Pack(), &h) == nil && s.mine(h)
	}
	_, cuts := s.remove(l, gone)
	return cuts
}

// remove takes entries out of a list together with their commas. whole says that the list is ours and should
// go itself: nothing else is in it, and it does not carry the mark of one that we found empty.
func (s *settings) remove(l *list, gone []bool) (whole bool, cuts []splice) {
	kept, n := -1, 0
	for i := range gone {
		if gone[i] {
			n++
		}
	}
	if n == 0 {
		return false, nil
	}
	if n == len(gone) {
		last := l.items[n-1]
		if marked := l.items[0].start == l.open+2 && s.src[l.open+1] == ' '; !marked {
			return true, nil
		}
		return false, []splice{{l.open + 1, s.behindComma(last.end), ""}}
	}
	for i, it := range l.items {
		switch {
		case !gone[i]:
			kept = i
		case kept >= 0:
			cuts = append(cuts, s.cut(l.items[i-1].end, it.start, it, false)...)
		default:
			cuts = append(cuts, s.cut(it.end, l.items[i+1].start, it, true)...)
		}
	}
	return false, cuts
}

// cut removes an entry and the gap between it and its neighbour, in which a comma stands; comments in the gap
// are someone's and stay.
func (s *settings) cut(gapStart, gapEnd int, it item, gapFollows bool) []splice {
	gap := s.src[gapStart:gapEnd]
	if len(bytes.Trim(gap, " \t\r\n,")) == 0 {
		if gapFollows {
			return []splice{{it.start, gapEnd, ""}}
		}
		return []splice{{gapStart, it.end, ""}}
	}
	comma := s.behindComma(gapStart)
	return []splice{{comma - 1, comma, ""}, {it.start, it.end, ""}}
}

// behindComma is the offset behind the comma that follows at, past white space and comments; at itself if
// there is none.
func (s *settings) behindComma(at int) int {
	for i := at; i < len(s.src); {
		switch c := s.src[i]; {
		case c == ',':
			return i + 1
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		case c == '/' && i+1 < len(s.src) && s.src[i+1] == '/':
			n := bytes.IndexByte(s.src[i:], '\n')
			if n < 0 {
				return at
			}
			i += n + 1
		case c == '/' && i+1 < len(s.src) && s.src[i+1] == '*':
			n := bytes.Index(s.src[i+2:], []byte("*/"))
			if n < 0 {
				return at
			}
			i += n + 4
		default:
			return at
		}
	}
	return at
}
