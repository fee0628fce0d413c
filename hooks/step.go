package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// Bounds of what is kept of a call so that it can be done again. An input that exceeds them is marked as cut.
const (
	maxStepText  = 2048 // bytes of a command or a pattern
	maxStepEdits = 32   // replacements of one call
	maxSwap      = 8192 // bytes of each text of a replacement
)

// steps is the call as a step that can be described and repeated; none for calls that have nothing to do with the
// repository. events are those of the same call.
func (s *CallContext) steps(c ToolCall, events []event.Event) []event.Step {
	if server, _ := splitMCP(c.Name); silent[c.Name] || c.Name == "" || ourServer(server) {
		return nil
	}
	st := event.Step{ID: ToolCall{ID: s.unique(c.ID)}.eventID(s.Subagent), Time: s.Time, Subagent: s.Subagent,
		Tool: event.Clip(c.Name, 64), Act: event.ActOther, OK: !c.Failed}
	if len(events) > 0 {
		st.ID = events[0].ID // a call without an id has been given one
	} else if c.ID == "" {
		return nil
	}
	switch c.Name {
	case "Read":
		s.fileStep(&st, c, event.ActRead)
		st.Offset, st.Limit = c.Input.number("offset"), c.Input.number("limit")
	case "Edit", "MultiEdit":
		s.fileStep(&st, c, event.ActEdit)
		swaps(&st, c)
	case "Write":
		s.fileStep(&st, c, event.ActWrite)
	case "Grep", "Glob", "LS":
		s.searchStep(&st, c)
	case "Bash", "PowerShell", "shell", "exec_command", "local_shell":
		s.runStep(&st, c, events)
	case "apply_patch", "NotebookEdit":
		opens(&st, events)
	}
	for _, e := range events {
		st.Found = max(st.Found, len(e.Seen()))
	}
	text := c.result()
	if st.Bytes = len(text); text != "" {
		sum := sha256.Sum256([]byte(text))
		st.Digest = hex.EncodeToString(sum[:8])
	}
	return []event.Step{st}
}

func (s *CallContext) fileStep(st *event.Step, c ToolCall, act event.Act) {
	p, ok := s.Files.Path(c.Input.text("file_path", "notebook_path", "path"), "")
	if ok && !s.Files.Ignored(p) {
		st.Act, st.Paths = act, []event.Path{p}
	}
}

// opens names the files that the events of the call opened.
func opens(st *event.Step, events []event.Event) {
	for _, e := range events {
		if e.Opens() {
			st.Paths = append(st.Paths, e.Paths()...)
		}
	}
	st.Paths = st.Paths[:min(len(st.Paths), event.MaxSeen)]
}

func (s *CallContext) searchStep(st *event.Step, c ToolCall) {
	if where := c.Input.text("path"); where != "" {
		rel, ok := s.Files.Inside(s.Files.Abs(where, ""))
		if !ok {
			return // outside of the repository
		}
		st.Folder = event.Path(rel)
	} else if rel, ok := s.Files.Inside(s.Files.Cwd); ok {
		st.Folder = event.Path(rel)
	}
	st.Act = event.ActList
	if c.Name == "Grep" {
		st.Act = event.ActSearch
		putIn(st, &st.Pattern, c.Input.text("pattern"))
		putIn(st, &st.Glob, c.Input.text("glob"))
		st.Mode, st.Limit = map[string]string{"content": "content", "count": "count"}[c.Input.text("output_mode")],
			c.Input.number("head_limit")
		st.Fold = c.Input.flag("-i")
		// What the replay cannot do as the tool does is not done at all.
		if c.Input.flag("multiline") || c.Input.text("type") != "" {
			st.Cut = true
		}
		if st.Mode == "" {
			st.Mode = "files"
		}
		return
	}
	putIn(st, &st.Glob, c.Input.text("pattern"))
}

// runStep is a command. One that only prints a file is a read: it can be done again without a shell.
func (s *CallContext) runStep(st *event.Step, c ToolCall, events []event.Event) {
	command := commandText(c.Input)
	st.Act = event.ActRun
	putIn(st, &st.Command, command)
	if c.Input.flag("run_in_background") {
		st.Act = event.ActOther
	}
	if from, lines, ok := printed(command); ok && !st.Secret && !st.Cut && len(events) == 1 &&
		events[0].Kind() == event.KindRead &&
		len(events[0].Paths()) == 1 {
		st.Act, st.Paths, st.Offset, st.Limit = event.ActRead, events[0].Paths(), from, lines
	}
}

// printed takes apart the commands that print a part of one file: cat FILE, head -n N FILE, sed -n 'A,Bp' FILE.
func printed(command string) (from, lines int, ok bool) {
	w := strings.Fields(command)
	if strings.ContainsAny(command, "|&;<>$`(){}*?\\\n") {
		return 0, 0, false
	}
	switch {
	case len(w) == 2 && (w[0] == "cat" || w[0] == "nl"):
		return 0, 0, !strings.HasPrefix(w[1], "-")
	case len(w) == 3 && w[0] == "cat" && w[1] == "-n":
		return 0, 0, true
	case len(w) == 4 && w[0] == "head" && w[1] == "-n":
		n, err := strconv.Atoi(w[2])
		return 0, n, err == nil && n > 0
	case len(w) == 3 && w[0] == "head" && strings.HasPrefix(w[1], "-"):
		n, err := strconv.Atoi(w[1][1:])
		return 0, n, err == nil && n > 0
	case len(w) == 4 && w[0] == "sed" && w[1] == "-n":
		a, b, two := strings.Cut(strings.TrimSuffix(strings.Trim(w[2], `'"`), "p"), ",")
		first, err := strconv.Atoi(a)
		last, err2 := strconv.Atoi(b)
		return first, last - first + 1, two && err == nil && err2 == nil && first > 0 && last >= first
	}
	return 0, 0, false
}

// putIn puts an input into a step, without its secrets.
func putIn(st *event.Step, to *string, text string) {
	clean := redact.Text(event.Clip(text, maxCommand))
	st.Secret = st.Secret || clean != text && len(text) <= maxCommand
	if len(clean) > maxStepText || len(text) > maxCommand {
		clean, st.Cut = event.Clip(clean, maxStepText), true
	}
	*to = clean
}

// swaps are the replacements of an edit. Without both texts of each it cannot be done again.
func swaps(st *event.Step, c ToolCall) {
	all := []any{map[string]any(c.Input)}
	if list, _ := c.Input["edits"].([]any); len(list) > 0 {
		all, st.Cut = list[:min(len(list), maxStepEdits)], len(list) > maxStepEdits
	}
	for _, edit := range all {
		o, _ := edit.(map[string]any)
		old, one := o["old_string"].(string)
		now, two := o["new_string"].(string)
		if !one || !two || old == "" || max(len(old), len(now)) > maxSwap {
			st.Edits, st.Cut = nil, true
			return
		}
		if redact.Text(old) != old || redact.Text(now) != now {
			st.Edits, st.Secret = nil, true
			return
		}
		st.Edits = append(st.Edits, event.Swap{Old: old, New: now, All: arguments(o).flag("replace_all")})
	}
}
