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

// A settings file belongs to its user. It is edited by patches of a syntax tree that keeps every
// byte that is not edited: comments, order, tabs and line ends. Package hujson decides to which
// entry a comment belongs. This file adds two things that patches do not do: a new entry gets the
// style of its neighbors, and comments of others next to a removed entry stay.

// settings is a parsed settings file.
type settings struct {
	agent agents.Agent
	ours  func(handler) bool
	bom   bool // the file begins with a byte order mark
	value hujson.Value
	line  string // the end of a line
	unit  string // one step of indentation

	spread bool // entries are on lines of their own
}

var bom = []byte("\xef\xbb\xbf")

// errSyntax is about a file that its agent cannot read either.
var errSyntax = errors.New("it is not valid JSON")

// parseSettings reads a file that may have comments and trailing commas. Its errors tell why the
// file cannot be edited.
func parseSettings(b []byte, a agents.Agent) (*settings, error) {
	s := &settings{agent: a, ours: isOurs(a.Name), line: "\n", unit: "  ", spread: true}
	if bytes.Contains(b, []byte("\r\n")) {
		s.line = "\r\n"
	}
	b, s.bom = bytes.CutPrefix(b, bom)
	var err error
	if s.value, err = hujson.Parse(bytes.Clone(b)); err != nil {
		return nil, fmt.Errorf("%w (%w)", errSyntax, err)
	}
	root, ok := s.value.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it does not hold a JSON object")
	}
	if len(root.Members) > 0 {
		var indent string
		if indent, s.spread = ownLine(root.Members[0].Name.BeforeExtra); s.spread && indent != "" {
			s.unit = indent
		}
	}
	if err := unique(root, memberOf(a)); err != nil || s.value.Find(s.hooks()) == nil {
		return s, err
	}
	events, ok := s.value.Find(s.hooks()).Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("its %q is not an object", memberOf(a))
	}
	for _, m := range events.Members {
		event := nameOf(m)
		if err := unique(events, event); err != nil {
			return nil, err
		}
		installed := slices.ContainsFunc(a.Events, func(e agents.Event) bool { return e.Installed && e.Name == event })
		if _, ok := m.Value.Value.(*hujson.Array); installed && !ok { // Gemini CLI keeps switches next to the events
			return nil, fmt.Errorf("its hooks.%s is not an array", event)
		}
	}
	return s, nil
}

// hooks returns the place of our events. A place is a JSON pointer (RFC 6901), as patches use it.
func (s *settings) hooks() string { return at("", memberOf(s.agent)) }

// at returns the place of a member in an object, or of an element in a list.
func at(place string, key any) string {
	return place + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(key))
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// unique returns an error if an object has a member twice.
func unique(o *hujson.Object, name string) error {
	found := 0
	for _, m := range o.Members {
		if nameOf(m) == name {
			found++
		}
	}
	if found > 1 {
		return fmt.Errorf("it has %q twice", name)
	}
	return nil
}

// bytes returns the content of the file.
func (s *settings) bytes() []byte {
	b := s.value.Pack()
	if s.bom {
		return append(slices.Clone(bom), b...)
	}
	return b
}

// entry is an entry in the list of an event that runs commands of ours.
type entry struct {
	group
	index int
	all   bool  // every command in it is ours
	some  []int // otherwise the indices of our handlers
}

// own returns our entries in the order of the file.
func (s *settings) own() (out []entry) {
	found := s.value.Find(s.hooks())
	if found == nil {
		return nil
	}
	for _, m := range found.Value.(*hujson.Object).Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for i, v := range list.Elements {
			e := entry{index: i}
			if !decode(v, &e.group) || len(e.Hooks) == 0 {
				var h handler
				if !decode(v, &h) {
					continue
				}
				e.group = group{flat: true, Hooks: []handler{h}}
			}
			e.Event = nameOf(m)
			for j, h := range e.Hooks {
				if s.ours(h) {
					e.some = append(e.some, j)
				}
			}
			if e.all = len(e.some) == len(e.Hooks); len(e.some) > 0 {
				out = append(out, e)
			}
		}
	}
	return out
}

// decode reads a value that may have comments. It returns false if the value has another form.
func decode(v hujson.Value, into any) bool {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), into) == nil
}

// enter makes our entries the same as want. An entry that is already right stays where it is,
// because Codex asks its user again about each one that changes. A wrong one is replaced in place,
// and superfluous ones are removed, with lists that become empty. Missing entries are added at the
// end of the list of their event.
func (s *settings) enter(want []group) {
	have := s.own()
	missing := slices.DeleteFunc(slices.Clone(want), func(w group) bool {
		i := slices.IndexFunc(have, func(e entry) bool { return e.all && same(e.group, w) })
		if i >= 0 {
			have = slices.Delete(have, i, i+1)
		}
		return i >= 0
	})
	for _, e := range slices.Backward(have) { // backwards, so that the places of earlier entries stay valid
		place := at(at(s.hooks(), e.Event), e.index)
		i := slices.IndexFunc(missing, func(w group) bool { return w.Event == e.Event })
		switch {
		case !e.all:
			for _, j := range slices.Backward(e.some) {
				s.remove(at(place, "hooks"), j)
			}
		case i >= 0:
			indent, _ := ownLine(*s.spaces(at(s.hooks(), e.Event))[e.index])
			spread := bytes.IndexByte(s.value.Find(place).Pack(), '\n') >= 0
			s.patch("replace", place, s.styled(entryJSON(missing[i]), indent, spread))
			missing = slices.Delete(missing, i, i+1)
		default:
			s.remove(at(s.hooks(), e.Event), e.index)
			s.dropEmpty(s.hooks(), e.Event)
		}
	}
	if len(have) > 0 && len(want) == 0 {
		s.dropEmpty("", memberOf(s.agent))
	}
	switch {
	case len(missing) == 0:
	case s.value.Find(s.hooks()) == nil:
		s.add("", memberOf(s.agent), eventsJSON(missing))
	default:
		for _, g := range missing {
			if event := at(s.hooks(), g.Event); s.value.Find(event) == nil {
				s.add(s.hooks(), g.Event, "["+entryJSON(g)+"]")
			} else {
				s.add(event, "-", entryJSON(g))
			}
		}
	}
}

// nothing reports whether the file has nothing that anyone but aOa would have written: no comment,
// and no member but the version that some agents require.
func (s *settings) nothing() bool {
	v := s.value.Clone()
	v.Minimize()
	text := string(v.Pack())
	return !commented(s.value.Pack()) && (text == "{}" || flat(s.agent.Name) && text == `{"version":1}`)
}

// patch does one operation of RFC 6902. It is called only with places that exist, and with JSON
// that we made.
func (s *settings) patch(operation, place, value string) {
	text := `[{"op":"` + operation + `","path":` + agents.JSON(place)
	if value != "" {
		text += `,"value":` + value
	}
	if err := s.value.Patch([]byte(text + "}]")); err != nil {
		panic(err)
	}
}

// spaces returns the space and comments before each entry of an object or a list, and before its
// closing bracket.
func (s *settings) spaces(place string) (out []*hujson.Extra) {
	switch in := s.value.Find(place).Value.(type) {
	case *hujson.Object:
		for i := range in.Members {
			out = append(out, &in.Members[i].Name.BeforeExtra)
		}
		return append(out, &in.AfterExtra)
	case *hujson.Array:
		for i := range in.Elements {
			out = append(out, &in.Elements[i].BeforeExtra)
		}
		return append(out, &in.AfterExtra)
	}
	return []*hujson.Extra{{}}
}

// add adds a value at the end of an object or a list, in the style of the entry before it.
func (s *settings) add(place, key, value string) {
	spaces := s.spaces(place)
	n := len(spaces) - 1
	outer := strings.Repeat(s.unit, strings.Count(place, "/"))
	indent, begins := outer+s.unit, s.spread
	if n > 0 {
		indent, begins = ownLine(*spaces[n-1])
	}
	closing := slices.Clone(*spaces[n])
	s.patch("add", at(place, key), s.styled(value, indent, begins))
	if o, ok := s.value.Find(place).Value.(*hujson.Object); ok && begins {
		o.Members[n].Value.BeforeExtra = hujson.Extra(" ")
	}
	spaces = s.spaces(place)
	before, after := spaces[n], spaces[n+1]
	if !commented(closing) {
		*before, *after = nil, closing // hujson takes a Windows line end for a comment
	}
	switch {
	case !begins && n > 0:
		*before = append(*before, ' ')
	case begins && n == 0:
		*after = onLine(*after, s.line+outer)
		fallthrough
	case begins:
		*before = onLine(*before, s.line+indent)
	}
}

// remove removes an entry from an object or a list. Comments around it stay.
func (s *settings) remove(place string, i int) {
	spaces, key := s.spaces(place), any(i)
	lead, tail := slices.Clone(*spaces[i]), slices.Clone(*spaces[i+1])
	if o, ok := s.value.Find(place).Value.(*hujson.Object); ok {
		key = nameOf(o.Members[i])
	}
	s.patch("remove", at(place, key), "")
	if spaces = s.spaces(place); commented(lead) {
		tail = append(lead, tail...)
	} else if i == 0 && len(spaces) > 1 {
		tail = append(lead, bytes.TrimLeft(tail, " \t\r\n")...)
	}
	*spaces[i] = tail
}

// dropEmpty removes an object or a list that has no entries and no comments.
func (s *settings) dropEmpty(place, name string) {
	o := s.value.Find(place).Value.(*hujson.Object)
	i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
	if spaces := s.spaces(at(place, name)); len(spaces) == 1 && !commented(*spaces[0]) {
		s.remove(place, i)
	}
}

// commented reports whether there is a comment.
func commented(e hujson.Extra) bool { return bytes.IndexByte(e, '/') >= 0 }

// onLine appends a line end and an indentation to comments, in place of empty lines at their end.
func onLine(comments hujson.Extra, space string) hujson.Extra {
	lines := strings.Split(string(comments), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return hujson.Extra(strings.TrimSuffix(strings.Join(lines, "\n"), "\r") + space)
}

// ownLine returns the indentation of the line on which an entry begins. ok is false if something
// else precedes it on that line.
func ownLine(before hujson.Extra) (indent string, ok bool) {
	i := bytes.LastIndexByte(before, '\n')
	last := string(before[i+1:])
	indent = last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	return indent, i >= 0 && indent == last
}

// styled indents an entry over several lines in the style of the file if the entry begins a line.
// Otherwise it returns the entry unchanged.
func (s *settings) styled(entry, prefix string, begins bool) string {
	if !begins {
		return entry
	}
	return strings.ReplaceAll(indent(entry, prefix, s.unit), "\n", s.line)
}

// indent spreads compact JSON over lines.
func indent(text, prefix, unit string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), prefix, unit); err != nil {
		panic(err) // it is only called with our own JSON
	}
	return b.String()
}

// same reports whether two groups run the same commands at the same event.
func same(a, b group) bool {
	return a.Event == b.Event && a.flat == b.flat && agents.JSON(a) == agents.JSON(b)
}

// entryJSON returns a group in the form that the list of its event has.
func entryJSON(g group) string {
	if g.flat {
		return agents.JSON(g.Hooks[0])
	}
	return agents.JSON(g)
}

// eventsJSON returns the object with the lists of all events.
func eventsJSON(groups []group) string {
	members := make([]string, len(groups))
	for i, g := range groups {
		members[i] = agents.JSON(g.Event) + ":[" + entryJSON(g) + "]"
	}
	return "{" + strings.Join(members, ",") + "}"
}
