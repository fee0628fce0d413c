package install

import (
	"bytes"
	"regexp"

	"github.com/aoa-dev/aoa/hooks/agents"
)

// statusKey is the member of Claude Code's settings that holds the one status line.
const statusKey = "statusLine"

// ourStatus recognizes a status line of ours, whoever wrote it.
var ourStatus = regexp.MustCompile(`[\s;&|/\\"']aoa(\.exe)?["'\\]*\s+statusline\b`)

// statusSetting is a status line.
type statusSetting struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

// Without aoa the line stays empty.
var (
	ownLineOnly = statusSetting{"command", `command -v aoa >/dev/null 2>&1 || exit 0; exec aoa statusline`}
	behindYours = statusSetting{"command", `aoa statusline --wrap 'YOUR COMMAND'`}
)

func statusJSON(s statusSetting) string { return `"` + statusKey + `":` + compact(s) }

func statusSnippet(s statusSetting) string { return indent("{"+statusJSON(s)+"}", "", "  ") + "\n" }

// AddStatusLine enters our status line into a settings file of Claude Code that has none. Twice is once, every other
// byte stays. The error is a *Refusal when the file has another one or cannot be edited safely.
func AddStatusLine(file string, o Options) (Change, error) {
	f, s, err := openStatus(file, o)
	if err != nil {
		return Change{}, err
	}
	if f.snippet = statusSnippet(ownLineOnly); f.old == nil {
		return f.write(Created, []byte(f.snippet))
	}
	line, err := member(s.root, statusKey)
	switch {
	case err != nil:
		return Change{}, f.refuse(err.Error())
	case line == nil:
		s.root.Members = add(s, s.root.Members, s.parseMembers, statusJSON(ownLineOnly))
		return f.write(Changed, s.bytes())
	case ourStatus.Match(line.Pack()):
		return Change{File: file, Done: Unchanged}, nil
	}
	f.snippet = statusSnippet(behindYours)
	return Change{}, f.refuse("it has a status line, which can be wrapped")
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
	line, err := member(s.root, statusKey)
	var now statusSetting
	switch {
	case err != nil:
		return Change{}, f.refuse(err.Error())
	case line == nil || !ourStatus.Match(line.Pack()):
		return Change{File: file, Done: Absent}, nil
	case !decode(*line, &now) || now != ownLineOnly:
		return Change{}, f.refuse("its status line runs aOa in a form that aoa statusline install does not make")
	case s.removeMember(statusKey):
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
