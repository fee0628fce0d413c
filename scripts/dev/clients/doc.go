// Package clients runs real coding agents from npm, each in a repository, a home and a network of
// its own, with our hooks in its settings and a scripted model in place of its provider. A script
// says what the model answers to each request. Tests check the requests, which are all that a real
// model would have read, and aOa's log.
//
// The tests of this package run the agents; make test-clients runs the tests. The other files are
// what the tests need.
package clients
