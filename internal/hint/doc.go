// Package hint answers hooks: a call of an agent goes in, and the text that the agent gets comes out, or nothing.
//
// Which kinds of hints are asked at a call, and what is worth saying, package prefetch decides. This package gathers what
// the kinds look at (failed accesses, files that changed, earlier work, recorded sequences), asks one kind after the
// other while there is space, logs what was decided as Hint events, and lets package hooks put it into words. It keeps to
// the time that the hook waits, and never blocks a call.
package hint
