// Package redisview shows the daemon's scores to Redis clients, under the keys of the
// specification.
//
// It accepts commands of the Redis protocol on a listener; a miniredis instance executes them. Keys
// that begin with "aoa:" are read from the daemon when a command names them, at most once a second.
// Clients cannot write to these, except to aoa:composite and aoa:temp:…. All other keys belong to
// the clients and are kept until the server ends. The package computes no score, opens no port,
// runs no script, and serves only the same user and root.
package redisview
