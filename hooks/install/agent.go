package install

import (
	"cmp"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/aoa-dev/aoa/hooks/agents"
)

// Scope tells whose settings are meant: one person's in all repositories (User), those of everyone
// who works on a repository (Project), or one person's in one worktree (Local).
type Scope string

// The scopes of an installation.
const (
	User    Scope = "user"
	Project Scope = "project"
	Local   Scope = "local"
)

// Scopes has all scopes, the default first.
var Scopes = []Scope{Local, Project, User}

// File returns the settings file of an agent in a scope. root is the worktree, home the user's
// home, getenv reads the environment. Most agents have no separate personal file in a worktree;
// then it is the project's file, and Exclude keeps it out of git.
func File(a agents.Agent, scope Scope, root, home string, getenv func(string) string) string {
	s := a.Settings
	if scope == User {
		dir := filepath.Join(home, s.Home)
		if s.HomeVar != "" && filepath.IsAbs(getenv(s.HomeVar)) {
			dir = getenv(s.HomeVar)
		}
		return filepath.Join(dir, filepath.FromSlash(s.User))
	}
	name := s.Project
	if scope == Local {
		name = Pattern(a)
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// Pattern returns the file of the local scope as git names it, for Exclude and Unexclude.
func Pattern(a agents.Agent) string {
	if a.Settings.Local != "" {
		return a.Settings.Local
	}
	return a.Settings.Project
}

// Command returns the command that an agent runs: aoa-hook if it is installed, else aoa. dir is the
// folder of both, "" if they are on the agent's PATH. If neither exists, or the system cannot run
// it, the command succeeds and prints nothing. Otherwise some agents would print an error at every
// event, and Copilot would refuse the tool. This is why the command does not use exec: exec of a
// damaged program would end the shell with 126. Change the command rarely, because Codex asks its
// user to trust each new one.
func Command(dir, agent string, args ...string) string {
	call := strings.Join(append([]string{agent}, args...), " ")
	small, isSmall := shellName(dir, "aoa-hook")
	whole, isWhole := shellName(dir, "aoa")
	return isSmall + " && { " + small + " " + call + " 2>/dev/null; exit 0; }; " +
		isWhole + " && " + whole + " hook " + call + " 2>/dev/null; exit 0"
}

// shellName returns how a shell names a program in a folder, and how it tests whether the program
// exists.
func shellName(dir, name string) (word, test string) {
	if dir == "" {
		return name, "command -v " + name + " >/dev/null 2>&1"
	}
	word = "'" + strings.ReplaceAll(dir+"/"+name, "'", `'\''`) + "'"
	return word, "[ -x " + word + " ]"
}

// inFolder matches the folder in a result of Command.
var inFolder = regexp.MustCompile(`^\[ -x '(.*)/aoa-hook' \] && `)

// Folder returns the folder whose programs a command made by Command runs, "" if it runs those on
// the PATH.
func Folder(command string) string {
	found := inFolder.FindStringSubmatch(command)
	if found == nil {
		return ""
	}
	return strings.ReplaceAll(found[1], `'\''`, "'")
}

// powerShellCommand is like Command, with the programs on the PATH, for PowerShell. cmdCommand is
// the same for cmd.exe.
func powerShellCommand(agent string, args ...string) string {
	call := strings.Join(append([]string{agent}, args...), " ")
	return "if (Get-Command aoa-hook -ErrorAction SilentlyContinue) { aoa-hook " + call +
		" } elseif (Get-Command aoa -ErrorAction SilentlyContinue) { aoa hook " + call + " }"
}

func cmdCommand(agent string) string {
	return "where aoa-hook >nul 2>&1 && aoa-hook " + agent + " || where aoa >nul 2>&1 && aoa hook " + agent +
		" || exit /b 0"
}

// handler is one command in a settings file. Each agent uses some of the fields; their order is
// that of the makers' examples.
type handler struct {
	Name           string   `json:"name,omitempty"`
	Type           string   `json:"type,omitempty"`
	Command        string   `json:"command,omitempty"`
	CommandWindows string   `json:"commandWindows,omitempty"`
	Bash           string   `json:"bash,omitempty"`
	PowerShell     string   `json:"powershell,omitempty"`
	Args           []string `json:"args,omitempty"`
	// unit of Timeout: seconds; for Gemini CLI and Qwen Code milliseconds
	Timeout    int    `json:"timeout,omitempty"`
	TimeoutSec int    `json:"timeoutSec,omitempty"`
	Matcher    string `json:"matcher,omitempty"` // for agents without groups
	Async      bool   `json:"async,omitempty"`
}

// newHandler returns our command for an event. dir is as in Command.
func newHandler(dir, agent string, e agents.Event) handler {
	switch agent {
	case "codex":
		return handler{Type: "command", Command: Command(dir, agent), CommandWindows: cmdCommand(agent), Timeout: e.Timeout}
	case "gemini", "qwen": // on Windows they run PowerShell, and have no separate field for it
		command := Command(dir, agent)
		if runtime.GOOS == "windows" {
			command = powerShellCommand(agent)
		}
		return handler{Name: "aoa", Type: "command", Command: command, Timeout: e.Timeout * 1000}
	case "antigravity": // its payload does not name the event
		return handler{Type: "command", Command: Command(dir, agent, e.Name), Timeout: e.Timeout}
	case "cursor":
		return handler{Command: Command(dir, agent), Timeout: e.Timeout, Matcher: e.Matcher}
	case "copilot": // its payload does not name the event
		return handler{Type: "command", Bash: Command(dir, agent, e.Name), PowerShell: powerShellCommand(agent, e.Name),
			TimeoutSec: e.Timeout}
	}
	return handler{Type: "command", Command: Command(dir, agent), Timeout: e.Timeout, Async: e.Async}
}

// flat reports whether an agent's events directly contain commands, not groups of commands.
func flat(agent string) bool { return agent == "cursor" || agent == "copilot" }

// owner returns the agent whose entries are in the settings file: a itself, or the agent with which
// it shares the file.
func owner(a agents.Agent) agents.Agent {
	if shared, ok := agents.Find(a.Settings.Shared); ok {
		return shared
	}
	return a
}

// memberOf returns the member of an agent's settings file that has our events.
func memberOf(a agents.Agent) string { return cmp.Or(a.Settings.Member, "hooks") }

// group is a list of commands that an event runs. In settings without groups it is a single
// handler.
type group struct {
	Event   string    `json:"-"`
	flat    bool      // the event directly contains commands
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

// groupsOf returns our entries in the settings of an agent. dir is as in Command.
func groupsOf(a agents.Agent, dir string) (out []group) {
	for _, e := range a.Events {
		if !e.Installed {
			continue
		}
		g := group{Event: e.Name, Hooks: []handler{newHandler(dir, a.Name, e)}}
		if g.flat = flat(a.Name) || a.Name == "antigravity" && e.Matcher == ""; !g.flat {
			g.Matcher = e.Matcher
		}
		out = append(out, g)
	}
	return out
}

// isOurs returns a function that recognizes the handlers that aOa has written for an agent: each of
// their commands is one that newHandler makes for some event and folder. A line that a person wrote
// belongs to the person, whatever it runs.
func isOurs(agent string) func(handler) bool {
	event := regexp.MustCompile(`.*\b` + agent + ` ([A-Za-z]+)`)
	isWritten := func(command string) bool {
		var args []string
		if found := event.FindStringSubmatch(command); found != nil {
			args = found[1:]
		}
		return command == "" || command == cmdCommand(agent) || command == powerShellCommand(agent, args...) ||
			command == Command(Folder(command), agent, args...)
	}
	return func(h handler) bool {
		return isWritten(h.Command) && isWritten(h.CommandWindows) && isWritten(h.Bash) && isWritten(h.PowerShell) &&
			len(h.Args) == 0 && h.Command+h.CommandWindows+h.Bash+h.PowerShell != ""
	}
}
