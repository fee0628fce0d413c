package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A settings file belongs to its user: it is never printed anew. Insertions and removals are made on its bytes,
// at offsets that a parse of them gave, so comments, order, tabs and line ends stay as they are.
//
// Who made a bracket must be known when we leave: an array that we made goes with us, one that was there
// empty stays. The bracket itself says it. Into an empty one that we find goes exactly one space and then our
// entries on one line; the brackets that we make never begin with a space.

// handler is one command. Each agent uses some of the fields; the order is that of their makers' examples.
type handler struct {
	Name           string   `json:"name,omitempty"`
	Type           string   `json:"type,omitempty"`
	Command        string   `json:"command,omitempty"`
	CommandWindows string   `json:"commandWindows,omitempty"`
	Bash           string   `json:"bash,omitempty"`
	PowerShell     string   `json:"powershell,omitempty"`
	Args           []string `json:"args,omitempty"`
	Timeout        int      `json:"timeout,omitempty"` // seconds, or milliseconds: see form
	TimeoutSec     int      `json:"timeoutSec,omitempty"`
	Matcher        string   `json:"matcher,omitempty"` // where there are no groups
	Async          bool     `json:"async,omitempty"`
}

// group is what one event runs. In a flat file it is one handler.
type group struct {
	Event   string    `json:"-"`
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

// settings is a parsed settings file.
type settings struct {
	agent Agent
	mine  func(handler) bool
	src   []byte // without the byte order mark
	bom   bool
	root  *hujson.Object
	open  int // offset of the root's bracket
	hooks *list
	byEv  []eventList
}

// list is an array or object as offsets into the source.
type list struct {
	open  int // of the opening bracket
	items []item
}

type item struct {
	start, end int // from the name's quote, if it has a name, to behind the value
	value      hujson.Value
}

// eventList is what one event runs; groups is nil for a key of the hooks that is no event.
type eventList struct {
	event  string
	groups *list
}

var bom = []byte("\xef\xbb\xbf")

// parseSettings reads a file with comments and trailing commas. Its errors say in words why the file cannot
// be edited.
func parseSettings(b []byte, a Agent) (*settings, error) {
	s := &settings{src: b, agent: a, mine: a.ours()}
	if rest, ok := bytes.CutPrefix(b, bom); ok {
		s.src, s.bom = rest, true
	}
	v, err := hujson.Parse(slices.Clone(s.src))
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON (%w)", err)
	}
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it does not hold a JSON object")
	}
	s.root, s.open = root, v.StartOffset
	hooks, err := only(root, "hooks")
	if err != nil || hooks == nil {
		return s, err
	}
	obj, ok := hooks.value.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New(`its "hooks" is not an object`)
	}
	s.hooks = objectList(obj, hooks.value.StartOffset)
	for _, m := range obj.Members {
		event := m.Name.Value.(hujson.Literal).String()
		if _, err := only(obj, event); err != nil {
			return nil, err
		}
		arr, ok := m.Value.Value.(*hujson.Array)
		if !ok && slices.ContainsFunc(a.beats, func(b beat) bool { return b.event == event }) {
			return nil, fmt.Errorf("its hooks.%s is not an array", event)
		}
		if !ok { // Gemini CLI keeps switches beside the events
			s.byEv = append(s.byEv, eventList{event: event})
			continue
		}
		s.byEv = append(s.byEv, eventList{event, arrayList(arr, m.Value.StartOffset)})
	}
	return s, nil
}

// only finds the one member of that name, nil if there is none.
func only(o *hujson.Object, name string) (found *item, err error) {
	for _, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("it has %q twice", name)
		}
		found = &item{m.Name.StartOffset, m.Value.EndOffset, m.Value}
	}
	return found, nil
}

func objectList(o *hujson.Object, open int) *list {
	l := &list{open: open}
	for _, m := range o.Members {
		l.items = append(l.items, item{m.Name.StartOffset, m.Value.EndOffset, m.Value})
	}
	return l
}

func arrayList(a *hujson.Array, open int) *list {
	l := &list{open: open}
	for _, v := range a.Elements {
		l.items = append(l.items, item{v.StartOffset, v.EndOffset, v})
	}
	return l
}

// splice replaces src[at:to] by text.
type splice struct {
	at, to int
	text   string
}

func (s *settings) apply(edits []splice) []byte {
	slices.SortStableFunc(edits, func(a, b splice) int { return a.at - b.at })
	var out []byte
	if s.bom {
		out = append(out, bom...)
	}
	from := 0
	for _, e := range edits {
		out = append(append(out, s.src[from:e.at]...), e.text...)
		from = e.to
	}
	return append(out, s.src[from:]...)
}

// insert enters the groups, each at the end of its event's list.
func (s *settings) insert(groups []group) []byte {
	if s.hooks == nil {
		return s.apply([]splice{s.add(objectList(s.root, s.open), []string{`"hooks":` + eventsJSON(groups, s.agent.form.flat)})})
	}
	var edits []splice
	var missing []group
	for _, g := range groups {
		i := slices.IndexFunc(s.byEv, func(e eventList) bool { return e.event == g.Event })
		if i < 0 {
			missing = append(missing, g)
			continue
		}
		edits = append(edits, s.add(s.byEv[i].groups, []string{entryJSON(g, s.agent.form.flat)}))
	}
	if len(missing) > 0 {
		var members []string
		for _, g := range missing {
			members = append(members, memberJSON(g, s.agent.form.flat))
		}
		edits = append(edits, s.add(s.hooks, members))
	}
	return s.apply(edits)
}

// add puts entries (compact JSON) at the end of a list, in the style of its last entry.
func (s *settings) add(l *list, entries []string) splice {
	if len(l.items) == 0 {
		return splice{l.open + 1, l.open + 1, " " + strings.Join(entries, ", ")}
	}
	last := l.items[len(l.items)-1]
	prefix, ownLine := s.lineStart(last.start)
	var b strings.Builder
	for _, e := range entries {
		if ownLine {
			b.WriteString("," + s.newline() + prefix + s.pretty(e, prefix))
		} else {
			b.WriteString(", " + e)
		}
	}
	return splice{last.end, last.end, b.String()}
}

// lineStart is the white space before an offset; ok is false when something else stands on that line.
func (s *settings) lineStart(at int) (prefix string, ok bool) {
	i := bytes.LastIndexByte(s.src[:at], '\n') + 1
	prefix = string(s.src[i:at])
	return prefix, i > 0 && strings.Trim(prefix, " \t") == ""
}

func (s *settings) newline() string {
	if bytes.Contains(s.src, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// pretty indents an entry, which may begin with a name, as deep as the file does.
func (s *settings) pretty(entry, prefix string) string {
	unit := "  "
	if len(s.root.Members) > 0 {
		if p, ok := s.lineStart(s.root.Members[0].Name.StartOffset); ok && p != "" {
			unit = p
		}
	}
	return strings.ReplaceAll(indent(entry, prefix, unit), "\n", s.newline())
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

// compact is v as JSON on one line, with < > & as they are: they stand in commands.
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
func entryJSON(g group, flat bool) string {
	if flat {
		return compact(g.Hooks[0])
	}
	return compact(g)
}

func memberJSON(g group, flat bool) string {
	return compact(g.Event) + ":[" + entryJSON(g, flat) + "]"
}

func eventsJSON(groups []group, flat bool) string {
	var members []string
	for _, g := range groups {
		members = append(members, memberJSON(g, flat))
	}
	return "{" + strings.Join(members, ",") + "}"
}
