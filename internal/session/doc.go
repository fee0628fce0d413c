// Package session is the one model of a session: what an agent and a person do in it, and what
// stays of it.
//
// Logged events go in, one after the other. A Session says what was done in it so far: its prompts,
// the files that were opened, named, seen and edited, its results and patterns, and what was said
// to it (Hints). A Delta says what one event changed. Everybody who asks about a session reads it
// here; no other package keeps one. What an agent gets to read of a session is made of it and of
// the log by package contexts.
//
// A session is over 24 hours after its last event, at the tick that says so, never by a clock of
// its own: the state is computed from the log. It ends in one place (Sessions.end), whether it was
// idle, began again or made room. Then its Summary stays, which is enough to resume it and to list
// it, for 90 days. Sessions are kept in memory and saved beside the scores of the same position in
// the log. The package never reads a clock, a file or a score. An event takes some 2 to 20 µs.
//
// The event clock of a session counts its prompts and tool calls. A text that names m files
// mentions each of them with 1/√m. Mentions halve every 8 events. What a prompt names is kept under
// the ordinal of the prompt, what a command or a pattern names under the clock. The words of a
// prompt replace those of the prompt before. Words of patterns and commands are added to them.
//
// Files edited under one prompt, with no pause of more than 5 minutes between edits, form a change.
// It is over at the next prompt, after a pause, or at the end of the session. A save of a file that
// a tool edited from 10 s before to 2 s after is that edit. Other saves belong to the session
// "watch", which begins again after 30 idle minutes.
package session
