// Package mcp is the mouth towards agents that ask: aOa's questions as tools of the Model Context Protocol.
//
// In come tool calls, out go typed answers and, for every failure, a result that says what to do next: a daemon
// that cannot be reached is no reason to leave, the next call tries again. It decides nothing and remembers
// nothing; each tool is a request or two to the daemon, through the same client as every command. A call costs
// what the daemon's answer costs and about 0.2 ms for the protocol.
package mcp
