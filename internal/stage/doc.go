// Package stage caches what a step printed and made: a step whose inputs did not change is not run
// again.
//
// Requests come in (a command, its declared inputs, dependencies, template, tool and model), and
// after a run a record of what it printed and made. A key goes out, with a record to replay or the
// turn to run. The package never runs a command, never reads a clock (now is passed in), and never
// trusts a digest whose file could have changed unnoticed. A hit costs a stat of each dependency
// (about 1 µs) and of their folders; a daemon reads only files that changed since it read them.
// Digests are in memory: a new daemon reads each dependency once.
//
// # The key
//
// SHA-256 over the parts below, in this order, each with its kind, name and digest; its first 24
// hexadecimal digits name the entry. Entries and states of pipelines are blobs of internal/cold.
//
//	stage       name of the stage
//	command     its arguments, word by word
//	folder      where it runs, relative to the root of the worktree
//	output      each declared output, sorted
//	input       each k=v, sorted by name
//	env         each declared variable, sorted; one that is not set differs from an empty one
//	file        each dependency, sorted by path: content, executable bit, a link's target; absent ones too
//	template    content of the template
//	tool        the version that the tool prints
//	model       name of the model
//	format      version of this list
//
// Not in it: the root of the worktree, so that linked worktrees share their results; times, owners
// and the other permission bits of files; everything that was not declared.
package stage
