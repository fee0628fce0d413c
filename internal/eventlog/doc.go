// Package eventlog is the one way of events through the daemon.
//
// Events go in, from hooks, watchers, git and peers. A batch becomes durable in package cold within 100 ms and then
// reaches every Consumer, one batch after the other and always in the same order, live and after a restart alike. States
// are saved at one position of the log. A consumer that fails or panics stops until the next start, which replays what
// it missed. The package reads no event and has no rule about any.
package eventlog
