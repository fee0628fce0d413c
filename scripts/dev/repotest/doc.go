// Package repotest makes git repositories for the tests of all packages, each without the settings
// of a user, and lets scripts of package testscript work in them. Only tests import the package.
//
// New makes a repository, and Repo has what tests do in one. Commands are what a script may do in
// the repository of its folder, and In is that repository, for commands of a package's own.
package repotest
