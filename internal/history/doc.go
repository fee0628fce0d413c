// Package history keeps in memory which commits changed which files, and what they changed in them.
//
// The caller adds commits, oldest first, under the names that their files have now, and Sketches of
// their diffs. It gets counts of common commits, and the companions of a change
// (Commits.Companions) with their Precedents: earlier commits that changed the same file in a
// similar way. Every number of common commits that people and agents see comes from Commits.Count.
// A Past has everything for answering a question: the commits, and what the present change does to
// its files.
//
// The package reads neither git nor the disk, and does not decide which commits count: the caller
// of Add leaves out sweeps and commits of more than 100 files.
package history
