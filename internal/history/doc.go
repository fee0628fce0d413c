// Package history keeps in memory which commits changed which files. Commits go in, oldest first, under the names that
// their files have now. Counts of common commits come out, and the companions of a change (Commits.Companions). Every
// number about common commits that a person or an agent sees comes from Commits.Count. The package reads no git and no disk, and
// never decides which commits count: sweeps and commits of more than 100 files are left out by the caller of Add.
package history
