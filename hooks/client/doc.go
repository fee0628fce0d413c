// Package client carries a hook's bytes to the daemon and the daemon's answer back, in `aoa hook AGENT`.
//
// In comes one JSON value on stdin (from git, only arguments), out goes one frame to the repository's
// socket and, verbatim, what the daemon answers in time. It never prints anything else, never fails its caller
// (every road ends in exit 0, a panic included), never learns and never decides what is said. It may cost at
// most 2.5 times an empty Go program, which is why it runs from init, before the hundred packages of the real
// binary wake up, imports nothing but os and syscall (net on Windows), hooks/agents, and internal/peer, which do the
// same, and has its own JSON scanner and SHA-256.
//
// A daemon that does not answer in time is asked nothing for 2 s, after each further time for twice as long, at most a minute: it gets
// the events and no question, so a daemon that hangs costs one wait and not one at every event.
//
// File bodies (the content that Read, Edit and Write carry) are dropped while they are read; of the rest at
// most 64 KB of long text is kept, so a payload of any size costs constant memory and a small frame.
package client
