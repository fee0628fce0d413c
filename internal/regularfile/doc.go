// Package regularfile reads files that others may have put there.
//
// In: the name of a file in a repository, a home or a store, and the largest size that the caller
// takes. Out: its content, or an open file. A repository can hold a link to /dev/zero, which never
// ends, or a pipe, which never begins. So a file is opened once, without waiting, and the open file
// is checked: it cannot be exchanged between the check and the reading. A test of cmd/aoa finds
// other readers of files.
//
// The package never writes, and never reads folders, pipes, devices or sockets.
package regularfile
