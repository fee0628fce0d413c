// Package redisview shows the daemon's scores to Redis clients, under the keys of the
// specification.
//
// Commands of the Redis protocol come in on a listener. Replies go out. A miniredis instance
// carries out the commands. Keys that begin with "aoa:" are read from the daemon when a command
// names them, at most once a second. Clients cannot write to them, except for aoa:composite and
// aoa:temp:…. All other keys are the clients' own and live until the server ends. The package
// computes no score, opens no port, runs no script, and accepts only the same user and root. A
// command has at most 1,024 arguments and 4 MB.
package redisview
