// Package redisview shows the daemon's scores to Redis clients.
//
// Commands of the Redis protocol come in on a listener. Replies go out. A key is read from the daemon when a command names it, at most
// once a second. There are only commands that read. The package computes no score, changes nothing, opens no port, and accepts only the
// same user and root.
//
// The protocol is miniredis' server. The commands are this package's: those of miniredis work on sets of its own, which would have to be
// filled before each command, and cost the program 2 MB with their Lua interpreter.
package redisview
