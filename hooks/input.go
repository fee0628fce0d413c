package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// Limits for storing the input of a call, from which the call can be repeated. Input beyond them is
// marked as cut.
const (
	maxInput = 2048 // bytes of a command or a pattern
	maxEdits = 32   // replacements in one call
	maxSwap  = 8192 // bytes of each text in a replacement
)

// describe adds to the first part of a call what is needed to repeat the call.
func (s *CallContext) describe(c ToolCall, bodies []event.Body) {
	isCall := func(b event.Body) bool { _, ok := b.(event.Call); return ok }
	at := slices.IndexFunc(bodies, isCall)
	if at < 0 {
		return
	}
	out := bodies[at].(event.Call)
	switch c.Name {
	case "Read", "Write":
	case "Edit", "MultiEdit":
		swaps(&out, c)
	case "Grep", "Glob", "LS":
		s.searchInput(&out, c)
	case "Bash", "PowerShell", "shell", "exec_command", "local_shell":
		commandInput(&out, c, len(bodies) == 1)
	default:
		out.Cut = true // aOa cannot repeat it
	}
	text := c.result()
	if out.Bytes = len(text); text != "" {
		sum := sha256.Sum256([]byte(text))
		out.Digest = hex.EncodeToString(sum[:8])
	}
	bodies[at] = out
}

func (s *CallContext) searchInput(out *event.Call, c ToolCall) {
	if where := c.Input.text("path"); where != "" {
		rel, ok := s.Files.Inside(s.Files.Abs(where, ""))
		out.Folder, out.Cut = event.Path(rel), !ok
	} else if rel, ok := s.Files.Inside(s.Files.Cwd); ok {
		out.Folder = event.Path(rel)
	}
	keep(out, new(string), c.Input.text("pattern"))
	if c.Name != "Grep" {
		return
	}
	keep(out, &out.Glob, c.Input.text("glob"))
	mode := c.Input.text("output_mode")
	if out.Mode = "files"; mode == "content" || mode == "count" {
		out.Mode = mode
	}
	out.Limit, out.Fold = c.Input.number("head_limit"), c.Input.flag("-i")
	// A call with options that a replay cannot imitate is not repeated at all.
	out.Cut = out.Cut || c.Input.flag("multiline") || c.Input.text("type") != ""
}

// commandInput stores a command. If it only prints a part of a file it becomes a read, which can be
// repeated without a shell.
func commandInput(out *event.Call, c ToolCall, alone bool) {
	command := commandText(c.Input)
	keep(out, &out.Command, command)
	out.Cut = out.Cut || c.Input.flag("run_in_background")
	if from, lines, ok := printed(command); ok && alone && !out.Secret && !out.Cut && out.Kind() == event.KindRead &&
		len(out.Paths) == 1 {
		out.Command, out.Offset, out.Limit = "", from, lines
	}
}

// printsLines matches commands that print a part of one file: cat FILE, head -n N FILE, sed -n
// 'A,Bp' FILE.
var printsLines = regexp.MustCompile(`^(?:(?:cat|cat -n|nl) [^-]\S*|head (?:-n ?|-)(\d{1,9}) \S+|` +
	`sed -n ['"]?(\d{1,9}),(\d{1,9})p?['"]? \S+)$`)

// printed returns the first of the lines that such a command prints, and their number; 0 and 0 for all
// lines.
func printed(command string) (from, lines int, ok bool) {
	m := printsLines.FindStringSubmatch(strings.Join(strings.Fields(command), " "))
	if m == nil || strings.ContainsAny(command, "|&;<>$`(){}*?\\\n") {
		return 0, 0, false
	}
	lines, _ = strconv.Atoi(m[1]) // an empty text is 0
	from, _ = strconv.Atoi(m[2])
	last, _ := strconv.Atoi(m[3])
	switch {
	case m[1] != "":
		return 0, lines, lines > 0
	case m[2] != "":
		return from, last - from + 1, from > 0 && last >= from
	}
	return 0, 0, true
}

// keep stores a text of the input in a call, without its secrets.
func keep(out *event.Call, to *string, text string) {
	clean := redact.Text(event.Clip(text, maxCommand))
	out.Secret = out.Secret || clean != text && len(text) <= maxCommand
	if len(clean) > maxInput || len(text) > maxCommand {
		clean, out.Cut = event.Clip(clean, maxInput), true
	}
	*to = clean
}

// swaps stores the replacements of an edit. If one of them lacks a text the edit cannot be
// repeated.
func swaps(out *event.Call, c ToolCall) {
	all := []any{map[string]any(c.Input)}
	if list, _ := c.Input["edits"].([]any); len(list) > 0 {
		all, out.Cut = list[:min(len(list), maxEdits)], len(list) > maxEdits
	}
	for _, edit := range all {
		o, _ := edit.(map[string]any)
		old, one := o["old_string"].(string)
		now, two := o["new_string"].(string)
		if !one || !two || old == "" || max(len(old), len(now)) > maxSwap {
			out.Edits, out.Cut = nil, true
			return
		}
		if redact.Text(old) != old || redact.Text(now) != now {
			out.Edits, out.Secret = nil, true
			return
		}
		out.Edits = append(out.Edits, event.Swap{Old: old, New: now, All: members(o).flag("replace_all")})
	}
}
