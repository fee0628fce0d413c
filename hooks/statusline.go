package hooks

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

// The status line of Claude Code is one command in its settings. Ours goes in alone where there is none, else around
// the present one, whose bytes stay in the file as they are but for quotes: taking ours off again gives them back.
// Behind a missing binary theirs still runs.
const (
	statusAlone  = `command -v aoa >/dev/null 2>&1 || exit 0; exec aoa statusline`
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

// InstallStatusLine enters our status line into a settings file of Claude Code, around the one that is there. Twice is
// once, every other byte stays. The error is a *Refusal when the file cannot be edited safely.
func InstallStatusLine(file string, o Options) (Change, error) {
	f, s, err := openStatus(file, o)
	if err != nil {
		return Change{}, err
	}
	alone := `"` + statusKey + `":` + compact(statusSetting{"command", statusAlone})
	f.snippet = indent("{"+alone+"}", "", "  ") + "\n"
	if f.old == nil {
		return f.write(Created, []byte(f.snippet))
	}
	member, command, err := s.statusLine()
	switch {
	case err != nil:
		return Change{}, f.refuse(err.Error())
	case member == nil:
		return f.writeStatus(s.apply([]splice{s.add(objectList(s.root, s.open), []string{alone})}))
	case ourStatus.MatchString(command.text):
		return Change{File: file, Done: Unchanged}, nil
	}
	return f.writeStatus(s.apply([]splice{{command.start, command.end, wrapStatus(command.raw)}}))
}

// RemoveStatusLine takes ours out again. If nothing else has changed since InstallStatusLine, the file is as it was
// before, to the byte; a file that it made is deleted.
func RemoveStatusLine(file string, o Options) (Change, error) {
	f, s, err := openStatus(file, o)
	if err != nil {
		return Change{}, err
	}
	if f.old == nil {
		return Change{File: file, Done: Absent}, nil
	}
	member, command, err := s.statusLine()
	switch {
	case err != nil:
		return Change{}, f.refuse(err.Error())
	case member == nil || !ourStatus.MatchString(command.text):
		return Change{File: file, Done: Absent}, nil
	}
	if theirs, ok := unwrapStatus(command.raw); ok {
		return f.writeStatus(s.apply([]splice{{command.start, command.end, theirs}}))
	}
	if command.text != statusAlone {
		return Change{}, f.refuse("its status line runs aOa in a form that aoa statusline install does not make")
	}
	root := objectList(s.root, s.open)
	gone := make([]bool, len(root.items))
	for i := range root.items {
		gone[i] = root.items[i].start == member.start
	}
	whole, cuts := s.remove(root, gone)
	if !whole {
		return f.writeStatus(s.apply(cuts))
	}
	rest := string(s.src[:member.start]) + string(s.src[member.end:])
	if strings.Trim(rest, " \t\r\n,{}") == "" {
		return f.remove()
	}
	return f.writeStatus(s.apply([]splice{{member.start, s.behindComma(member.end), ""}})) // comments stay
}

// StatusLineFor is the command that shows our status line around another one, "" being none: for those who wire by hand.
func StatusLineFor(theirs string) string {
	switch {
	case theirs == "":
		return statusAlone
	case ourStatus.MatchString(theirs):
		return theirs
	}
	quoted := strings.ReplaceAll(theirs, "'", `'\''`)
	return statusBefore + quoted + statusMiddle + quoted + statusBehind
}

// openStatus reads the file; the settings are nil when it does not exist.
func openStatus(file string, o Options) (*settingsFile, *settings, error) {
	a, err := AgentOf("claude")
	if err != nil {
		return nil, nil, err
	}
	f, err := a.open(file, o)
	if err != nil {
		return nil, nil, err
	}
	if f.snippet = ""; f.old == nil {
		return f, nil, nil
	}
	s, err := parseSettings(f.old, a)
	if err != nil {
		return nil, nil, f.refuse(err.Error())
	}
	return f, s, nil
}

// writeStatus writes what is still a settings file.
func (f *settingsFile) writeStatus(out []byte) (Change, error) {
	if _, err := hujson.Parse(bytes.TrimPrefix(bytes.Clone(out), bom)); err != nil {
		return Change{}, f.refuse("editing it would break it: " + err.Error())
	}
	return f.write(Changed, out)
}

// literal is a string in the source.
type literal struct {
	start, end int
	raw        string // with its quotes and escapes
	text       string
}

// statusLine finds the member and the string that it runs; member is nil if there is none.
func (s *settings) statusLine() (member *item, command literal, err error) {
	if member, err = only(s.root, statusKey); err != nil || member == nil {
		return nil, command, err
	}
	obj, ok := member.value.Value.(*hujson.Object)
	if !ok {
		return nil, command, errors.New(`its "statusLine" is not an object`)
	}
	kind, err := only(obj, "type")
	if err != nil {
		return nil, command, err
	}
	if kind != nil {
		if l, ok := kind.value.Value.(hujson.Literal); !ok || l.Kind() != '"' || l.String() != "command" {
			return nil, command, errors.New(`its "statusLine" is not of type "command"`)
		}
	}
	it, err := only(obj, "command")
	if err != nil {
		return nil, command, err
	}
	if it != nil {
		if l, ok := it.value.Value.(hujson.Literal); ok && l.Kind() == '"' && l.String() != "" {
			at := it.value.StartOffset
			return member, literal{at, it.value.EndOffset, string(s.src[at:it.value.EndOffset]), l.String()}, nil
		}
	}
	return nil, command, errors.New(`its "statusLine" has no "command"`)
}

// wrapStatus puts ours around a string as it stands in JSON: escapes stay as they were written, each single quote
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
func unwrapStatus(raw string) (theirs string, ok bool) {
	inner, ok := strings.CutPrefix(raw[1:len(raw)-1], jsonInner(statusBefore))
	if !ok {
		return "", false
	}
	inner, ok = strings.CutSuffix(inner, jsonInner(statusBehind))
	half := len(inner) - len(jsonInner(statusMiddle))
	if !ok || half < 0 || half%2 != 0 || inner[:half/2] != inner[len(inner)-half/2:] || inner[half/2:len(inner)-half/2] != jsonInner(statusMiddle) {
		return "", false
	}
	theirs = inner[:half/2]
	for _, c := range []string{`'`, `\u0027`} {
		theirs = strings.ReplaceAll(theirs, `'\\`+c+`'`, c)
	}
	return `"` + theirs + `"`, wrapStatus(`"`+theirs+`"`) == raw
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

// jsonInner is a text as it stands within the quotes of JSON.
func jsonInner(s string) string {
	q := compact(s)
	return q[1 : len(q)-1]
}
