package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/scripts"
)

// Refusal is the error for a file that was not edited: why, and what to put there by hand. Nothing
// was changed.
type Refusal struct {
	File    string
	Why     string // "it is not valid JSON (…)"
	Snippet string // what should be in the file; empty when removing
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("edit %s: %s: not edited; change it by hand", r.File, r.Why)
}

// Change tells what was done to a file.
type Change struct {
	File string
	// "created", "changed", "unchanged", "deleted", or "absent" if there was nothing to remove.
	Done string
}

// The values of Change.Done.
const (
	Created   = "created"
	Changed   = "changed"
	Unchanged = "unchanged"
	Deleted   = "deleted"
	Absent    = "absent"
)

// Status tells which of our entries are in a settings file or git hook.
type Status struct {
	File    string
	State   string   // "installed", "outdated", "absent", "refused" or "broken"
	Events  []string // events that run aoa, in the order of the file
	Command string   // the command of the first of them; "" for git and if a plugin runs aoa
	Note    string   // why the file is refused
}

// The values of Status.State.
const (
	Installed = "installed"
	Outdated  = "outdated"
	Refused   = "refused"
	Broken    = "broken" // refused, and the agent ignores the whole file
)

// Options are for Add, Remove and Examine. The zero value works.
type Options struct {
	// A symlink may lead anywhere inside of this folder. The default is the parent of the file's
	// folder.
	Within string
	// The folder of aoa, for a personal file if the agent's PATH may not find it; "" names only the
	// program.
	Programs string
	// The folder (0700) in which files are kept as they were before Add; "" keeps none.
	Kept string
}

// Snippet returns everything that Add would enter, for people who edit by hand.
func Snippet(a agents.Agent, o Options) string {
	a = owner(a)
	if a.Settings.Plugin != "" {
		return string(program(a))
	}
	version := ""
	if flat(a.Name) {
		version = `,"version":1`
	}
	return indent(`{"`+memberOf(a)+`":`+eventsJSON(groupsOf(a, o.Programs))+version+`}`, "", "  ") + "\n"
}

// Add adds our hooks to a settings file of an agent and keeps every other byte of it. Adding them
// twice changes nothing: an entry that is already right stays, and one of an older version is
// replaced. The error is a *Refusal if the file cannot be edited safely.
func Add(a agents.Agent, file string, o Options) (Change, error) {
	a = owner(a)
	f, err := open(a, file, o)
	if err != nil {
		return Change{}, err
	}
	if a.Settings.Plugin != "" {
		return f.installProgram(program(a))
	}
	wrote, done := []byte(f.snippet), Created
	var before []byte
	if f.old != nil {
		if before, wrote, err = edited(a, f, o); err != nil {
			return Change{}, f.refuse(err.Error())
		}
		if done = Changed; bytes.Equal(wrote, f.old) {
			return Change{File: file, Done: Unchanged}, nil
		}
	}
	o.keep(f, before, wrote)
	return f.write(done, wrote)
}

// edited returns a file as it was before aOa came, and as it is with our hooks.
func edited(a agents.Agent, f *settingsFile, o Options) (before, wrote []byte, err error) {
	s, err := parseSettings(f.old, a)
	if err != nil {
		return nil, nil, err
	}
	if k, ok := o.readKept(f); ok {
		before = k.Before
	} else {
		clean, _ := parseSettings(f.old, a)
		if clean.enter(nil); !clean.nothing() || len(s.own()) == 0 {
			before = clean.bytes()
		}
	}
	s.enter(groupsOf(a, o.Programs))
	return before, s.bytes(), nil
}

// Remove removes our handlers. If no one else has changed the file since Add, the file is then the
// same as before, byte by byte; a file that Add created is deleted.
func Remove(a agents.Agent, file string, o Options) (Change, error) {
	a = owner(a)
	f, err := open(a, file, o)
	if err != nil {
		return Change{}, err
	}
	f.snippet = ""
	if f.old == nil || !bytes.Contains(f.old, []byte("aoa")) {
		o.drop(f)
		return Change{File: file, Done: Absent}, nil
	}
	if a.Settings.Plugin != "" {
		return f.removeProgram()
	}
	s, err := parseSettings(f.old, a)
	if err != nil {
		return Change{}, f.refuse(err.Error())
	}
	k, unchanged := o.readKept(f)
	if !unchanged {
		if k.Before = nil; len(s.own()) == 0 {
			o.drop(f)
			return Change{File: file, Done: Absent}, nil
		}
		if s.enter(nil); !s.nothing() {
			k.Before = s.bytes()
		}
	}
	var c Change
	if k.Before == nil {
		c, err = f.delete()
	} else {
		c, err = f.write(Changed, k.Before)
	}
	if err == nil {
		o.drop(f)
	}
	return c, err
}

// Examine tells which of our entries a settings file has, and whether Add could edit it.
func Examine(a agents.Agent, file string, o Options) (Status, error) {
	a = owner(a)
	st := Status{File: file, State: Absent}
	f, err := open(a, file, o)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		st.State, st.Note = Refused, refusal.Why
		return st, nil
	}
	if err != nil || f.old == nil {
		return st, err
	}
	if a.Settings.Plugin != "" {
		return examineProgram(a, f), nil
	}
	s, err := parseSettings(f.old, a)
	if err != nil {
		if st.State, st.Note = Refused, err.Error(); errors.Is(err, errSyntax) {
			st.State = Broken
		}
		return st, nil
	}
	have := s.own()
	for _, e := range have {
		st.Events = append(st.Events, e.Event)
	}
	if len(have) > 0 {
		h := have[0].Hooks[have[0].some[0]]
		st.Command = h.Command + h.Bash
		if st.State = Outdated; sameGroups(have, groupsOf(a, Folder(st.Command))) {
			st.State = Installed
		}
	}
	return st, nil
}

// sameGroups compares groups in any order, because the file keeps its own order of events.
func sameGroups(have []entry, want []group) bool {
	return len(have) == len(want) && !slices.ContainsFunc(want, func(w group) bool {
		return !slices.ContainsFunc(have, func(e entry) bool { return e.all && same(e.group, w) })
	})
}

// If an agent runs a program instead of commands in settings, the whole file is ours, and its first
// line says so. The file is created, replaced and deleted as a whole. A file without that line is
// not ours.

// program returns our plugin for an agent.
func program(a agents.Agent) []byte {
	b, err := scripts.Read(a.Settings.Plugin)
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}

// programMark occurs in the first line of our programs.
const programMark = "(managed; remove with: aoa hooks remove"

func oursWhole(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.Contains(line, []byte(programMark))
}

func (f *settingsFile) installProgram(want []byte) (Change, error) {
	switch {
	case f.old == nil:
		return f.write(Created, want)
	case bytes.Equal(f.old, want):
		return Change{File: f.name, Done: Unchanged}, nil
	case !oursWhole(f.old):
		return Change{}, f.refuse("aOa did not make it: its first line does not say so")
	}
	return f.write(Changed, want)
}

func (f *settingsFile) removeProgram() (Change, error) {
	if !oursWhole(f.old) {
		return Change{File: f.name, Done: Absent}, nil
	}
	return f.delete()
}

func examineProgram(a agents.Agent, f *settingsFile) Status {
	st := Status{File: f.name, State: Absent}
	switch {
	case bytes.Equal(f.old, program(a)):
		st.State = Installed
	case oursWhole(f.old):
		st.State = Outdated
	default:
		st.State, st.Note = Refused, "aOa did not make it: its first line does not say so"
		return st
	}
	for _, e := range a.Events {
		st.Events = append(st.Events, e.Name)
	}
	return st
}
