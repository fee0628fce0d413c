package agents

// The tools whose calls tell which files are used, by each agent's names. Not every version of an
// agent has all of them.
const (
	allTools      = "Read|Edit|Write|NotebookEdit|Grep|Glob|Bash|PowerShell|Agent|Task"
	geminiMatcher = "read_file|read_many_files|replace|write_file|run_shell_command|grep_search|search_file_content|glob" +
		"|list_directory|mcp_.*"
	qwenMatcher   = "read_file|read_many_files|edit|write_file|run_shell_command|grep_search|glob|list_directory|agent|task|mcp__.*"
	cursorMatcher = "Read|Write|Shell|Grep|Glob|Delete|Task|MCP:.*"
)

// All has the agents with hooks. An event is installed if learning can use its payload or if text
// reaches the model there. Not installed in Claude Code are SubagentStart (the first call of a
// subagent tells the same), PreCompact (SessionStart with source compact follows), WorktreeCreate
// (a hook there replaces Claude Code's own), MessageDisplay, and others that name no files. Cursor
// may ignore a settings file that names an unknown event, so it gets only documented ones.
//
// What an agent does with text was measured with the version in Driven. Qwen Code reads the text at
// PreToolUse but does not pass it on. Gemini CLI passes text on only for calls that worked. For a
// failed call it accepts only the reason for blocking it, which would replace the tool's own
// message, so text about a failure waits for the next call.
//
// Cursor, Antigravity CLI and VS Code are entered as their makers document them. Antigravity's
// PreToolUse is left out, because a hook there has to decide about the call, and an error blocks
// it. Its documents disagree about whether PostToolUse names the call; if it does not, aOa learns
// only from saves. VS Code's prompt event takes no text.
var All = []Agent{
	{Name: "claude", Title: "Claude Code", Driven: "2.1.332",
		Settings: Settings{Project: ".claude/settings.json", Local: ".claude/settings.local.json", Home: ".claude",
			HomeVar: "CLAUDE_CONFIG_DIR", User: "settings.json"},
		Events: []Event{
			{Name: "SessionStart", Canonical: "SessionStart", Context: Nested, Installed: true,
				Matcher: "startup|resume|clear|compact|fork", Timeout: 5},
			{Name: "UserPromptSubmit", Canonical: "UserPromptSubmit", Context: Nested, Installed: true, Timeout: 3},
			// Runs before Edit and Write so that aOa can read the old content. Read is left out: a
			// hint here would delay every Read, and still reach the model only at PostToolBatch. To
			// use the kind next, add Read to the matcher.
			{Name: "PreToolUse", Canonical: "PreToolUse", Context: Nested, Installed: true, Matcher: "Edit|Write", Timeout: 2},
			{Name: "PostToolUse", Canonical: "PostToolUse", Context: Nested, Installed: true, Matcher: allTools, Async: true},
			{Name: "PostToolUseFailure", Canonical: "PostToolUseFailure", Context: Nested, Installed: true, Matcher: allTools,
				Async: true},
			// The only event after a failed Edit. Rescue and stale answer here.
			{Name: "PostToolBatch", Canonical: "PostToolBatch", Context: Nested, Installed: true, Timeout: 2},
			// For the person. Text for the model would continue the turn and cost a request.
			{Name: "Stop", Canonical: "Stop", Context: Person, Installed: true, Timeout: 2},
			// Not async, because the client kills asynchronous hooks when it exits.
			{Name: "SessionEnd", Canonical: "SessionEnd", Installed: true, Timeout: 1},
		}},
	{Name: "codex", Title: "Codex", Driven: "0.171.0",
		Note:     "Codex runs new hooks once they are trusted: type /hooks in it. A project's hooks need a trusted project.",
		Settings: Settings{Project: ".codex/hooks.json", Home: ".codex", HomeVar: "CODEX_HOME", User: "hooks.json"},
		Events: []Event{
			{Name: "SessionStart", Canonical: "SessionStart", Context: Nested, Installed: true,
				Matcher: "startup|resume|clear|compact|fork", Timeout: 5},
			{Name: "UserPromptSubmit", Canonical: "UserPromptSubmit", Context: Nested, Installed: true, Timeout: 3},
			{Name: "PreToolUse", Canonical: "PreToolUse", Context: Nested, Installed: true, Matcher: "Bash|apply_patch",
				Timeout: 2},
			{Name: "PostToolUse", Canonical: "PostToolUse", Context: Nested, Installed: true,
				Matcher: "Bash|apply_patch|mcp__.*", Timeout: 2},
			{Name: "SessionEnd", Canonical: "SessionEnd", Installed: true, Timeout: 1},
			{Name: "Stop", Canonical: "Stop", Installed: true, Timeout: 1},
		}},
	{Name: "gemini", Title: "Gemini CLI", Driven: "0.61.0",
		Note:     "Gemini CLI warns once that the hooks of a project are new.",
		Settings: Settings{Project: ".gemini/settings.json", Home: ".gemini", User: "settings.json"},
		Events: []Event{
			{Name: "SessionStart", Canonical: "SessionStart", Context: Nested, Installed: true, Timeout: 5},
			{Name: "BeforeAgent", Canonical: "UserPromptSubmit", Context: Nested, Installed: true, Timeout: 3},
			{Name: "AfterTool", Canonical: "PostToolUse", Context: Nested, Installed: true, Matcher: geminiMatcher, Timeout: 2},
			{Name: "SessionEnd", Canonical: "SessionEnd", Installed: true, Timeout: 1},
			{Name: "BeforeTool", Canonical: "PreToolUse"},
			{Name: "AfterAgent", Canonical: "Stop"},
		}},
	{Name: "cursor", Title: "Cursor",
		Settings: Settings{Project: ".cursor/hooks.json", Home: ".cursor", User: "hooks.json"},
		Events: []Event{
			{Name: "sessionStart", Canonical: "SessionStart", Context: Snake, Installed: true, Timeout: 5},
			{Name: "beforeSubmitPrompt", Canonical: "UserPromptSubmit", Installed: true, Timeout: 3},
			{Name: "postToolUse", Canonical: "PostToolUse", Context: Snake, Installed: true, Matcher: cursorMatcher, Timeout: 2},
			{Name: "postToolUseFailure", Canonical: "PostToolUseFailure", Installed: true, Matcher: cursorMatcher, Timeout: 2},
			{Name: "sessionEnd", Canonical: "SessionEnd", Installed: true, Timeout: 1},
			{Name: "userPromptSubmit", Canonical: "UserPromptSubmit"},
			{Name: "preToolUse", Canonical: "PreToolUse"},
			{Name: "stop", Canonical: "Stop"},
		}},
	{Name: "copilot", Title: "Copilot CLI", Driven: "1.0.102",
		Note: "Copilot CLI runs the hooks of a repository only in folders that its user trusts.",
		Settings: Settings{Project: ".github/hooks/aoa.json", Home: ".copilot", HomeVar: "COPILOT_HOME",
			User: "hooks/aoa.json"},
		Events: []Event{
			{Name: "sessionStart", Canonical: "SessionStart", Context: Camel, Installed: true, Timeout: 5},
			{Name: "userPromptSubmitted", Canonical: "UserPromptSubmit", Installed: true, Timeout: 3},
			{Name: "postToolUse", Canonical: "PostToolUse", Context: Camel, Installed: true, Timeout: 2},
			{Name: "postToolUseFailure", Canonical: "PostToolUseFailure", Installed: true, Timeout: 2},
			{Name: "sessionEnd", Canonical: "SessionEnd", Installed: true, Timeout: 1},
			{Name: "userPromptSubmit", Canonical: "UserPromptSubmit"},
			{Name: "preToolUse", Canonical: "PreToolUse"},
			{Name: "stop", Canonical: "Stop"},
		}},
	{Name: "qwen", Title: "Qwen Code", Driven: "0.24.4",
		Settings: Settings{Project: ".qwen/settings.json", Home: ".qwen", User: "settings.json"},
		Events: []Event{
			{Name: "SessionStart", Canonical: "SessionStart", Context: Nested, Installed: true, Timeout: 5},
			{Name: "UserPromptSubmit", Canonical: "UserPromptSubmit", Context: Nested, Installed: true, Timeout: 3},
			{Name: "PostToolUse", Canonical: "PostToolUse", Context: Nested, Installed: true, Matcher: qwenMatcher, Timeout: 2},
			{Name: "PostToolUseFailure", Canonical: "PostToolUseFailure", Context: Nested, Installed: true, Matcher: qwenMatcher,
				Timeout: 2},
			{Name: "SessionEnd", Canonical: "SessionEnd", Installed: true, Timeout: 1},
			{Name: "PreToolUse", Canonical: "PreToolUse"},
			{Name: "Stop", Canonical: "Stop"},
		}},
	{Name: "antigravity", Title: "Antigravity CLI",
		Note: "Antigravity CLI drops a hooks.json with any error in it, silently. Some versions read hooks of " +
			"plugins only.",
		Settings: Settings{Project: ".agents/hooks.json", Home: ".gemini", User: "config/hooks.json", Member: "aoa"},
		Events: []Event{
			// Comes before each request to the model, including the first one of a conversation. It
			// names neither a call nor a prompt.
			{Name: "PreInvocation", Canonical: "SessionStart", Context: Steps, Installed: true, Timeout: 5},
			{Name: "PostToolUse", Canonical: "PostToolUse", Installed: true, Matcher: "*", Timeout: 2},
		}},
	{Name: "vscode", Title: "VS Code",
		Note: "VS Code runs the hooks of .github/hooks and of Claude Code's settings, in a workspace that its user " +
			"trusts.",
		Settings: Settings{Project: ".github/hooks/aoa.json", Home: ".copilot", User: "hooks/aoa.json", Shared: "copilot"},
		Events: []Event{
			{Name: "SessionStart", Canonical: "SessionStart", Context: Nested, Installed: true},
			{Name: "UserPromptSubmit", Canonical: "UserPromptSubmit", Installed: true},
			{Name: "PostToolUse", Canonical: "PostToolUse", Context: Nested, Installed: true},
			{Name: "PreToolUse", Canonical: "PreToolUse"},
			{Name: "Stop", Canonical: "Stop"},
		}},
	{Name: "opencode", Title: "OpenCode", Driven: "1.18.33",
		Note: "OpenCode reads plugins when it starts: restart it. Where it finds one it fetches its own plugin package " +
			"from npm, once.",
		Settings: Settings{Project: ".opencode/plugins/aoa.js", Home: ".config", HomeVar: "XDG_CONFIG_HOME",
			User: "opencode/plugins/aoa.js", Plugin: "opencode-plugin.js"},
		Events: []Event{
			{Name: "SessionStart", Canonical: "SessionStart", Installed: true},
			{Name: "UserPromptSubmit", Canonical: "UserPromptSubmit", Installed: true},
			{Name: "PostToolUse", Canonical: "PostToolUse", Context: Camel, Installed: true},
			{Name: "PostToolUseFailure", Canonical: "PostToolUseFailure", Installed: true},
			{Name: "SessionEnd", Canonical: "SessionEnd", Installed: true},
		}},
}
