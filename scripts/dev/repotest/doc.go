// Package repotest makes git repositories for the tests of all packages, without the settings of a
// user, and lets scripts of package testscript work in them. Only tests import the package.
//
// New makes a repository; Repo has the operations that tests need. Commands are the commands that a
// script may use in the repository of its folder. In returns that repository, for commands that a
// package adds.
package repotest
