// Package checkout keeps the checkouts of a repository from which clients have called: the main one
// and linked worktrees.
//
// Set.At returns the Checkout that contains a folder, with its list of files, their contents, a
// ranker and a prefetcher that suggest only these files, and what git says about it now. The events
// of its watcher go to the Log of the Set. The package never writes a score and never decides about
// a hint.
package checkout
