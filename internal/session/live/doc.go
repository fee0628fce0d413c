// Package live is the model of the sessions that run.
//
// Logged events go in, one after the other. Session says what a session has done so far: its prompts, the files that it
// opened, named, saw and edited, its results and patterns. Delta says what one event changed in it. Everybody who asks
// about a session reads it here: no other package keeps one. A session ends 24 hours after its last event, at the tick
// that says so, never by a clock of its own: the state is a fold of the log. It is kept in memory and saved as records,
// beside the scores of the same position in the log. The package never reads a clock, a file or a score. An event takes
// some 2 to 20 µs.
//
// The event clock of a session counts its prompts and tool calls. A text that names m files mentions each of them
// with 1/√m. Mentions halve every 8 events. What a prompt names is kept under the ordinal of the prompt, what a
// command or a pattern names under the clock. The words of a prompt replace those of the prompt before. Words of
// patterns and commands are added to them.
//
// Files edited under one prompt, with no pause of more than 5 minutes between edits, form a change. It is over at the
// next prompt, after a pause, or at the end of the session. A save of a file that a tool edited from 10 s before to 2 s
// after is that edit. Other saves belong to the session "watch", which begins again after 30 idle minutes.
package live
