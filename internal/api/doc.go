// Package api defines the messages between the daemon and its clients, and sends them over one unix
// socket.
//
// HTTP requests go in. JSON comes out, and for hooks what their client prints. Each request is a
// Route, a value that client and server share, so that their types cannot differ. The package
// decides nothing: the daemon passes a function for each route. A socket that loses its name is
// made again. A call takes a dial, one write and one read, about 60 µs.
package api
