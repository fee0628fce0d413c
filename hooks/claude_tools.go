package hooks

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// toolCall is one call of one tool, however it was told: by a hook, in a batch, in a transcript.
type toolCall struct {
	name     string
	id       string
	input    object
	response json.RawMessage // the tool's own object, or the text that the model saw
	failed   bool
	problem  string // what went wrong, in the tool's words
	why      string // the reason if it is known without reading problem
}

// eventID of the call's first event. All deliveries of a call agree on it, whichever hook told it.
func (c toolCall) eventID(subagent string) string { return c.id + ":post:" + subagent }

// unique makes an id that an agent counts anew in each session one of its own. Long ones are drawn at random, and
// are the same in a session that goes on under another name.
func (s *scene) unique(id string) string {
	if len(id) >= randomID || strings.HasPrefix(id, "toolu_") || s.session == "" {
		return id
	}
	return s.session + ":" + id
}

// randomID is the length from which on an id cannot be a counter.
const randomID = 16

// silent tools tell nothing about files of the repository.
var silent = map[string]bool{"WebFetch": true, "WebSearch": true, "TodoWrite": true, "TodoRead": true, "TaskCreate": true, "TaskUpdate": true,
	"TaskList": true, "TaskGet": true, "TaskOutput": true, "TaskStop": true, "Skill": true, "ToolSearch": true, "AskUserQuestion": true,
	"EnterPlanMode": true, "ExitPlanMode": true, "EnterWorktree": true, "ExitWorktree": true, "SlashCommand": true, "KillShell": true,
	"KillBash": true, "SendMessage": true, "write_stdin": true, "update_plan": true, "Sleep": true, "Config": true, "StructuredOutput": true}

// tool turns a call into events, in the order in which things happened. A call may give none.
func (s *scene) tool(c toolCall) []event.Event {
	if c.id == "" {
		// Old clients and foreign ones send no id: the same call in the same second is the same call.
		raw, _ := json.Marshal(c.input)
		c.id = digest(s.session, c.name, string(raw), strconv.FormatInt(s.at.Unix(), 10))
	}
	c.id = s.unique(c.id)
	var events []event.Event
	switch {
	case silent[c.name]:
		return nil
	case c.name == "Read" || c.name == "NotebookRead" || c.name == "view_image":
		events = s.open(c, event.KindRead)
	case c.name == "Edit" || c.name == "MultiEdit" || c.name == "NotebookEdit":
		events = s.open(c, event.KindEdit)
	case c.name == "Write":
		events = s.open(c, event.KindWrite)
	case c.name == "Grep" || c.name == "Glob" || c.name == "LS":
		events = s.search(c)
	case c.name == "Bash" || c.name == "PowerShell" || c.name == "shell" || c.name == "exec_command" || c.name == "local_shell":
		events = s.shell(c)
	case c.name == "apply_patch":
		events = s.patch(c)
	case c.name == "Agent" || c.name == "Task":
		events = s.delegate(c)
	default:
		events = s.generic(c)
	}
	return s.number(c, events)
}

// number gives the events of a call their ids: the first has the call's, the others a suffix.
func (s *scene) number(c toolCall, events []event.Event) []event.Event {
	for i := range events {
		events[i].ID = c.eventID(s.subagent)
		if i > 0 {
			events[i].ID += ":" + strconv.Itoa(i)
		}
		events[i].Tool = c.name
	}
	return events
}

// open is a call of a tool that reads or changes one file.
func (s *scene) open(c toolCall, kind event.Kind) []event.Event {
	name := c.input.text("file_path", "notebook_path", "path")
	if name == "" {
		name = fileOf(c.response)
	}
	p, ok := s.place.file(name, "")
	if !ok || s.ignored(p) {
		return nil
	}
	if c.failed {
		return []event.Event{s.failed(c, name)}
	}
	e := s.event("", kind)
	e.Paths, e.OK = []event.Path{p}, true
	e.Tags = s.tags(kind, nil, e.Paths)
	return []event.Event{e}
}

// fileOf is the file that a structured result is about.
func fileOf(response json.RawMessage) string {
	o := parse(response)
	if name := o.text("filePath", "notebook_path"); name != "" {
		return name
	}
	return o.object("file").text("filePath")
}

// search is a call of the search tools: Grep, Glob, and the old LS.
func (s *scene) search(c toolCall) []event.Event {
	e := s.event("", event.KindSearch)
	pattern, where := redact.Private(c.input.text("pattern")), c.input.text("path")
	e.Text = store(pattern, event.MaxText)
	e.Terms = redact.Terms(clip(pattern, maxCommand)+" "+s.terrain(where), event.MaxTerms)
	if p, ok := s.place.known(where, ""); ok {
		e.Named = s.keep([]event.Path{p}, 1)
	}
	e.OK, e.Listing = !c.failed, true
	e.Tags = s.tags(event.KindSearch, e.Terms, e.Named)
	text := output(c.response)
	if c.failed {
		e.Kind, e.Why, e.Listing = event.KindFailed, classify(c.problem), false
		text = c.problem
	}
	var dirs []string
	if where != "" {
		dirs = append(dirs, s.place.abs(where, ""))
	}
	e.Seen = s.mentions(text, true, dirs...)
	return []event.Event{e}
}

// terrain is a folder's name below the root: its words belong to a search in it. "" outside.
func (s *scene) terrain(dir string) string {
	abs := s.place.abs(dir, "")
	if abs == "" || dir == "" {
		return ""
	}
	rel, ok := s.place.inside(abs)
	if !ok || s.has(event.Path(rel)) {
		return ""
	}
	return rel
}

// delegate is the call of a subagent: its task names files, its report mentions them.
func (s *scene) delegate(c toolCall) []event.Event {
	e := s.event("", event.KindRun)
	task := redact.Private(c.input.text("description") + "\n" + clip(c.input.text("prompt"), maxPrompt))
	e.Text = store(task, event.MaxText)
	e.Terms = redact.Terms(e.Text, event.MaxTerms)
	e.Named = s.mentions(task, false)
	e.OK = !c.failed
	e.Tags = s.tags(event.KindRun, e.Terms, e.Named)
	e.Seen = s.mentions(output(c.response), false)
	return []event.Event{e}
}

// fileKeys are argument names that tools of MCP servers use for files.
var fileKeys = []string{"file_path", "filePath", "path", "file", "filename", "relative_path", "relativePath", "uri", "paths", "files",
	"source", "destination", "target_file", "notebook_path", "absolute_path"}

// wordKeys are argument names for what is looked for.
var wordKeys = []string{"query", "pattern", "search", "regex", "symbol", "name_path", "name", "text", "q"}

// generic is a call of a tool that aOa does not know, as those of MCP servers: arguments that look like files
// of the repository count, and the tool's own name says what was done to them. aOa's own tools are not news.
func (s *scene) generic(c toolCall) []event.Event {
	server, verb := splitMCP(c.name)
	if server == "aoa" || strings.HasSuffix(server, "_aoa") {
		return nil
	}
	e := s.event("", genericKind(verb))
	for _, k := range fileKeys {
		for _, name := range c.input.texts(k) {
			name = strings.TrimPrefix(name, "file://")
			if p, ok := s.place.known(name, ""); ok {
				e.Named = append(e.Named, p)
			}
		}
	}
	e.Named = s.keep(e.Named, event.MaxSeen)
	var words []string
	for _, k := range wordKeys {
		words = append(words, c.input.texts(k)...)
	}
	if len(e.Named) == 0 && (e.Kind != event.KindSearch || len(words) == 0) {
		return nil
	}
	e.OK = !c.failed
	switch {
	case c.failed:
		e.Kind, e.Why, e.Paths, e.Named = event.KindFailed, classify(c.problem), e.Named, nil
	case e.Kind.Open():
		e.Paths, e.Named = e.Named, nil
	case e.Kind == event.KindSearch:
		e.Text = store(strings.Join(words, " "), 512)
		e.Terms = redact.Terms(e.Text, event.MaxTerms)
		e.Listing = true
	}
	if !e.Kind.Open() {
		e.Seen = s.mentions(output(c.response), e.Listing)
	}
	e.Tags = s.tags(e.Kind, e.Terms, append(e.Paths[:len(e.Paths):len(e.Paths)], e.Named...))
	return []event.Event{e}
}

// splitMCP takes mcp__server__tool apart.
func splitMCP(name string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", name
	}
	if i := strings.LastIndex(rest, "__"); i >= 0 {
		return rest[:i], rest[i+2:]
	}
	return rest, ""
}

// genericKind guesses from a tool's name what it does to the files it is given.
func genericKind(tool string) event.Kind {
	tool = lower(tool)
	for _, k := range []struct {
		words string
		kind  event.Kind
	}{
		{"search find grep list glob overview references symbols tree", event.KindSearch},
		{"write create", event.KindWrite},
		{"edit update replace patch insert modify delete rename", event.KindEdit},
		{"read get view open cat show", event.KindRead},
	} {
		if containsAny(tool, strings.Fields(k.words)) {
			return k.kind
		}
	}
	return event.KindRun
}
