package install

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/hooks/agents"
)

// The status line of Claude Code is one command in its settings. Ours is the only one where there is none, else it is
// around the present one, whose bytes stay in the file except for quotes: taking ours off again gives them back.
// Without the binary the original still runs.
const (
	statusOnly   = `command -v aoa >/dev/null 2>&1 || exit 0; exec aoa statusline`
	statusBefore = `command -v aoa >/dev/null 2>&1 || exec sh -c '`
	statusMiddle = `'; exec aoa statusline --wrap '`
	statusBehind = `'`

	statusKey = "statusLine"
)

// ourStatus recognises a command that shows our status line, whoever wrote it.
var ourStatus = regexp.MustCompile(`(^|[\s;&|/\\"'])aoa(\.exe)?["']?\s+statusline\b`)

// statusSetting is what we enter where there is none.
type statusSetting struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

// AddStatusLine enters our status line into a settings file of Claude Code, around the one that is there. Twice is
// once, every other byte stays. The error is a *Refusal when the file cannot be edited safely.
func AddStatusLine(file string, o Options) (Change, error) {
	f, s, err := openStatus(file, o)
	if err != nil {
		return Change{}, err
	}
	ours := `"` + statusKey + `":` + compact(statusSetting{"command", statusOnly})
	f.snippet = indent("{"+ours+"}", "", "  ") + "\n"
	if f.old == nil {
		return f.write(Created, []byte(f.snippet))
	}
	command, err := s.statusCommand()
	switch {
	case err != nil:
		return Change{}, f.refuse(err.Error())
	case command == nil:
		s.root.Members = add(s, s.root.Members, s.parseMembers, ours)
	case ourStatus.MatchString(textOf(command)):
		return Change{File: file, Done: Unchanged}, nil
	default:
		command.Value = hujson.Literal(wrapStatus(string(command.Value.(hujson.Literal))))
	}
	return f.write(Changed, s.bytes())
}

// RemoveStatusLine takes ours out again. If nobody else has changed the file since AddStatusLine, it is as it was
// before, to the byte; a file that AddStatusLine made is deleted.
func RemoveStatusLine(file string, o Options) (Change, error) {
	f, s, err := openStatus(file, o)
	if f != nil && !bytes.Contains(f.old, []byte("aoa")) { // whatever it is, ours is not in it
		return Change{File: file, Done: Absent}, nil
	}
	if err != nil {
		return Change{}, err
	}
	command, err := s.statusCommand()
	switch {
	case err != nil:
		return Change{}, f.refuse(err.Error())
	case command == nil || !ourStatus.MatchString(textOf(command)):
		return Change{File: file, Done: Absent}, nil
	}
	if original, ok := unwrapStatus(string(command.Value.(hujson.Literal))); ok {
		command.Value = hujson.Literal(original)
		return f.write(Changed, s.bytes())
	}
	if textOf(command) != statusOnly {
		return Change{}, f.refuse("its status line runs aOa in a form that aoa statusline install does not make")
	}
	if s.removeMember(statusKey) {
		return f.delete()
	}
	return f.write(Changed, s.bytes())
}

// openStatus reads the file; the settings are nil when it does not exist or cannot be edited.
func openStatus(file string, o Options) (*settingsFile, *settings, error) {
	claude, _ := agents.Find("claude")
	f, err := open(claude, file, o)
	if err != nil {
		return nil, nil, err
	}
	if f.snippet = ""; f.old == nil {
		return f, nil, nil
	}
	s, err := parseSettings(f.old, claude)
	if err != nil {
		return f, nil, f.refuse(err.Error())
	}
	return f, s, nil
}

// textOf is the text of a JSON string, "" for another value.
func textOf(v *hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String()
	}
	return ""
}

// statusCommand finds the string that the status line runs, nil if there is no status line.
func (s *settings) statusCommand() (*hujson.Value, error) {
	line, err := member(s.root, statusKey)
	if err != nil || line == nil {
		return nil, err
	}
	o, ok := line.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New(`its "statusLine" is not an object`)
	}
	kind, err := member(o, "type")
	if err != nil {
		return nil, err
	}
	if kind != nil && textOf(kind) != "command" {
		return nil, errors.New(`its "statusLine" is not of type "command"`)
	}
	command, err := member(o, "command")
	if err != nil {
		return nil, err
	}
	if command == nil || textOf(command) == "" {
		return nil, errors.New(`its "statusLine" has no "command"`)
	}
	return command, nil
}

// wrapStatus puts ours around a string of JSON: escapes stay as they were written, each single quote
// leaves the shell's quotes for itself.
func wrapStatus(raw string) string {
	quoted := strings.Join(eachChar(raw[1:len(raw)-1], func(c string) string {
		if c == `'` || c == `\u0027` {
			return `'\\` + c + `'`
		}
		return c
	}), "")
	// The shell sees '\'' however the middle one was written.
	return `"` + jsonInner(statusBefore) + quoted + jsonInner(statusMiddle) + quoted + jsonInner(statusBehind) + `"`
}

// unwrapStatus takes ours off again; ok is false for a string that wrapStatus does not make.
func unwrapStatus(raw string) (original string, ok bool) {
	inner, ok := strings.CutPrefix(raw[1:len(raw)-1], jsonInner(statusBefore))
	if !ok {
		return "", false
	}
	inner, ok = strings.CutSuffix(inner, jsonInner(statusBehind))
	half := len(inner) - len(jsonInner(statusMiddle))
	if !ok || half < 0 || half%2 != 0 || inner[:half/2] != inner[len(inner)-half/2:] ||
		inner[half/2:len(inner)-half/2] != jsonInner(statusMiddle) {
		return "", false
	}
	original = inner[:half/2]
	for _, c := range []string{`'`, `\u0027`} {
		original = strings.ReplaceAll(original, `'\\`+c+`'`, c)
	}
	return `"` + original + `"`, wrapStatus(`"`+original+`"`) == raw
}

// eachChar maps the characters of a JSON string, escapes whole.
func eachChar(inner string, to func(string) string) []string {
	var out []string
	for i := 0; i < len(inner); {
		n := 1
		if inner[i] == '\\' && i+1 < len(inner) {
			if n = 2; inner[i+1] == 'u' {
				n = 6
			}
		}
		n = min(n, len(inner)-i)
		out = append(out, to(inner[i:i+n]))
		i += n
	}
	return out
}

// jsonInner is a text as it is within the quotes of JSON.
func jsonInner(s string) string {
	q := compact(s)
	return q[1 : len(q)-1]
}
