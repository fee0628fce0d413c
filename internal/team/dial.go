package team

import (
	"cmp"
	"context"
	"crypto/tls"
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

// noLog keeps the client library from writing to stderr: what goes wrong is in the errors that it returns.
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
	return bounded(o), nil
}

// maxReply bounds the bytes of one answer: more would be an entry that no daemon wrote, or too many of them.
const maxReply = 64 << 20

var errReply = errors.New("the server's answer is larger than 64 MB")

// bounded makes a client whose connections break at an answer that is too large.
func bounded(o *redis.UniversalOptions) redis.UniversalClient {
	o.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "/") {
			network = "unix"
		}
		dialer := net.Dialer{Timeout: dialTimeout}
		c, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c = &boundedConn{Conn: c}
		if o.TLSConfig != nil {
			t := o.TLSConfig.Clone()
			t.ServerName, _, _ = net.SplitHostPort(address)
			return tls.Client(c, t), nil
		}
		return c, nil
	}
	return redis.NewUniversalClient(o)
}

// boundedConn counts what was read since the last write.
type boundedConn struct {
	net.Conn
	read atomic.Int64
}

func (b *boundedConn) Read(p []byte) (int, error) {
	if b.read.Load() > maxReply {
		return 0, errReply
	}
	n, err := b.Conn.Read(p)
	b.read.Add(int64(n))
	return n, err
}

func (b *boundedConn) Write(p []byte) (int, error) {
	b.read.Store(0)
	return b.Conn.Write(p)
}
