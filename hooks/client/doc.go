// Package client carries a hook's payload to the daemon, and the daemon's answer back. The programs
// aoa-hook and aoa hook run it.
//
// It reads the payload from stdin: one JSON object, or nothing from git. It prints what the daemon
// answers in time, verbatim, or nothing. It sends one HTTP request over the repository's socket,
// with the payload as the body. It never fails its caller: the program exits with 0 whatever
// happens, even a panic. It never learns, and never decides what is shown.
//
// A call may cost at most 2.5 times an empty Go program. So of the larger packages in the standard
// library it imports net and encoding/json, but not net/http.
//
// It also serves an agent that was started above several repositories: each call goes to the
// repository of the files that it names, a prompt to the repositories that its session has touched,
// a start to none.
//
// If a daemon does not answer in time, it is not asked anything for 2 s; after each further time
// for twice as long, up to a minute. It still gets the events. So a daemon that hangs costs one
// wait, not one at every event.
package client
