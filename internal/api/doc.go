// Package api is the wire: what the daemon and its clients say to each other over one unix socket.
//
// In come frames of hook clients and HTTP requests of everybody else, out go bytes to print and JSON. Each
// request is a Route, one value that both ends share, so that a type cannot differ between them. It never
// decides anything: the daemon hands it functions. A call costs a dial, one write and one read, about 60 µs.
package api
