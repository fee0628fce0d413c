// Package peer checks the process at the other end of a unix socket.
//
// Given a connected socket, it returns an error unless the other end belongs to the same user or to
// root. On Windows, which does not tell the user of the other end, a client checks the folder of the
// socket instead. The package changes nothing and sends nothing. A check takes one system call. The
// hook client imports the package, so it imports only small packages.
package peer
