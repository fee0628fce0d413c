// Package install enters aOa into the settings of coding agents and into git's hooks, and takes it
// out again.
//
// The table of agents and a file come in. An edited file goes out, written whole or not at all.
// Every byte that aOa did not write stays, and Remove gives back the file as it was before Add if
// no one else has changed it. A file that cannot be edited safely is refused, with what belongs
// there. The package never runs an agent. It runs git only to find out where hooks are.
package install
