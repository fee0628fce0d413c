// Package git runs the git program, for all of aOa.
//
// In: an environment, in which git is found, a folder, a subcommand and its arguments. Out: what
// git prints, at once or as a stream, or an Error with what git says. Settings that override those
// of a repository keep a hostile one from starting other programs: filters, hooks, file monitors,
// text converters, pagers, fetches of a partial clone. A repository can also name files that never
// end or never begin: git is not started where one that it always reads is such a file, settings
// that name one are overridden, and a bound on memory (on Linux) and on silence decides for the
// rest. A test of cmd/aoa finds other places that start git.
//
// The package never writes to a repository but for settings that its caller names, takes none of
// its locks, and uses no network.
package git
