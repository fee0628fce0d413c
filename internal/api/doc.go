// Package api defines the messages between the daemon and its clients, and sends them over one unix
// socket.
//
// Clients send HTTP requests and get JSON; hooks get the bytes that their client prints. Each
// request is a Route, a value that client and server share, so that their types cannot differ. The
// package decides nothing: the daemon passes a function for each route. A call connects, writes
// once and reads once, which takes about 60 µs.
package api
