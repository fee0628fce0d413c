// Package session keeps one model of a session: what was asked and done in it, and what is needed to resume it.
//
// Events of the log come in. A Store is a consumer of the log and keeps a Snapshot of each session: its state, its last
// three commands, the files it worked on, how many commands it had and the tokens it cost. A snapshot has no text of
// anybody. It is enough to resume a session. Snapshots go out, and the context of a session as segments within
// a token budget, in the order in which a prompt cache keeps most of them: a constant line, older prompts in short, the
// newest prompts, the older actions as counts, the latest actions one by one, and the state of the work (what fails,
// what is not committed, what the person refused).
//
// The package never asks a model, never ranks files, never cuts a fact in two. A prompt in a context is always a
// quotation: one line, without angle brackets, quotation marks and control characters.
//
// # Contexts
//
// Prompts and actions are not stored a second time. The log has each once, redacted and sealed, under one number that
// counts both (cold.Numbered). A context folds them when it is asked for, and not in Apply, for two reasons: batches
// do not carry these numbers, and most sessions are never asked about. What a fold has produced is stored beside the
// snapshots:
//
//   - the summary of a session: older prompts as extracts of whole sentences, older actions as counts, with the numbers up to which it
//     goes. It is made when the rest exceeds its budget, and not before, so that the beginning of the text stays the same from request
//     to request. Commits, and commands that revert changes, divide the counts, because order matters there;
//   - the state that the summary depends on: HEAD and the content of the files in use. When others have changed that, the summary is
//     made again from the log, and earlier failures are marked.
//
// All of it is derived: what is damaged, sealed with a lost key, or forgotten is made again.
//
// # Costs
//
// Snapshots are written a second after the last change, five seconds where the session was written within the last
// ten, no change later than ten, and at once when a session pauses, completes or fails: a burst of commands costs a
// write every ten seconds. Each write contains the place in the log, so the replay after a kill repeats the rest. To
// read a snapshot takes less than half a millisecond, however long the session is (BenchmarkContext).
//
// A context costs one read of what was logged since the last summary, below 5 ms, and the caller's reading of the
// worktree. Without a summary the last 2,500 events are read, some 50 µs each (BenchmarkAssemble, BenchmarkWhole).
// Tokens are estimated (index.Tokens).
package session
