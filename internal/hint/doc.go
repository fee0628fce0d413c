// Package hint answers hooks: a call of an agent goes in, and the text that the agent gets comes
// out, or nothing.
//
// Answer lists the questions that fit the call (question.go), the most useful first, and asks one
// after the other while there is space. Each question takes four steps, one file each: gather.go
// looks for what may be said, package prefetch decides what is worth saying (ask.go calls it),
// words.go puts it into words, and said.go logs what was said as Hint events, so that outcomes can
// be compared with it. What could not be said in time is asked again with the next call.
//
// The package keeps to the time that the hook waits, and never blocks a call.
package hint
