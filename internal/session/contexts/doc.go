// Package contexts makes the text that tells an agent about earlier work in a session: a Context
// within a budget of tokens.
//
// Assemble takes a request and returns segments, in an order that lets a prompt cache keep most of
// them: a constant line, older prompts in short, the newest prompts, the older actions as counts,
// the latest actions one by one, and the state of the work (the last check, what is not committed,
// what the person refused).
//
// Prompts and actions are not stored a second time. The log has each of them once, redacted and
// sealed, and numbers them in one sequence (cold.Numbered). A context is computed from them on
// request and not stored. When prompts exceed their budget, and not before, the older ones become
// extracts of whole sentences, and when actions do, the older ones become counts. So the beginning
// of the text stays the same from request to request. Counts are divided by commits and by commands
// that revert changes, because order matters there.
//
// The package never asks a model, never ranks files, never cuts a fact in two, and never judges:
// the last check is quoted, git tells what differs from HEAD, and an edit is one that a tool of the
// session made. A prompt in a context is always a quotation: one line, without angle brackets,
// quotation marks and control characters.
//
// A context takes one read of the session's newest 2,500 events at most, 12 ms for 1,300 events
// (BenchmarkAssemble), plus the caller's reading of the worktree. Tokens are estimated
// (index.Tokens).
package contexts
