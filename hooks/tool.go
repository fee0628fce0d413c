package hooks

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// ToolCall is one call of one tool, however it was delivered: by a hook, in a batch, or in a
// transcript.
type ToolCall struct {
	Name     string
	ID       string
	Input    members
	Response any // the tool's own object, or the text that the model saw
	Failed   bool
	Problem  string        // the error in the tool's words; "" if Response has it
	why      event.Failure // how the call failed, if that is known without reading Problem
}

// result returns the output of the call, or the message of its failure.
func (c ToolCall) result() string {
	if c.Failed {
		return c.Problem
	}
	return c.printed()
}

// printed returns the output of the tool; for a tool that prints a file, only the first line.
func (c ToolCall) printed() string {
	text := output(c.Response)
	if c.printsFile() {
		text, _, _ = strings.Cut(text, "\n")
	}
	return text
}

// printsFile reports whether the tool's result is, or quotes, the content of a file.
func (c ToolCall) printsFile() bool {
	switch c.Name {
	case "Read", "NotebookRead", "Edit", "MultiEdit", "NotebookEdit", "Write", readMany:
		return true
	}
	return false
}

// unique adds the session to an id that the agent counts from one in each session. Long ids are
// random, and stay the same in a session that continues under another name.
func (s *CallContext) unique(id string) string {
	if len(id) >= randomID || strings.HasPrefix(id, "toolu_") || s.Session == "" {
		return id
	}
	return s.Session + ":" + id
}

// randomID is the least length of an id that cannot be a counter.
const randomID = 16

// readers has the functions that turn calls of each tool into events. A tool that is not listed is
// treated like one of an MCP server.
var readers = map[string]func(*CallContext, ToolCall) []event.Body{
	"Read": readFile, "NotebookRead": readFile, "view_image": readFile,
	"Edit": editFile, "MultiEdit": editFile, "NotebookEdit": editFile, "Write": writeFile,
	"Grep": (*CallContext).search, "Glob": (*CallContext).search, "LS": (*CallContext).search,
	"Bash": (*CallContext).command, "PowerShell": (*CallContext).command, "shell": (*CallContext).command,
	"exec_command": (*CallContext).command, "local_shell": (*CallContext).command,
	"apply_patch": (*CallContext).patch, "Agent": (*CallContext).delegate, "Task": (*CallContext).delegate,
}

func readFile(s *CallContext, c ToolCall) []event.Body  { return s.open(c, event.ActRead) }
func editFile(s *CallContext, c ToolCall) []event.Body  { return s.open(c, event.ActEdit) }
func writeFile(s *CallContext, c ToolCall) []event.Body { return s.open(c, event.ActWrite) }

// silent tools search elsewhere than in the repository.
var silent = map[string]bool{"WebSearch": true, "ToolSearch": true}

// Tool turns a call into events, in the order in which things happened. There may be none.
func (s *CallContext) Tool(c ToolCall) []event.Event {
	if server, _ := splitMCP(c.Name); silent[c.Name] || ourServer(server) {
		return nil
	}
	if c.ID == "" { // old agents send no id: equal calls in the same second count as one
		raw, _ := json.Marshal(c.Input)
		c.ID = digest(s.Session, c.Name, string(raw), strconv.FormatInt(s.Time.Unix(), 10))
	}
	c.ID = s.unique(c.ID)
	if c.Failed && c.Problem == "" {
		c.Problem = c.printed()
	}
	read := readers[c.Name]
	if read == nil {
		read = (*CallContext).generic
	}
	bodies := read(s, c)
	s.describe(c, bodies)
	return s.number(c, bodies)
}

// batch reads calls that were made together. Most were delivered before and are recognized by their
// ids. A failed Edit is delivered only here, as a text that begins with an error.
func (s *CallContext) batch(calls []any) (out []event.Event) {
	for i, call := range calls[:min(len(calls), maxBatch)] {
		c := objectOf(call).toolCall()
		if i == 0 && len(calls) > 1 {
			s.Batch = c.ID
		}
		if text := c.printed(); failedText(text) {
			c.Failed, c.Problem = true, text
		}
		out = append(out, s.Tool(c)...)
	}
	return out
}

// number returns the events of a call. The first has the call's ID, the others a suffix.
func (s *CallContext) number(c ToolCall, bodies []event.Body) (out []event.Event) {
	secret := secretPaths(commandText(c.Input))
	for i, b := range bodies {
		id := event.CallID(c.ID, s.Subagent) // the same for all deliveries of a call
		if i > 0 {
			id += ":" + strconv.Itoa(i)
		}
		if call, ok := b.(event.Call); ok {
			call.Tool, call.Batch = c.Name, s.Batch
			b = call
		}
		e := s.event(id, b)
		hide(&e, secret)
		out = append(out, e)
	}
	return out
}

// open returns the bodies for a call of a tool that reads or changes one file.
func (s *CallContext) open(c ToolCall, act event.Act) []event.Body {
	name := c.Input.text("file_path", "notebook_path", "path")
	if name == "" {
		name = fileOf(c.Response)
	}
	p, ok := s.Files.Path(name, "")
	if !ok || s.Files.Ignored(p) {
		return nil
	}
	if c.Failed {
		return []event.Body{s.failed(act, c, name)}
	}
	out := event.Call{Act: act, Paths: []event.Path{p}}
	if act == event.ActRead {
		out.Offset, out.Limit = c.Input.number("offset"), c.Input.number("limit")
	}
	out.Tags = s.tags(event.Kind(act), nil, out.Paths)
	return []event.Body{out}
}

// fileOf returns the file that a structured result is about.
func fileOf(response any) string {
	o := objectOf(response)
	return cmp.Or(o.text("filePath", "notebook_path"), o.object("file").text("filePath"))
}

// search returns the bodies for a call of a search tool: Grep, Glob, and the old LS.
func (s *CallContext) search(c ToolCall) []event.Body {
	out := event.Call{Act: event.ActList, Listing: !c.Failed}
	if c.Name == "Grep" {
		out.Act = event.ActSearch
	}
	pattern, where := redact.Private(c.Input.text("pattern")), c.Input.text("path")
	out.Text = store(pattern, event.MaxText)
	out.Terms = redact.Terms(event.Clip(pattern, maxCommand)+" "+s.Files.FolderName(where), event.MaxTerms)
	if p, ok := s.Files.Known(where, ""); ok {
		out.Named = s.Files.Keep([]event.Path{p}, 1)
	}
	out.Tags = s.tags(event.KindSearch, out.Terms, out.Named)
	if c.Failed {
		out.Failure = classify(c.Problem)
	}
	var dirs []string
	if where != "" {
		dirs = append(dirs, s.Files.Abs(where, ""))
	}
	out.Seen = s.mentions(c.result(), true, dirs...)
	return []event.Body{out}
}

// delegate returns the body for the call of a subagent. Its task names files, and its report
// mentions them.
func (s *CallContext) delegate(c ToolCall) []event.Body {
	task := redact.Private(c.Input.text("description") + "\n" + event.Clip(c.Input.text("prompt"), maxPrompt))
	out := event.Call{Act: event.ActOther, Text: store(task, event.MaxText), Failure: statusOf(c)}
	out.Terms = redact.Terms(out.Text, event.MaxTerms)
	out.Named = s.mentions(task, false)
	out.Tags = s.tags(event.KindRun, out.Terms, out.Named)
	out.Seen = s.mentions(output(c.Response), false)
	return []event.Body{out}
}

// statusOf returns the failure of a call that did its work but may report that it failed.
func statusOf(c ToolCall) event.Failure {
	if c.Failed {
		return event.FailStatus
	}
	return ""
}

// generic returns the body for a call of a tool that aOa does not know, such as that of an MCP
// server. Arguments that look like files of the repository count, and the tool's name tells what
// was done to them. Calls of aOa's own tools are ignored.
func (s *CallContext) generic(c ToolCall) []event.Body {
	_, verb := splitMCP(c.Name)
	out := event.Call{Act: genericAct(verb)}
	var files []event.Path
	for _, k := range sections()["arguments for files"] {
		for _, name := range c.Input.texts(k) {
			name = strings.TrimPrefix(name, "file://")
			if p, ok := s.Files.Known(name, ""); ok {
				files = append(files, p)
			}
		}
	}
	files = s.Files.Keep(files, event.MaxSeen)
	var words []string
	for _, k := range sections()["arguments for words"] {
		words = append(words, c.Input.texts(k)...)
	}
	if len(files) == 0 && (out.Act != event.ActSearch || len(words) == 0) {
		return nil
	}
	if c.Failed {
		out.Failure = classify(c.Problem)
	}
	kind := out.Kind()
	if kind.Open() || kind == event.KindFailed {
		out.Paths = files
	} else {
		out.Named = files
	}
	if kind == event.KindSearch {
		out.Text = store(strings.Join(words, " "), 512)
		out.Terms = redact.Terms(out.Text, event.MaxTerms)
		out.Listing = true
	}
	if !kind.Open() {
		out.Seen = s.mentions(output(c.Response), out.Listing)
	}
	out.Tags = s.tags(kind, out.Terms, files)
	return []event.Body{out}
}

// splitMCP splits mcp__server__tool into its parts.
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

// ourServer reports whether an MCP server is aOa's.
func ourServer(name string) bool { return name == "aoa" || strings.HasSuffix(name, "_aoa") }

// genericAct guesses from a tool's name what the tool does to the files.
func genericAct(tool string) event.Act {
	tool = strings.ToLower(tool)
	for _, r := range tables()["acts of tools"].rows {
		if strings.Contains(tool, r.word) {
			return event.Act(r.value)
		}
	}
	return event.ActOther
}

// changes returns the file that a call is about to change.
func (s *CallContext) changes(c ToolCall) event.Path {
	if c.Name != "Edit" && c.Name != "Write" && c.Name != "MultiEdit" {
		return ""
	}
	p, ok := s.Files.Path(c.Input.text("file_path"), "")
	if !ok || s.Files.Ignored(p) {
		return ""
	}
	return p
}

// next returns the question about the file that will be opened after this one.
func (s *CallContext) next(c ToolCall) *event.Query {
	p, ok := event.Path(""), false
	switch c.Name {
	case "Read", "Edit", "Write", "MultiEdit", "NotebookEdit":
		p, ok = s.Files.Path(c.Input.text("file_path", "notebook_path"), "")
	case "apply_patch", "Bash":
		if s.Agent != "claude" { // Claude Code has tools for single files and is asked there
			p, ok = s.opened(c)
		}
	}
	if !ok {
		return nil
	}
	return &event.Query{Task: event.TaskOpen, Session: s.Session, Subagent: s.Subagent, Current: p}
}

// opened returns the first known file that a command or a patch opens.
func (s *CallContext) opened(c ToolCall) (event.Path, bool) {
	for _, e := range s.Tool(ToolCall{Name: c.Name, ID: "next", Input: c.Input}) {
		if e.Opens() && len(e.Paths()) > 0 && s.Files.Has(e.Paths()[0]) {
			return e.Paths()[0], true
		}
	}
	return "", false
}

// patch returns the bodies for a call of apply_patch.
func (s *CallContext) patch(c ToolCall) []event.Body {
	text := c.Input.text("command", "input", "patch")
	if list := c.Input.texts("command"); text == "" && len(list) > 0 {
		text = list[len(list)-1]
	}
	ops := shell.PatchFiles(text)
	if c.Failed {
		names := make([]string, len(ops))
		for i, op := range ops {
			names[i] = op.Name
		}
		return []event.Body{s.failed(event.ActEdit, c, names...)}
	}
	var out []event.Body
	for _, op := range ops {
		out = append(out, s.changed(op, s.Files.Cwd)...)
	}
	return out
}

// changed returns what a patch that is applied in dir does to one file.
func (s *CallContext) changed(op shell.PatchFile, dir string) []event.Body {
	p, ok := s.Files.Path(op.Name, dir)
	if !ok || s.Files.Ignored(p) {
		return nil
	}
	out := []event.Body{s.onFiles(op.Kind, p)}
	if to, ok := s.Files.Path(op.To, dir); ok && !s.Files.Ignored(to) {
		out = append(out, event.Rename{From: []event.Path{p}, To: []event.Path{to}})
	}
	return out
}

// onFiles returns the body for reading, changing or deleting files.
func (s *CallContext) onFiles(k event.Kind, files ...event.Path) event.Body {
	if k == event.KindDelete {
		return event.Delete{Paths: files}
	}
	return event.Call{Act: event.Act(k), Paths: files, Tags: s.tags(k, nil, files)}
}
