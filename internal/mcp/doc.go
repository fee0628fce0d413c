// Package mcp offers aOa's questions to agents as tools of the Model Context Protocol.
//
// Tool calls go in. Typed answers come out, and for every failure a result that says what to do
// next. When the daemon cannot be reached, the server continues, and the next call tries again. The
// package decides nothing and keeps nothing. Each tool sends one or two requests to the daemon
// through the client that all commands use. A call takes the time of the daemon's answer and about
// 0.2 ms for the protocol.
package mcp
