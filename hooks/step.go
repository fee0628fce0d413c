package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// Bounds of what is kept of a call so that it can be done again. An input that exceeds them is marked as cut.
const (
	maxStepText  = 2048 // bytes of a command or a pattern
	maxStepEdits = 32   // replacements of one call
)

// steps is the call as something that can be told of and done again; none for calls that have nothing to do with the
// repository. events are those of the same call.
func (s *scene) steps(c toolCall, events []event.Event) []event.Step {
	server, _ := splitMCP(c.name)
	if silent[c.name] || c.name == "" || server == "aoa" || strings.HasSuffix(server, "_aoa") {
		return nil
	}
	st := event.Step{ID: toolCall{id: s.unique(c.id)}.eventID(s.subagent), Time: s.at, Subagent: s.subagent, Tool: clip(c.name, 64), Act: event.ActOther, OK: !c.failed}
	if len(events) > 0 {
		st.ID = events[0].ID // a call without an id has been given one
	} else if c.id == "" {
		return nil
	}
	switch c.name {
	case "Read":
		s.fileStep(&st, c, event.ActRead)
		st.Offset, st.Limit = c.input.number("offset"), c.input.number("limit")
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
		st.Found = max(st.Found, len(e.Seen))
	}
	text := output(c.response)
	if c.failed {
		text = c.problem
	}
	if st.Bytes = len(text); text != "" {
		sum := sha256.Sum256([]byte(text))
		st.Digest = hex.EncodeToString(sum[:8])
	}
	return []event.Step{st}
}

func (s *scene) fileStep(st *event.Step, c toolCall, act event.Act) {
	p, ok := s.place.file(c.input.text("file_path", "notebook_path", "path"), "")
	if ok && !s.ignored(p) {
		st.Act, st.Paths = act, []event.Path{p}
	}
}

// opens names the files that the events of the call opened.
func opens(st *event.Step, events []event.Event) {
	for _, e := range events {
		if e.Kind.Open() {
			st.Paths = append(st.Paths, e.Paths...)
		}
	}
	st.Paths = st.Paths[:min(len(st.Paths), event.MaxSeen)]
}

func (s *scene) searchStep(st *event.Step, c toolCall) {
	if where := c.input.text("path"); where != "" {
		rel, ok := s.place.inside(s.place.abs(where, ""))
		if !ok {
			return // outside of the repository
		}
		st.Folder = event.Path(rel)
	} else if rel, ok := s.place.inside(s.place.cwd); ok {
		st.Folder = event.Path(rel)
	}
	st.Act = event.ActList
	if c.name == "Grep" {
		st.Act = event.ActSearch
		putIn(st, &st.Pattern, c.input.text("pattern"))
		putIn(st, &st.Glob, c.input.text("glob"))
		st.Mode, st.Limit = map[string]string{"content": "content", "count": "count"}[c.input.text("output_mode")], c.input.number("head_limit")
		st.Fold = c.input.flag("-i")
		// What the replay cannot do as the tool does is not done at all.
		if c.input.flag("multiline") || c.input.text("type") != "" {
			st.Cut = true
		}
		if st.Mode == "" {
			st.Mode = "files"
		}
		return
	}
	putIn(st, &st.Glob, c.input.text("pattern"))
}

// runStep is a command. One that only prints a file is a read: it can be done again without a shell.
func (s *scene) runStep(st *event.Step, c toolCall, events []event.Event) {
	command := c.input.text("command", "cmd")
	if list := c.input.texts("command"); command == "" && len(list) > 0 {
		command = joinArgv(list)
	}
	st.Act = event.ActRun
	putIn(st, &st.Command, command)
	if c.input.flag("run_in_background") {
		st.Act = event.ActOther
	}
	if from, lines, ok := printed(command); ok && !st.Secret && !st.Cut && len(events) == 1 && events[0].Kind == event.KindRead && len(events[0].Paths) == 1 {
		st.Act, st.Paths, st.Offset, st.Limit = event.ActRead, events[0].Paths, from, lines
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
	clean := redact.Text(clip(text, maxCommand))
	st.Secret = st.Secret || clean != text && len(text) <= maxCommand
	if len(clean) > maxStepText || len(text) > maxCommand {
		clean, st.Cut = clip(clean, maxStepText), true
	}
	*to = clean
}

// swaps are the replacements of an edit. Without both texts of each it cannot be done again.
func swaps(st *event.Step, c toolCall) {
	all := []object{c.input}
	if list := c.input.list("edits"); len(list) > 0 {
		all = nil
		for _, raw := range list[:min(len(list), maxStepEdits)] {
			all = append(all, parse(raw))
		}
		st.Cut = len(list) > maxStepEdits
	}
	for _, o := range all {
		old, one := stringOf(o["old_string"])
		now, two := stringOf(o["new_string"])
		if !one || !two || old == "" {
			st.Edits, st.Cut = nil, true
			return
		}
		if redact.Text(old) != old || redact.Text(now) != now {
			st.Edits, st.Secret = nil, true
			return
		}
		st.Edits = append(st.Edits, event.Swap{Old: old, New: now, All: o.flag("replace_all")})
	}
}

func (o object) number(key string) int {
	var n json.Number
	if json.Unmarshal(o[key], &n) != nil {
		return 0
	}
	i, err := strconv.Atoi(n.String())
	if err != nil || i < 0 {
		return 0
	}
	return i
}
