package team

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
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
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		var dialer net.Dialer
		c, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if o.TLSConfig == nil {
			return &boundedConn{Conn: c}, nil
		}
		t := o.TLSConfig.Clone()
		t.ServerName, _, _ = net.SplitHostPort(address)
		safe := tls.Client(c, t)
		if err := safe.HandshakeContext(ctx); err != nil { // later, no deadline would hold for it
			return nil, errors.Join(err, c.Close())
		}
		return &boundedConn{Conn: safe}, nil
	}
	return redis.NewUniversalClient(o)
}

// boundedConn counts what answers since the last write have announced: the client library makes room for a text or a
// list before it has come.
type boundedConn struct {
	net.Conn
	size atomic.Int64 // bytes
	line []byte       // the beginning of the line that is being read
	text int64        // bytes of a text that are still to come
}

// maxHead bounds what is kept of a line: a mark and a number.
const maxHead = 24

func (b *boundedConn) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if b.size.Add(b.announced(p[:n])) > maxReply {
		return 0, errReply
	}
	return n, err
}

// announced is the bytes of what was read (RESP 2), where a text counts when its length is read.
func (b *boundedConn) announced(read []byte) (bytes int64) {
	for len(read) > 0 && bytes <= maxReply {
		if skip := min(b.text, int64(len(read))); skip > 0 {
			b.text, read = b.text-skip, read[skip:]
			continue
		}
		c := read[0]
		bytes++
		if read = read[1:]; c != '\n' {
			if len(b.line) < maxHead {
				b.line = append(b.line, c)
			}
			continue
		}
		head := strings.TrimSuffix(string(b.line), "\r")
		b.line = b.line[:0]
		if head == "" || head[0] != '$' && head[0] != '*' {
			continue
		}
		n, err := strconv.ParseInt(head[1:], 10, 64)
		switch n = min(n, 2*maxReply); {
		case err != nil: // the library refuses it
		case head[0] == '*':
			bytes += listEntry * max(n, 0)
		case n >= 0:
			bytes, b.text = bytes+n, n+2
		}
	}
	return bytes
}

// listEntry is the bytes that the library makes room for, for each entry of a list, about.
const listEntry = 32

func (b *boundedConn) Write(p []byte) (int, error) {
	b.size.Store(0)
	return b.Conn.Write(p)
}
