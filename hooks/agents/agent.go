package agents

import "time"

// Shape is the JSON in which an agent takes text for its model.
type Shape uint8

// The shapes.
const (
	None   Shape = iota // no text reaches the model, or it would keep a turn going that was about to end
	Nested              // {"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}
	Camel               // {"additionalContext":…}
	Snake               // {"additional_context":…}
	Steps               // {"injectSteps":[{"ephemeralMessage":…}]}
	Person              // {"systemMessage":…}: the person reads it, and no model
)

// Event is one event of an agent's hooks.
type Event struct {
	// as the agent spells it; Cursor and Copilot spell the first letter small or, in Claude Code's
	// settings, large
	Name      string
	Canonical string // Claude Code's name for it
	Context   Shape  // how text reaches the model there
	Installed bool   // install enters our command there
	Matcher   string // of the entry
	Timeout   int    // of the entry, in seconds; 0 is the agent's default
	Async     bool   // the agent does not wait for the command, so nothing that it prints is read
}

// Awaited reports whether the agent waits for our command there and passes on what it prints.
func (e Event) Awaited() bool { return e.Context != None && e.Installed && !e.Async }

// The time in which a hook answers. A hook that takes longer is worse than one without an answer.
const (
	hintDeadline   = 50 * time.Millisecond
	promptDeadline = 150 * time.Millisecond
	startDeadline  = 400 * time.Millisecond
)

// Deadline is how long an answer may take. starts says that a daemon that does not run is started
// within that time, and answers.
func (e Event) Deadline() (wait time.Duration, starts bool) {
	switch e.Canonical {
	case "SessionStart":
		return startDeadline, true
	case "UserPromptSubmit":
		return promptDeadline, true
	case "Stop":
		return startDeadline, false // nobody waits for anything else then, and git is asked what the change is
	}
	return hintDeadline, false
}

// Settings say where an agent keeps its hooks. Names have forward slashes.
type Settings struct {
	Project string // the file of a worktree
	Local   string // the personal file of a worktree, if it is another one
	Home    string // the name of the agent's folder in the user's home folder
	HomeVar string // the variable that names another folder instead
	User    string // the user's file in that folder
	Plugin  string // a program of ours instead of settings: its name in package scripts
	Member  string // of the file, that holds our events; "" is hooks
	Shared  string // another agent whose settings also run aOa for this one, which has no settings of its own
}

// Agent is a coding agent that runs our hook.
type Agent struct {
	Name     string // as in aoa hook NAME
	Title    string // as its makers call it
	Driven   string // the version that the tests drive against scripted models; "" for none
	Note     string // what its user has to know after an installation
	Settings Settings
	Events   []Event
}

// OwnTools are the tools of aOa's MCP server: calls of them teach nothing.
var OwnTools = []string{"list_reload_options", "llm_cache", "missing_partners", "reload_cached", "session_context",
	"suggest_files"}

// Find returns the agent of that name.
func Find(name string) (Agent, bool) {
	for _, a := range All {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// EndsTurns reports whether the agent says that a turn has ended: then a turn without that event
// was interrupted.
func (a Agent) EndsTurns() bool {
	for _, e := range a.Events {
		if e.Canonical == "Stop" && e.Installed {
			return true
		}
	}
	return false
}

// Event returns the event that the agent calls so; the zero Event if it has none.
func (a Agent) Event(name string) Event {
	for _, e := range a.Events {
		if name != "" && len(name) == len(e.Name) && name[0]|0x20 == e.Name[0]|0x20 && name[1:] == e.Name[1:] {
			return e
		}
	}
	return Event{}
}

// EventOf returns the event of that agent, or the zero Event if there is no such agent or event.
func EventOf(agent, event string) Event {
	a, _ := Find(agent)
	return a.Event(event)
}

// Takes reports whether an agent has an installed event with that canonical name at which text
// reaches its model, or the person who reads along, for no more than its tokens. An agent that is
// not in the table does.
func Takes(agent, canonical string) bool {
	a, ok := Find(agent)
	for _, e := range a.Events {
		if e.Canonical == canonical && e.Awaited() {
			return true
		}
	}
	return !ok
}
