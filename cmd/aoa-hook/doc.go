// Program aoa-hook is the small program that agents start at each event: aoa-hook AGENT does what
// aoa hook AGENT does, and starts in a fraction of the time.
//
// An agent's payload on stdin goes in. The daemon's answer comes out, or nothing. It always exits
// with 0. Package hooks/client does the work.
package main
