package install

import (
	"bytes"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/scripts"
)

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
