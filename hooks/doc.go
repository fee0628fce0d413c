// Package hooks is the ear and the mouth towards coding agents and git.
//
// In comes what an agent or git tells its hooks (one JSON value, or the words of a git hook) and what it
// wrote down before (transcripts); out go events for the log, at most one question to answer, and an answer
// dressed in the very JSON that the agent expects. It also enters itself into settings files and git hooks and
// takes itself out again. It never decides what is worth saying, never waits, never fails its caller, never
// learns, and lets no text out that has not passed redact.Text. Decoding a tool call with a few kilobytes of
// output may cost 200 µs; a hostile or endless one is cut to fixed bounds first (64 KB of command, 30 KB of
// output, 60 files).
//
// The listening half, from the outside in:
//
//	Decode        one hook payload → Call            claude.go (Codex sends nearly the same), git.go; caller.go says
//	                                                 who it is, told.go and gemini.go, cursor.go, copilot.go, qwen.go
//	                                                 and opencode.go put the others into Claude Code's words
//	Transcripts   recorded sessions → events         transcript.go, transcript_folder.go
//	tool calls    one call of one tool → events      claude_tools.go, failure.go, patch.go
//	shell         one command line → what it did     shell.go, words.go, command.go, shell_tools.go, shell_search.go,
//	                                                 powershell.go, acts.go
//	place         a name on disk → event.Path          place.go
//	mentions      text → the files that it names     mention.go
//	words         prompts, tags                      prompt.go, tags.go
//
// The speaking half, from the inside out:
//
//	Text          suggestions → words                text.go
//	Render        words → an agent's JSON            render.go: which events carry text, in which shape
//
// And the half that comes and goes without a trace:
//
//	Agents        who has hooks, where, on what      agent.go; program.go for OpenCode's plugin
//	Install       our entries in a settings file     install.go, settings.go (in), excise.go (out), settings_file.go and
//	                                                 object.go (the file), replace*.go (whole or not at all)
//	status line   ours around the one that is there  statusline.go
//	git hooks     a block after the first line       githooks.go, gitrepo.go; exclude.go keeps personal files out of git
//
// Package client is the program that agents start: it only carries bytes.
package hooks
