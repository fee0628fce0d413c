// Package session is the one model of a session: what an agent and a person do in it, and what
// remains of it afterwards.
//
// Sessions takes logged events, one after the other. A Session tells what was done so far: its
// prompts, the files that were opened, named, seen and edited, its results and patterns, and the
// hints that it got (Hints). A Delta tells what one event changed. Everything that is asked about a
// session is answered here; no other package keeps a model of it. Package contexts makes the texts
// that agents read about a session, from this model and from the log.
//
// A session is over 24 hours after its last event. This is decided by the time of a tick in the
// log, never by a clock, because the state is computed from the log. A session ends in one place
// (Sessions.end), whether it was idle, began again, or made room. Its Summary remains for 90 days,
// which is enough to list the session and to resume it. Sessions are kept in memory, and saved
// together with the scores of the same position in the log. The package never reads a clock, a file
// or a score. An event takes some 2 to 20 µs.
//
// The event clock of a session counts its prompts and tool calls. A text that names m files
// mentions each of them with weight 1/√m, which halves every 8 events. Files that a prompt names
// are stored with the number of the prompt, those that a command or a pattern names with the event
// clock. The words of a prompt replace those of the previous prompt; words of patterns and commands
// are added to them.
//
// Files edited under one prompt, with no pause of more than 5 minutes between two edits, form a
// change. It ends at the next prompt, after a pause, or at the end of the session. A save of a file
// that a tool edited, from 2 s before to 10 s after that edit, is the same edit. Other saves belong
// to the session "watch", which begins again after 30 idle minutes.
package session
