// Package mcp offers aOa's questions to agents as tools of the Model Context Protocol.
//
// The server answers a tool call with typed data, or, if the call fails, with a result that says
// what to do next. If the daemon cannot be reached, the server keeps running, and the next call
// tries again. The package decides nothing and stores nothing: each tool sends one or two requests
// to the daemon, through the same client as all commands. The protocol adds about 0.2 ms to the
// daemon's answer.
package mcp
