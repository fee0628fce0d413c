package hooks

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Scope says whose settings: one person's everywhere, a repository's for all who work on it, or one person's in
// one worktree.
type Scope string

// The scopes of an installation.
const (
	User    Scope = "user"
	Project Scope = "project"
	Local   Scope = "local"
)

// Scopes are all of them, the default one first.
var Scopes = []Scope{Local, Project, User}

// Agent is a coding agent that runs our hook: where it keeps its settings and what we enter there.
type Agent struct {
	Name  string // as in `aoa hook NAME`
	Title string // as its makers call it
	Note  string // what its user has to know after an installation, "" if nothing

	form    form
	project string // the file of a worktree, with slashes
	local   string // the personal one, if it is another
	home    string // the agent's folder in the user's home, with slashes
	moved   string // the variable that names this folder instead
	user    string // the user's file in that folder
	plugin  string // not settings but a program of ours, by its name in package scripts
	beats   []beat
}

// form is how a settings file nests commands.
type form struct {
	flat   bool // events hold commands, not groups of commands
	handle func(agent string, b beat) handler
}

// beat is an event on which our command runs.
type beat struct {
	event, matcher string
	timeout        int // seconds
	async          bool
}

// Command is what an agent runs. The guard makes it a silent no-op when the binary is gone: some clients show an
// error line at every event then, Copilot would refuse the tool. It never changes: Codex asks its user to trust
// each new command.
func Command(agent string, args ...string) string {
	return "command -v aoa >/dev/null 2>&1 || exit 0; exec aoa hook " + strings.Join(append([]string{agent}, args...), " ")
}

// powerShellCommand is the same for PowerShell, cmdCommand for cmd.exe.
func powerShellCommand(agent string, args ...string) string {
	return "if (Get-Command aoa -ErrorAction SilentlyContinue) { aoa hook " + strings.Join(append([]string{agent}, args...), " ") + " }"
}

func cmdCommand(agent string) string {
	return "where aoa >nul 2>&1 && aoa hook " + agent + " || exit /b 0"
}

var (
	claudeForm = form{handle: func(agent string, b beat) handler {
		return handler{Type: "command", Command: Command(agent), Timeout: b.timeout, Async: b.async}
	}}
	codexForm = form{handle: func(agent string, b beat) handler {
		return handler{Type: "command", Command: Command(agent), CommandWindows: cmdCommand(agent), Timeout: b.timeout}
	}}
	// Gemini CLI and Qwen Code count in milliseconds, and run PowerShell on Windows without a field for its command.
	geminiForm = form{handle: func(agent string, b beat) handler {
		command := Command(agent)
		if runtime.GOOS == "windows" {
			command = powerShellCommand(agent)
		}
		return handler{Name: "aoa", Type: "command", Command: command, Timeout: b.timeout * 1000}
	}}
	cursorForm = form{flat: true, handle: func(agent string, b beat) handler {
		return handler{Command: Command(agent), Timeout: b.timeout, Matcher: b.matcher}
	}}
	// Copilot does not tell the event: the command does.
	copilotForm = form{flat: true, handle: func(agent string, b beat) handler {
		return handler{Type: "command", Bash: Command(agent, b.event), PowerShell: powerShellCommand(agent, b.event), TimeoutSec: b.timeout}
	}}
)

// The tools whose calls say which files are used, as each client names them. Not all exist in every build.
const (
	fileTools     = "Read|Edit|Write|NotebookEdit"
	allTools      = fileTools + "|Grep|Glob|Bash|PowerShell|Agent|Task"
	geminiMatcher = "read_file|read_many_files|replace|write_file|run_shell_command|grep_search|search_file_content|glob|list_directory|mcp_.*"
	qwenMatcher   = "read_file|read_many_files|edit|write_file|run_shell_command|grep_search|glob|list_directory|agent|task|mcp__.*"
	cursorMatcher = "Read|Write|Shell|Grep|Glob|Delete|Task|MCP:.*"
)

// agents are the clients with hooks. Their events are those that pay. Not among Claude Code's: SubagentStart (the
// first call of a subagent says the same), PreCompact (SessionStart with source compact follows), WorktreeCreate
// (registering it replaces Claude's own), MessageDisplay and the like (nothing about files). Events before a tool
// are registered only where their text reaches the model: elsewhere they would cost a process and say nothing.
// Cursor may drop a file that names an event it does not know, so none is registered there on suspicion.
var agents = []Agent{
	{Name: "claude", Title: "Claude Code", form: claudeForm, project: ".claude/settings.json", local: LocalSettings,
		home: ".claude", moved: "CLAUDE_CONFIG_DIR", user: "settings.json", beats: []beat{
			{"SessionStart", "startup|resume|clear|compact|fork", 5, false},
			{"UserPromptSubmit", "", 3, false},
			{"PreToolUse", fileTools, 2, false},
			{"PostToolUse", allTools, 0, true},
			{"PostToolUseFailure", allTools, 0, true},
			{"PostToolBatch", "", 2, false}, // the only event of a failed Edit; answers rescue and stale
			{"Stop", "", 2, false},          // text there keeps the turn going: only when switched on
			{"SessionEnd", "", 1, false},    // asynchronous ones are killed when the client leaves
		}},
	{Name: "codex", Title: "Codex", form: codexForm, project: ".codex/hooks.json",
		Note: "Codex runs new hooks once they are trusted: type /hooks in it. A project's hooks need a trusted project.",
		home: ".codex", moved: "CODEX_HOME", user: "hooks.json", beats: []beat{
			{"SessionStart", "startup|resume|clear|compact", 5, false},
			{"UserPromptSubmit", "", 3, false},
			{"PreToolUse", "Bash|apply_patch", 2, false},
			{"PostToolUse", "Bash|apply_patch|mcp__.*", 2, false},
			{"SessionEnd", "", 1, false},
		}},
	{Name: "gemini", Title: "Gemini CLI", form: geminiForm, project: ".gemini/settings.json",
		Note: "Gemini CLI warns once that the hooks of a project are new.",
		home: ".gemini", user: "settings.json", beats: []beat{
			{"SessionStart", "", 5, false},
			{"BeforeAgent", "", 3, false},
			{"AfterTool", geminiMatcher, 2, false},
			{"SessionEnd", "", 1, false},
		}},
	{Name: "cursor", Title: "Cursor", form: cursorForm, project: ".cursor/hooks.json",
		home: ".cursor", user: "hooks.json", beats: []beat{
			{"sessionStart", "", 5, false},
			{"beforeSubmitPrompt", "", 3, false},
			{"postToolUse", cursorMatcher, 2, false},
			{"postToolUseFailure", cursorMatcher, 2, false},
			{"sessionEnd", "", 1, false},
		}},
	{Name: "copilot", Title: "Copilot CLI", form: copilotForm, project: ".github/hooks/aoa.json",
		Note: "Copilot CLI runs the hooks of a repository only in folders that it was told to trust.",
		home: ".copilot", moved: "COPILOT_HOME", user: "hooks/aoa.json", beats: []beat{
			{"sessionStart", "", 5, false},
			{"userPromptSubmitted", "", 3, false},
			{"postToolUse", "", 2, false},
			{"postToolUseFailure", "", 2, false},
			{"sessionEnd", "", 1, false},
		}},
	{Name: "qwen", Title: "Qwen Code", form: geminiForm, project: ".qwen/settings.json",
		home: ".qwen", user: "settings.json", beats: []beat{
			{"SessionStart", "", 5, false},
			{"UserPromptSubmit", "", 3, false},
			{"PostToolUse", qwenMatcher, 2, false},
			{"PostToolUseFailure", qwenMatcher, 2, false},
			{"SessionEnd", "", 1, false},
		}},
	{Name: "opencode", Title: "OpenCode", plugin: "opencode-plugin.js", project: ".opencode/plugins/aoa.js",
		home: ".config", moved: "XDG_CONFIG_HOME", user: "opencode/plugins/aoa.js",
		Note:  "OpenCode reads plugins when it starts: restart it. Where it finds one it fetches its own plugin package from npm, once.",
		beats: []beat{{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "PostToolUse"}, {event: "PostToolUseFailure"}, {event: "SessionEnd"}}},
}

// Agents lists the coding agents that hooks can be installed for. Git is not among them: see InstallGit.
func Agents() []Agent { return slices.Clone(agents) }

// AgentOf finds an agent by its name. The error wraps ErrAgent and lists the names.
func AgentOf(name string) (Agent, error) {
	for _, a := range agents {
		if a.Name == name {
			return a, nil
		}
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	return Agent{}, fmt.Errorf("%w %q; there are %s", ErrAgent, name, strings.Join(names, ", "))
}

// File is the settings file of a scope: root is the worktree, home the user's home, getenv the environment. Most
// agents know no personal file in a worktree: theirs is the project's, and keeping it out of git (see Exclude) is
// what makes it personal.
func (a Agent) File(scope Scope, root, home string, getenv func(string) string) string {
	switch {
	case scope == User:
		dir := filepath.Join(home, a.home)
		if moved := ""; a.moved != "" {
			if moved = getenv(a.moved); filepath.IsAbs(moved) {
				dir = moved
			}
		}
		return filepath.Join(dir, filepath.FromSlash(a.user))
	case scope == Local && a.local != "":
		return filepath.Join(root, filepath.FromSlash(a.local))
	}
	return filepath.Join(root, filepath.FromSlash(a.project))
}

// Pattern is the file of the local scope as git names it, for Exclude and Unexclude.
func (a Agent) Pattern() string {
	if a.local != "" {
		return a.local
	}
	return a.project
}

// Personal reports whether the agent has a personal settings file in a worktree, beside the project's.
func (a Agent) Personal() bool { return a.local != "" }

// groups are what we enter into the agent's settings.
func (a Agent) groups() []group {
	out := make([]group, len(a.beats))
	for i, b := range a.beats {
		out[i] = group{Event: b.event, Hooks: []handler{a.form.handle(a.Name, b)}}
		if !a.form.flat {
			out[i].Matcher = b.matcher
		}
	}
	return out
}
