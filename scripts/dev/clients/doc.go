// Package clients drives real coding agents from npm, each in a repository, a home and a network of
// its own, with our hooks in its settings and a scripted model in the place of its provider. What
// comes in are scripts: what the model says to each request. What comes out are the requests, which
// are all that a real model would have read, and aOa's log.
//
// The agents are driven by the tests of this package, which make test-clients runs. Everything else
// is what they need.
package clients
