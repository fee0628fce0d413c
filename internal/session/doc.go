// Package session keeps one model of a session: what was asked and done in it, and what is needed to resume it.
//
// Events of the log come in. A Store is a consumer of the log and keeps a Snapshot of each session: its state, its last
// three commands, the files it worked on, how many commands it had and the tokens it cost. A snapshot has no text of
// prompts or results. It is enough to resume a session. Snapshots go out, and the context of a session as segments
// within a token budget, in the order in which a prompt cache keeps most of them: a constant line, older prompts in
// short, the newest prompts, the older actions as counts, the latest actions one by one, and the state of the work
// (the last check, what is not committed, what the person refused).
//
// The package never asks a model, never ranks files, never cuts a fact in two, and never judges: the last check is
// quoted, what differs from HEAD is git's word, and an edit is one that a tool of the session made. A prompt in a
// context is always a quotation: one line, without angle brackets, quotation marks and control characters.
//
// # Contexts
//
// Prompts and actions are not stored a second time. The log has each once, redacted and sealed, under one number that
// counts both (cold.Numbered). A context is folded from them when it is asked for; nothing of it is stored. Older
// prompts become extracts of whole sentences, older actions counts, when the rest exceeds its budget and not before, so
// that the beginning of the text stays the same from request to request. Commits, and commands that revert changes,
// divide the counts, because order matters there.
//
// # Costs
//
// Snapshots are written with the states of the other consumers, and at once when a person or a pipeline changes one:
// the log does not have that. Each write contains the place in the log, so the replay after a kill repeats the rest. To
// read a snapshot takes less than half a millisecond, however long the session is (BenchmarkContext).
//
// A context costs one read of the session's events, of the newest 2,500 at most: 12 ms for 1,300 events
// (BenchmarkAssemble), and the caller's reading of the worktree. Tokens are estimated (index.Tokens).
package session
