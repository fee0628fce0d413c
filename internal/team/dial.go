package team

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/config"
)

// Bounds of a server's client.
const (
	dialTimeout = 2 * time.Second
	poolSize    = 4
)

// readTimeout is what a command may take; tests on busy machines wait longer.
var readTimeout = 2 * time.Second

// noLog keeps the client library from writing to stderr: what goes wrong is in the errors that it
// returns.
type noLog struct{}

func (noLog) Printf(context.Context, string, ...any) {}

var silence = sync.OnceFunc(func() { redis.SetLogger(noLog{}) })

// dial makes the client; it connects at first use.
func dial(url string) (redis.UniversalClient, error) {
	silence()
	o, err := config.ParseRedis(url)
	if err != nil {
		return nil, err
	}
	o.ClientName, o.MaxRetries, o.DialerRetries, o.PoolSize = cmp.Or(o.ClientName, "aoa"), -1, 1, poolSize
	o.Protocol, o.DisableIdentity, o.ContextTimeoutEnabled = 2, true, true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTimeout, readTimeout, readTimeout
	connect := redis.NewDialer(&redis.Options{DialTimeout: dialTimeout, TLSConfig: o.TLSConfig})
	o.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "/") {
			network = "unix"
		}
		c, err := connect(ctx, network, address)
		return &boundedConn{Conn: c}, err
	}
	return redis.NewUniversalClient(o), nil
}

// maxAnswer bounds the bytes of one answer: 500 entries have 32 MB at most.
const maxAnswer = 64 << 20

var errAnswer = errors.New("the server's answer is larger than 64 MB")

// boundedConn breaks at an answer without an end.
type boundedConn struct {
	net.Conn
	size atomic.Int64 // bytes since the last write
}

func (b *boundedConn) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if b.size.Add(int64(n)) > maxAnswer {
		return 0, errAnswer
	}
	return n, err
}

func (b *boundedConn) Write(p []byte) (int, error) {
	b.size.Store(0)
	return b.Conn.Write(p)
}
