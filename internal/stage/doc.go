// Package stage caches what a step printed and made, so that a step whose inputs did not change is
// not run again.
//
// It takes requests (a command with its declared inputs, dependencies, template, tool and model)
// and, after a run, a record of what the command printed and made. It returns a key, with a record
// to replay or permission to run. The package never runs a command, never reads a clock (now is
// passed in), and never trusts a digest whose file could have changed unnoticed. A hit takes a stat
// of each dependency (about 1 µs) and of their folders; the daemon reads only files that have
// changed since it last read them. Digests are in memory, so a new daemon reads each dependency
// once.
//
// # The key
//
// The key is SHA-256 over the parts below, in this order, each with its kind, name and digest. Its
// first 24 hexadecimal digits name the entry. Entries and states of pipelines are blobs of
// internal/cold.
//
//	stage       name of the stage
//	command     its arguments, word by word
//	folder      where it runs, relative to the root of the worktree
//	output      each declared output, sorted
//	input       each k=v, sorted by name
//	env         each declared variable, sorted; an unset variable differs from an empty one
//	file        each dependency, sorted by path, also if it does not exist: content, executable
//	            bit, target of a link
//	template    content of the template
//	tool        the version that the tool prints
//	model       name of the model
//	format      version of this list
//
// It does not contain the root of the worktree, so that linked worktrees share their results; nor
// times, owners and other permission bits of files; nor anything that was not declared.
package stage
