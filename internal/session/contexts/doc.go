// Package contexts makes the text that tells an agent of earlier work in a session: a Context
// within a budget of tokens.
//
// A request goes in, segments go out, in the order in which a prompt cache keeps most of them: a
// constant line, older prompts in short, the newest prompts, the older actions as counts, the
// latest actions one by one, and the state of the work (the last check, what is not committed, what
// the person refused).
//
// Prompts and actions are not stored a second time. The log has each once, redacted and sealed,
// under one number that counts both (cold.Numbered). A context is folded from them when it is asked
// for; nothing of it is stored. Older prompts become extracts of whole sentences, older actions
// counts, when the rest exceeds its budget and not before, so that the beginning of the text stays
// the same from request to request. Commits, and commands that revert changes, divide the counts,
// because order matters there.
//
// The package never asks a model, never ranks files, never cuts a fact in two, and never judges:
// the last check is quoted, what differs from HEAD is git's word, and an edit is one that a tool of
// the session made. A prompt in a context is always a quotation: one line, without angle brackets,
// quotation marks and control characters.
//
// A context costs one read of the session's events, of the newest 2,500 at most: 12 ms for 1,300
// events (BenchmarkAssemble), and the caller's reading of the worktree. Tokens are estimated
// (index.Tokens).
package contexts
