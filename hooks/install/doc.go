// Package install adds aOa to the settings of coding agents and to git's hooks, and removes it
// again.
//
// It takes an agent from the table and a file, and writes the edited file completely or not at all.
// Every byte that aOa did not write stays. Remove restores the file as it was before Add, unless
// someone else has changed it since. A file that cannot be edited safely is refused, with the text
// that belongs there. The package never runs an agent. It runs git only to find out where hooks
// are.
package install
