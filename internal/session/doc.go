// Package session answers what was said and done in a session: prompts and actions apart, within a token budget.
//
// In comes the name of a session; out goes its context as segments, in the order in which a prompt cache keeps most
// of it: a constant line, older prompts in short, the newest prompts as they were said, the older actions as counts,
// the latest actions one by one, and where the work stands (what fails, what is not committed, what the person
// refused). It never asks a model, never cuts a fact in two, never ranks files, and never lets a prompt out that could
// pass for anything but a quotation: one line, no angle brackets, no quotation marks, no control characters.
//
// Prompts and actions are not stored here. The event log has each once, redacted, with its time and terms, under one
// sequence number that counts both (cold.Numbered); a second copy would double what must be forgotten, pruned and
// sealed, and could disagree. What this room keeps in its own file, made at the first need, is what the log has not:
//
//   - the summary of a session: older prompts as extracts of whole sentences, older actions as counts, with the
//     numbers up to which it goes. It is made when the part told word by word has outgrown its budget, and not
//     before, so that the text in front stays the same from request to request. Order is kept where it matters:
//     commits and what takes changes back divide the counts, and a file that was deleted tells what happened to it;
//   - the state that the summary rests on, HEAD and the content of the files in hand: when others have changed that,
//     the summary is made anew from the log, and a failure from before says so. What the session itself changed is in
//     its own actions;
//   - the requests to a model that transcripts tell of, with what the prompt cache gave and took.
//
// All of it is derived: what is damaged, sealed with a lost key, or forgotten is made anew.
//
// A context costs one read of what came since the last summary, below 5 ms, and what looking at the worktree costs its
// caller. A session without a summary is read from its last 2,500 events, some 50 µs each (BenchmarkAssemble,
// BenchmarkWhole). Tokens are estimated (index.Tokens).
//
// A Store lets a session come back at once. It is a consumer of the event log.
//
// Events of sessions come in. A snapshot per session goes out: its state, its last three commands, the files it worked
// on, how many commands it had and the tokens it cost. A snapshot holds no text of anybody, so it is not sealed and is
// enough to go on without anything else. The full record is the event log (internal/cold), whose texts are sealed row by
// row. The package never ranks and never addresses an agent.
//
// Snapshots are written a second after the last change, five seconds where the session was written within the last ten,
// no change later than ten, and at once when it pauses, completes or fails: a burst of commands costs a write every ten
// seconds. Each write says how much of the log the file contains, so the replay after a kill repeats the rest. To read a
// snapshot takes less than half a millisecond, however long the record is (BenchmarkContext).
package session
