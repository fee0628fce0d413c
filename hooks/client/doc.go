// Package client carries a hook's payload to the daemon, and the daemon's answer back. The programs
// aoa-hook and aoa hook run it.
//
// The payload on stdin goes in: one JSON object, from git nothing. What the daemon answers in time
// comes out, verbatim, or nothing. The package sends one HTTP request over the repository's socket,
// with the payload as it came as its body. It never fails its caller: the program exits with 0
// whatever happens, a panic included. It never learns and never decides what is shown.
//
// A call costs at most 2.5 times an empty Go program. So the package imports net and encoding/json
// of the larger packages of the standard library, and not net/http.
//
// An agent that was started above several repositories is served, too: each call goes to the
// repository of the files it names, a prompt to those that its session touched, a start to none.
//
// A daemon that does not answer in time is asked nothing for 2 s, after each further time for twice
// as long, at most a minute. It still gets the events. So a daemon that hangs costs one wait, and
// not one at every event.
package client
