package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/redisview"
)

func (a *app) redis() *cobra.Command {
	return newCommand("redis", "show the scores to redis-cli and other Redis clients", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return a.serveRedis(ctx) })
}

func (a *app) serveRedis(ctx context.Context) error {
	client, _, err := a.client(ctx)
	if err != nil {
		return err
	}
	socket := redisSocket(client.Place)
	// The daemon has to answer before the socket is created, and no other process may have that
	// socket.
	if _, err := api.Call(ctx, client, api.Ping, api.None{}); err != nil {
		return err
	}
	if conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket); err == nil {
		conn.Close()
		return fail(exitFailed, "redis-cli -s "+socket+" PING", "another program listens on %s", socket)
	}
	ln, err := api.Listen(locate.Place{Socket: socket})
	if err != nil {
		return err
	}
	defer ln.Close()
	if err := a.answer(map[string]string{"socket": socket},
		func() { fmt.Fprintln(a.out, event.Path(socket).Display()) }); err != nil {
		return err
	}
	a.talk("hint: redis-cli -s %s ZREVRANGE aoa:scores:recency 0 9", socket)
	return redisview.Serve(ctx, ln, client, a.now)
}

// redisSocket returns the name of the socket on which aoa redis listens.
func redisSocket(p locate.Place) string {
	if filepath.Dir(p.Socket) == p.Store {
		return filepath.Join(p.Store, "redis")
	}
	return p.Socket + "-redis"
}
