// Package hint answers hooks: for a call of an agent it returns the text that the agent gets, or
// nothing.
//
// Answer lists the questions that fit the call (question.go), the most useful first, and asks one
// after the other while there is room. Each question takes four steps (ask.go): gather.go looks for
// what may be said, package prefetch decides what is worth saying, words.go puts it into words
// (text.go, and offer.go for recorded sequences), and what was said is logged as Hint events, so
// that outcomes can be compared with it. If something could not be said in time, it is asked again
// with the next call. Package hooks puts the words into each agent's JSON.
//
// The package answers within the time that the hook waits, and never blocks a call.
package hint
