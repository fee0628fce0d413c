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

// Timeouts of the connection to the server.
const (
	dialTimeout = 2 * time.Second
	poolSize    = 4
)

// readTimeout is how long a command may take. It is a variable so that tests on busy machines can
// raise it.
var readTimeout = 2 * time.Second

// noLog discards the messages of the Redis client library, which would go to stderr. The errors
// that the library returns say the same.
type noLog struct{}

func (noLog) Printf(context.Context, string, ...any) {}

var silence = sync.OnceFunc(func() { redis.SetLogger(noLog{}) })

// dial returns a client for the server. The client connects when it is used for the first time.
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

// maxAnswer is the largest answer of the server, in bytes. A page of 500 entries has at most 32 MB.
const maxAnswer = 64 << 20

var errAnswer = errors.New("the server's answer is larger than 64 MB")

// boundedConn is a connection that fails when an answer has more than maxAnswer bytes.
type boundedConn struct {
	net.Conn
	size atomic.Int64 // bytes read since the last write
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
