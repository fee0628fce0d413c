// Package hooks decodes agents' hook payloads into events, and encodes answers in each agent's
// format.
//
// The input is what an agent sends its hooks: one JSON object. The output is events for the log, at
// most one question, and an answer as the JSON that the agent expects. The package never decides
// what is worth saying, never waits, never fails its caller, and passes every text through
// redact.Text. Decoding a tool call with a few kilobytes of output takes up to 200 µs. A hostile or
// endless payload is first cut to fixed limits (64 KB of command, 30 KB of output, 60 files).
//
//	Decode        payload → Call                  call.go, payload.go (common form), dialect.go
//	CallContext   tool call → events              tool.go, command.go (shell), failure.go
//	              prompt → event and question     prompt.go, tags.go
//	Render        text → an agent's JSON          render.go
//
// Package agents tells which events an agent has, and which of them take text. Package shell
// follows command lines, package transcript reads recorded sessions, package install edits
// settings, and package client is the program that agents start, which only carries bytes.
package hooks
