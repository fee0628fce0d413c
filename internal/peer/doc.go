// Package peer says whether the process at the other end of a unix socket may be talked to.
//
// In comes a connected socket, out goes an error unless the other end belongs to the same user or to root. Where the
// system does not name the user at the other end, a client judges the folder of the socket instead. The package
// changes nothing and sends nothing. A check costs a system call. Package hooks/client checks before the other
// packages of the program are initialized, so this one imports nothing but os, syscall and unsafe.
package peer
