// Package history keeps in memory which commits changed which files, and what they changed in them.
//
// Commits go in, oldest first, under the names that their files have now, and Sketches of their
// diffs. Counts of common commits come out, and the companions of a change (Commits.Companions)
// with its Precedents: earlier commits that changed the same file in much the same way. Every
// number about common commits that a person or an agent sees comes from Commits.Count. What a
// question is answered by is a Past: the commits, and what the files of the change change now.
//
// The package reads no git and no disk, and never decides which commits count: sweeps and commits
// of more than 100 files are left out by the caller of Add.
package history
