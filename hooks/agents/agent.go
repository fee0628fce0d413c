package agents

import "time"

// Shape is the JSON form in which an agent accepts text for its model.
type Shape uint8

// The shapes.
const (
	None   Shape = iota // no text reaches the model, or it would continue a turn that was about to end
	Nested              // {"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}
	Camel               // {"additionalContext":…}
	Snake               // {"additional_context":…}
	Steps               // {"injectSteps":[{"ephemeralMessage":…}]}
	Person              // {"systemMessage":…}, which only the person reads
)

// Event is one event of an agent's hooks.
type Event struct {
	// Name is the agent's own spelling. Cursor and Copilot begin it with a lower-case letter, and
	// with an upper-case one when they run the hooks of Claude Code's settings.
	Name      string
	Canonical string // Claude Code's name for it
	Context   Shape  // the form in which the model gets a text at this event
	Installed bool   // aOa installs its command at this event
	Matcher   string // the matcher of the entry in the settings
	Timeout   int    // the timeout in the entry, in seconds; 0 is the agent's default
	Async     bool   // the agent does not wait for the command, so it reads nothing that the command prints
}

// Awaited reports whether the agent waits for our command at this event and passes on what it
// prints.
func (e Event) Awaited() bool { return e.Context != None && e.Installed && !e.Async }

// The time in which a hook must answer. A late answer is worse than none.
const (
	hintDeadline   = 50 * time.Millisecond
	promptDeadline = 150 * time.Millisecond
	startDeadline  = 400 * time.Millisecond
)

// Deadline returns how long an answer may take. starts means that this includes starting a daemon
// if none is running.
func (e Event) Deadline() (wait time.Duration, starts bool) {
	switch e.Canonical {
	case "SessionStart":
		return startDeadline, true
	case "UserPromptSubmit":
		return promptDeadline, true
	case "Stop":
		return startDeadline, false // no one waits for anything else then, and git has to be asked about the change
	}
	return hintDeadline, false
}

// Settings tell where an agent keeps its hooks. Names have forward slashes.
type Settings struct {
	Project string // the settings file in a worktree
	Local   string // the personal settings file in a worktree, if it is a separate one
	Home    string // the agent's folder in the user's home
	HomeVar string // the environment variable that names another folder
	User    string // the user's settings file in that folder
	Plugin  string // the agent runs a program of ours instead: its name in package scripts
	Member  string // the member of the file that has our events; "" means hooks
	// Another agent whose settings also run aOa for this one, which has no settings of its own.
	Shared string
}

// Agent is a coding agent that runs our hook.
type Agent struct {
	Name     string // as in aoa hook NAME
	Title    string // the name that its makers use
	Driven   string // the version that tests drive against scripted models; "" for none
	Note     string // what its user has to know after the installation
	Settings Settings
	Events   []Event
}

// OwnTools are the tools of aOa's MCP server. Calls of them are not learned.
var OwnTools = []string{"list_reload_options", "llm_cache", "missing_partners", "reload_cached", "session_context",
	"suggest_files"}

// Find returns the agent with this name.
func Find(name string) (Agent, bool) {
	for _, a := range All {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// EndsTurns reports whether the agent reports the end of each turn. If it does, a turn without such
// a report was interrupted.
func (a Agent) EndsTurns() bool {
	for _, e := range a.Events {
		if e.Canonical == "Stop" && e.Installed {
			return true
		}
	}
	return false
}

// Event returns the event with this name; the zero Event if the agent has none.
func (a Agent) Event(name string) Event {
	for _, e := range a.Events {
		if name != "" && len(name) == len(e.Name) && name[0]|0x20 == e.Name[0]|0x20 && name[1:] == e.Name[1:] {
			return e
		}
	}
	return Event{}
}

// EventOf returns an event of an agent; the zero Event if there is no such agent or event.
func EventOf(agent, event string) Event {
	a, _ := Find(agent)
	return a.Event(event)
}

// Takes reports whether an agent has an installed event with this canonical name at which text
// reaches its model or its user. Events at which text would cost a further request do not count. It
// is true for an agent that is not in the table.
func Takes(agent, canonical string) bool {
	a, ok := Find(agent)
	for _, e := range a.Events {
		if e.Canonical == canonical && e.Awaited() {
			return true
		}
	}
	return !ok
}
