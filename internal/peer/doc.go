// Package peer checks the process at the other end of a unix socket.
//
// A connected socket goes in. An error comes out unless the other end belongs to the same user or
// to root. Where the system does not name the user at the other end, a client checks the folder of
// the socket instead. The package changes nothing and sends nothing. A check is one system call.
// The hook client imports it, so it imports only small packages.
package peer
