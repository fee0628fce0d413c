// Package regularfile safely reads files that others may have put in place.
//
// It takes the name of a file in a repository, a home or a store, and the largest size that the
// caller accepts. It returns the content or an open file. A repository can contain a link to
// /dev/zero, which never ends, or a pipe that no one writes to. The package therefore opens a file
// once, without blocking, and checks the open file, which cannot be exchanged between the check and
// the reading. A test of cmd/aoa checks that no other code reads files.
//
// The package never writes, and never reads folders, pipes, devices or sockets.
package regularfile
