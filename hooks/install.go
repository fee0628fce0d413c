package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ErrRefused is wrapped by every refusal to edit somebody's file. Nothing was changed then.
var ErrRefused = errors.New("not edited")

// Refusal says why a file was left alone, and what to put there by hand.
type Refusal struct {
	File    string
	Why     string // "it is not valid JSON (…)"
	Snippet string // what should be in the file; empty when removing
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("edit %s: %s: %v; change it by hand", r.File, r.Why, ErrRefused)
}

// Unwrap makes errors.Is(err, ErrRefused) hold.
func (r *Refusal) Unwrap() error { return ErrRefused }

// Change is what became of a file.
type Change struct {
	File string
	Done string // "created", "changed", "unchanged", "deleted", or "absent" when there was nothing to remove
}

// What became of a file.
const (
	Created   = "created"
	Changed   = "changed"
	Unchanged = "unchanged"
	Deleted   = "deleted"
	Absent    = "absent"
)

// Status is what a settings file or git hook holds of ours.
type Status struct {
	File   string
	State  string   // "installed", "outdated", "absent", "refused"
	Events []string // that run aoa, in the file's order
	Note   string   // why refused
}

// States of an installation.
const (
	Installed = "installed"
	Outdated  = "outdated"
	Refused   = "refused"
)

// Options are for Install, Remove and Examine; the zero value works.
type Options struct {
	Within string // a symlink may lead anywhere inside this folder; default: the parent of the file's folder
}

// ours recognises the handlers of an agent by their command, whoever wrote them.
func (a Agent) ours() func(handler) bool {
	command := regexp.MustCompile(`(^|[\s;&|/\\"'])aoa(\.exe)?["']?\s+hook\s+` + a.Name + `\b`)
	return func(h handler) bool {
		return slices.ContainsFunc([]string{h.Command + " " + strings.Join(h.Args, " "), h.CommandWindows, h.Bash, h.PowerShell}, command.MatchString)
	}
}

// Snippet is the whole of what Install enters, for those who wire by hand.
func Snippet(agent string) (string, error) {
	a, err := AgentOf(agent)
	if err != nil {
		return "", err
	}
	return a.snippet(), nil
}

func (a Agent) snippet() string {
	if a.plugin != "" {
		return string(a.program())
	}
	version := ""
	if a.form.flat {
		version = `,"version":1` // behind the hooks: see excise
	}
	return indent(`{"hooks":`+eventsJSON(a.groups(), a.form.flat)+version+`}`, "", "  ") + "\n"
}

// Install enters our hooks into a settings file of an agent and keeps every other byte of it. Twice is once;
// entries of an older version are replaced. The error is a *Refusal when the file cannot be edited safely, and
// wraps ErrAgent when there is no such agent.
func Install(agent, file string, o Options) (Change, error) {
	a, err := AgentOf(agent)
	if err != nil {
		return Change{}, fmt.Errorf("install hooks: %w", err)
	}
	f, err := a.open(file, o)
	if err != nil {
		return Change{}, err
	}
	if a.plugin != "" {
		return f.installProgram(a.program())
	}
	if f.old == nil {
		return f.write(Created, []byte(f.snippet))
	}
	s, err := parseSettings(f.old, a)
	if err != nil {
		return Change{}, f.refuse(err.Error())
	}
	want := a.groups()
	have, mixed := s.own()
	if !mixed && sameGroups(have, want) {
		return Change{File: file, Done: Unchanged}, nil
	}
	if mixed || len(have) > 0 {
		rest, empty := s.excise()
		if empty {
			return f.write(Changed, []byte(f.snippet))
		}
		if s, err = parseSettings(rest, a); err != nil {
			return Change{}, f.refuse(err.Error())
		}
	}
	out := s.insert(want)
	if _, err := parseSettings(out, a); err != nil {
		return Change{}, f.refuse("editing it would break it: " + err.Error())
	}
	return f.write(Changed, out)
}

// Remove takes our handlers out. If nothing else has changed since Install, the file is as it was before, to the
// byte; a file that Install made is deleted.
func Remove(agent, file string, o Options) (Change, error) {
	a, err := AgentOf(agent)
	if err != nil {
		return Change{}, fmt.Errorf("remove hooks: %w", err)
	}
	f, err := a.open(file, o)
	if err != nil {
		return Change{}, err
	}
	f.snippet = ""
	if f.old == nil || !bytes.Contains(f.old, []byte("aoa")) {
		return Change{File: file, Done: Absent}, nil
	}
	if a.plugin != "" {
		return f.removeProgram()
	}
	s, err := parseSettings(f.old, a)
	if err != nil {
		return Change{}, f.refuse(err.Error())
	}
	out, empty := s.excise()
	switch {
	case empty:
		return f.remove()
	case bytes.Equal(out, f.old):
		return Change{File: file, Done: Absent}, nil
	}
	if _, err := parseSettings(out, a); err != nil {
		return Change{}, f.refuse("editing it would break it: " + err.Error())
	}
	return f.write(Changed, out)
}

// Examine says what Install would find.
func Examine(agent, file string, o Options) (Status, error) {
	st := Status{File: file, State: Absent}
	a, err := AgentOf(agent)
	if err != nil {
		return st, fmt.Errorf("look at hooks: %w", err)
	}
	f, err := a.open(file, o)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		st.State, st.Note = Refused, refusal.Why
		return st, nil
	}
	if err != nil || f.old == nil {
		return st, err
	}
	if a.plugin != "" {
		return a.examineProgram(f), nil
	}
	s, err := parseSettings(f.old, a)
	if err != nil {
		st.State, st.Note = Refused, err.Error()
		return st, nil
	}
	have, mixed := s.own()
	for _, g := range have {
		st.Events = append(st.Events, g.Event)
	}
	if mixed || len(have) > 0 {
		st.State = Outdated
		if !mixed && sameGroups(have, a.groups()) {
			st.State = Installed
		}
	}
	return st, nil
}

// sameGroups compares in any order: the file's own order of events stands.
func sameGroups(have, want []group) bool {
	return len(have) == len(want) && !slices.ContainsFunc(want, func(w group) bool {
		return !slices.ContainsFunc(have, func(h group) bool { return sameGroup(h, w) })
	})
}

func sameGroup(a, b group) bool { return a.Event == b.Event && compact(a) == compact(b) }
