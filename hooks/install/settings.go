package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/hooks/agents"
)

// A settings file belongs to its user. It is edited as a syntax tree, which gives back every byte that was not edited:
// comments, order, tabs and line ends stay.
//
// Remove has to know which brackets Add made, to delete those and no others. The bracket itself says it. Into an empty
// one that was there, Add puts exactly one space and then our entries on one line; brackets that Add makes never begin
// with a space.

// settings is a parsed settings file.
type settings struct {
	agent agents.Agent
	ours  func(handler) bool
	bom   bool // the file begins with a byte order mark
	value hujson.Value
	root  *hujson.Object
	hooks *hujson.Object // nil if there are none
	crlf  bool
	unit  string // one step of indentation
}

var bom = []byte("\xef\xbb\xbf")

// parseSettings reads a file with comments and trailing commas. Its errors say why the file cannot be edited.
func parseSettings(b []byte, a agents.Agent) (*settings, error) {
	s := &settings{agent: a, ours: isOurs(a.Name), crlf: bytes.Contains(b, []byte("\r\n")), unit: "  "}
	b, s.bom = bytes.CutPrefix(b, bom)
	var err error
	if s.value, err = hujson.Parse(bytes.Clone(b)); err != nil {
		return nil, fmt.Errorf("it is not valid JSON (%w)", err)
	}
	var ok bool
	if s.root, ok = s.value.Value.(*hujson.Object); !ok {
		return nil, errors.New("it does not hold a JSON object")
	}
	if len(s.root.Members) > 0 {
		if indent, ok := ownLine(s.root.Members[0].Name.BeforeExtra); ok && indent != "" {
			s.unit = indent
		}
	}
	hooks, err := member(s.root, memberOf(a))
	if err != nil || hooks == nil {
		return s, err
	}
	if s.hooks, ok = hooks.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("its %q is not an object", memberOf(a))
	}
	for _, m := range s.hooks.Members {
		event := nameOf(m)
		if _, err := member(s.hooks, event); err != nil {
			return nil, err
		}
		installed := slices.ContainsFunc(a.Events, func(e agents.Event) bool { return e.Installed && e.Name == event })
		if _, ok := m.Value.Value.(*hujson.Array); installed && !ok { // Gemini CLI keeps switches beside the events
			return nil, fmt.Errorf("its hooks.%s is not an array", event)
		}
	}
	return s, nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// member finds the value of the only member of that name, nil if there is none.
func member(o *hujson.Object, name string) (found *hujson.Value, err error) {
	for i := range o.Members {
		if nameOf(o.Members[i]) != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("it has %q twice", name)
		}
		found = &o.Members[i].Value
	}
	return found, nil
}

// bytes returns the file.
func (s *settings) bytes() []byte {
	b := s.value.Pack()
	if s.bom {
		return append(slices.Clone(bom), b...)
	}
	return b
}

// insert adds our groups, each at the end of its event's list.
func (s *settings) insert(groups []group) {
	if s.hooks == nil {
		s.root.Members = add(s, s.root.Members, s.parseMembers, `"`+memberOf(s.agent)+`":`+eventsJSON(groups))
		return
	}
	var missing []string
	for _, g := range groups {
		v, _ := member(s.hooks, g.Event)
		if v == nil {
			missing = append(missing, memberJSON(g))
			continue
		}
		list := v.Value.(*hujson.Array)
		list.Elements = add(s, list.Elements, s.parseElements, entryJSON(g))
	}
	if len(missing) > 0 {
		s.hooks.Members = add(s, s.hooks.Members, s.parseMembers, missing...)
	}
}

// edges are the space and the comments before and after an entry of an object or an array.
func edges[E hujson.ObjectMember | hujson.Value](entry *E) (before, after *hujson.Extra) {
	switch e := any(entry).(type) {
	case *hujson.ObjectMember:
		return &e.Name.BeforeExtra, &e.Value.AfterExtra
	case *hujson.Value:
		return &e.BeforeExtra, &e.AfterExtra
	}
	panic("unreachable")
}

// add appends entries (compact JSON) to a list, in the style of its last entry.
func add[E hujson.ObjectMember | hujson.Value](s *settings, list []E, parse func(string) []E, entries ...string) []E {
	var tail hujson.Extra // not nil: there is a comma after the last entry
	indent, begins := "", false
	if len(list) > 0 {
		before, after := edges(&list[len(list)-1])
		tail, *after = *after, nil
		indent, begins = ownLine(*before)
	}
	for _, text := range entries {
		space := " "
		if begins {
			text, space = s.pretty(text, indent), s.newline()+indent
		}
		for _, e := range parse(text) {
			before, _ := edges(&e)
			*before = hujson.Extra(space)
			list = append(list, e)
		}
	}
	_, after := edges(&list[len(list)-1])
	*after = tail
	return list
}

func (s *settings) parseMembers(text string) []hujson.ObjectMember {
	return mustParse("{" + text + "}").Value.(*hujson.Object).Members
}

func (s *settings) parseElements(text string) []hujson.Value {
	return mustParse("[" + text + "]").Value.(*hujson.Array).Elements
}

func mustParse(text string) hujson.Value {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(err) // only JSON that we made ourselves comes here
	}
	return v
}

// ownLine returns the indentation of an entry that begins a line; ok is false when something else is on that line
// before it.
func ownLine(before hujson.Extra) (indent string, ok bool) {
	i := bytes.LastIndexByte(before, '\n')
	indent = string(before[i+1:])
	return indent, i >= 0 && strings.Trim(indent, " \t") == ""
}

func (s *settings) newline() string {
	if s.crlf {
		return "\r\n"
	}
	return "\n"
}

// pretty indents an entry, which may begin with a name, as deep as the file does.
func (s *settings) pretty(entry, prefix string) string {
	return strings.ReplaceAll(indent(entry, prefix, s.unit), "\n", s.newline())
}

// indent spreads compact JSON over lines. A member, "name":value, is no JSON by itself.
func indent(entry, prefix, unit string) string {
	name := ""
	if strings.HasPrefix(entry, `"`) {
		i := strings.Index(entry, `":`) + 2
		name, entry = entry[:i]+" ", entry[i:]
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(entry), prefix, unit); err != nil {
		return name + entry
	}
	return name + b.String()
}

// compact is v as JSON on one line, with < > & as they are: commands contain them.
func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only our own plain structs come here
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// entryJSON is a group as the list of its event holds it.
func entryJSON(g group) string {
	if g.flat {
		return compact(g.Hooks[0])
	}
	return compact(g)
}

func memberJSON(g group) string {
	return compact(g.Event) + ":[" + entryJSON(g) + "]"
}

func eventsJSON(groups []group) string {
	members := make([]string, len(groups))
	for i, g := range groups {
		members[i] = memberJSON(g)
	}
	return "{" + strings.Join(members, ",") + "}"
}
