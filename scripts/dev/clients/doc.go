// Package clients runs real coding agents from npm. Each has its own repository, home and network,
// with our hooks in its settings, and talks to a scripted model instead of its provider. A script
// tells what the model answers to each request. Tests check the requests, which are all that a real
// model would have read, and aOa's log. The tests of this package run the agents; make test-clients
// runs the tests. The other files are what the tests need.
package clients
