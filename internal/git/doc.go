// Package git runs the git program for all of aOa.
//
// It takes an environment, in which git is found, a folder, a subcommand and its arguments. It
// returns git's output, at once or as a stream, or an Error with git's message. A hostile
// repository could make git start other programs: filters, hooks, file monitors, text converters,
// pagers, or fetches of a partial clone. The package overrides all settings for these. A repository
// can also name files that never end, or pipes that no one writes to. The package does not start
// git if one of the files that git always reads is of that kind, and overrides settings that name
// such a file. For all other cases, a limit on memory (on Linux) and on the time without output
// ends git. A test of cmd/aoa checks that no other code starts git.
//
// The package writes to a repository only the settings that its caller names, takes none of its
// locks, and uses no network.
package git
