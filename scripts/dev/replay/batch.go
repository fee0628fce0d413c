package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// toolCall is one call of a tool, with the rows that were derived from it.
type toolCall struct {
	row   recorded.Row
	name  string
	input map[string]any
	text  string // the result that the model saw
	fails bool
}

// batch is a group of events of a session at the same time: a prompt, or calls that were requested
// together.
type batch struct {
	session string
	sub     bool
	at      time.Time
	prompt  *recorded.Row
	calls   []toolCall
}

// readBatches returns the batches of a file, those of all sessions merged by time. most limits the
// number of sessions, evenly spread over the file; 0 takes all. Paths are made absolute with root.
func readBatches(file, root string, most int) (out []batch, sessions int, err error) {
	all, _, err := recorded.Rows(file)
	if err != nil {
		return nil, 0, err
	}
	rows := map[string][]recorded.Row{}
	var order []string
	for _, r := range all {
		if rows[r.Session] == nil {
			order = append(order, r.Session)
		}
		rows[r.Session] = append(rows[r.Session], r)
	}
	if most > 0 && most < len(order) {
		step := float64(len(order)) / float64(most)
		for i := range most {
			order[i] = order[int(float64(i)*step)]
		}
		order = order[:most]
	}
	for _, s := range order {
		out = append(out, batchesOf(rows[s], root)...)
	}
	slices.SortStableFunc(out, func(a, b batch) int { return a.at.Compare(b.at) })
	return out, len(order), nil
}

// batchesOf cuts a session into batches. Their times never go back.
func batchesOf(rows []recorded.Row, root string) (out []batch) {
	slices.SortStableFunc(rows, func(a, b recorded.Row) int { return a.Seq - b.Seq })
	current, call := -1, -1
	var last time.Time
	for i := range rows {
		r := rows[i]
		at := r.Time()
		if at.Before(last) {
			at = last
		}
		last = at
		sub := strings.HasSuffix(r.Agent, "-sub")
		if r.Kind == "prompt" {
			out, current, call = append(out, batch{session: r.Session, sub: sub, at: at, prompt: &rows[i]}), -1, -1
			continue
		}
		if r.Batch == nil || *r.Batch != current || len(out) == 0 || out[len(out)-1].prompt != nil {
			out, call = append(out, batch{session: r.Session, sub: sub, at: at}), -1
		}
		if current = -1; r.Batch != nil {
			current = *r.Batch
		}
		b := &out[len(out)-1]
		if r.Call != nil && *r.Call == call {
			b.calls[len(b.calls)-1].add(r)
			continue
		}
		if c, ok := callOf(r, root); ok {
			b.calls = append(b.calls, c)
			if call = -1; r.Call != nil {
				call = *r.Call
			}
		}
	}
	return slices.DeleteFunc(out, func(b batch) bool { return b.prompt == nil && len(b.calls) == 0 })
}

// add joins a row that was derived from the same call. Only the paths that the call printed are
// new.
func (c *toolCall) add(r recorded.Row) {
	if len(r.Results) > 0 && !c.fails {
		c.text = strings.Join(r.Results, "\n")
	}
}

// failures are the error messages of Claude Code.
var failures = map[string]string{"missing": "File does not exist.",
	"isdir": "EISDIR: illegal operation on a directory, read", "nomatch": "String to replace not found in file.",
	"unread":   "File has not been read yet. Read it first before writing to it.",
	"toolarge": "File content (31000 tokens) exceeds maximum allowed tokens (25000).",
	"denied":   "The user doesn't want to proceed with this tool use.", "sibling": "Sibling tool call errored",
	"other": "Error: it did not work"}

// callOf converts a row into a call of Claude Code's tools.
func callOf(r recorded.Row, root string) (toolCall, bool) {
	c := toolCall{row: r, text: strings.Join(r.Results, "\n")}
	kind := r.Kind
	if kind == "failed" {
		c.fails, c.text = true, "<tool_use_error>"+failures[r.Why]+"</tool_use_error>"
		kind = r.Tool
	}
	file := ""
	if r.Path != "" {
		file = filepath.Join(root, filepath.FromSlash(r.Path))
	}
	switch kind {
	case "read", "edit", "write":
		if file == "" {
			return c, false
		}
		c.name, c.input = strings.ToUpper(kind[:1])+kind[1:], map[string]any{"file_path": file}
		if c.text == "" {
			c.text = "ok"
		}
	case "search", "grep", "glob":
		c.name, c.input = "Grep", map[string]any{"pattern": r.Text}
		if file != "" {
			c.input["path"] = file
		}
	case "bash", "commit":
		c.name, c.input = "Bash", map[string]any{"command": r.Text}
		if c.fails && r.Path != "" {
			c.input["command"] = "cat " + r.Path
			c.text = "Exit code 1\ncat: " + r.Path + ": No such file or directory"
		}
	default:
		return c, false
	}
	return c, true
}

// payload is a hook's stdin.
type payload map[string]any

func (b batch) base(root, event string, turn int) payload {
	p := payload{"session_id": b.session, "cwd": root, "hook_event_name": event, "prompt_id": fmt.Sprint(b.session, "-",
		turn),
		"transcript_path": "/dev/null"}
	if b.sub {
		p["agent_id"] = "sub"
	}
	return p
}

// start returns the hook for the beginning of a session.
func (b batch) start(root string) payload {
	p := b.base(root, "SessionStart", 0)
	p["source"] = "startup"
	delete(p, "agent_id")
	return p
}

func (c toolCall) id() string { return fmt.Sprint(c.row.Session, "-", c.row.Seq) }

// hooks returns the hooks of a batch in the order in which Claude Code runs them.
func (b batch) hooks(root string, turn int) (out []payload) {
	if b.prompt != nil {
		p := b.base(root, "UserPromptSubmit", turn)
		p["prompt"] = b.prompt.Text
		if b.prompt.Said != "" { // The stop event of the previous turn comes first.
			stop := b.base(root, "Stop", max(turn-1, 0))
			stop["last_assistant_message"] = b.prompt.Said
			out = append(out, stop)
		}
		return append(out, p)
	}
	files := map[string]bool{"Read": true, "Edit": true, "Write": true}
	for _, c := range b.calls {
		if files[c.name] {
			p := b.base(root, "PreToolUse", turn)
			p["tool_name"], p["tool_input"], p["tool_use_id"] = c.name, c.input, c.id()
			out = append(out, p)
		}
	}
	var calls []payload
	for _, c := range b.calls {
		p := b.base(root, "PostToolUse", turn)
		p["tool_name"], p["tool_input"], p["tool_use_id"] = c.name, c.input, c.id()
		switch {
		case c.fails:
			p["hook_event_name"], p["error"] = "PostToolUseFailure", c.text
		case files[c.name]:
			p["tool_response"] = payload{"type": "text", "filePath": c.input["file_path"]}
		case c.name == "Bash":
			p["tool_response"] = payload{"stdout": c.text, "stderr": "", "interrupted": false}
		default:
			p["tool_response"] = payload{"mode": "files_with_matches", "filenames": strings.Fields(c.text)}
		}
		if !c.fails || c.name != "Edit" { // Claude Code runs no hook of its own for an Edit that failed.
			out = append(out, p)
		}
		calls = append(calls, payload{"tool_name": c.name, "tool_use_id": c.id(), "tool_input": c.input,
			"tool_response": c.text})
	}
	last := b.base(root, "PostToolBatch", turn)
	last["tool_calls"] = calls
	return append(out, last)
}
