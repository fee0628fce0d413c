// Package hooks decodes agents' hook payloads into events and renders answers in each agent's
// format.
//
// The input is what an agent sends its hooks: one JSON object. The output is events for the log, at
// most one question to answer, and an answer as the JSON that the agent expects. The package never
// decides what is worth saying, never waits, never fails its caller, and every text that leaves it
// has passed redact.Text. Decoding a tool call with a few kilobytes of output takes up to 200 µs; a
// hostile or endless one is cut to fixed bounds first (64 KB of command, 30 KB of output, 60
// files).
//
//	Decode         payload → Call                      call.go, payload.go (one form for all agents), dialect.go (what differs)
//	CallContext    call of a tool → events             tool.go, command.go (shell), patch.go, failure.go
//	               prompt → event and question         prompt.go, tags.go
//	Text, Offers   suggestions, sequences → text       text.go, offer.go
//	Render         text → an agent's JSON              render.go
//
// Which events an agent has, and which of them take text, is in package agents. Package shell
// follows command lines, package transcript reads recorded sessions, package install edits
// settings, and package client is the program that agents start: it only carries bytes.
package hooks
