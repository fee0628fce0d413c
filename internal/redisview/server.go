package redisview

import (
	"context"
	"net"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/peer"
)

// Options of Serve. Both are needed.
type Options struct {
	Ask func(context.Context, api.ScoresRequest) (api.ScoresAnswer, error) // reads a set from the daemon
	Now func() time.Time
}

// Serve answers the clients of a listener until ctx ends. The error is that of the listener.
func Serve(ctx context.Context, ln net.Listener, o Options) error {
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	keys := &keys{Options: o, read: map[string]reading{}}
	s := server.NewServerConn()
	defer s.Close()
	s.SetPreHook(func(p *server.Peer, name string, args ...string) bool {
		run(ctx, keys, p, name, args)
		return true
	})
	for {
		conn, err := ln.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case peer.Caller(conn) != nil:
			conn.Close()
		default:
			s.ServeConn(conn)
		}
	}
}
