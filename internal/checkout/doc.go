// Package checkout keeps the checkouts of a repository that clients have called from: the main one
// and linked worktrees.
//
// A folder goes in, and the Checkout that holds it comes out, with its list of files, their
// contents, a ranker and a prefetcher that suggest no other files, and what git says of it now. Its
// watcher's events go to the Log of the Set. The package never writes a score and decides on no
// hint.
package checkout
