package team

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/regularfile"
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
func dial(r config.Redis) (redis.UniversalClient, error) {
	silence()
	secrets, err := tlsOf(r)
	if err != nil {
		return nil, err
	}
	if r.PasswordFile != "" {
		text, err := regularfile.Read(r.PasswordFile, regularfile.FollowLinks, 64<<10)
		if err != nil {
			return nil, fmt.Errorf("redis_url: password_file: %w", err)
		}
		r.Password = strings.TrimSpace(string(text))
	}
	o := &redis.UniversalOptions{Addrs: r.Addrs, DB: r.DB, Username: r.User, Password: r.Password, TLSConfig: secrets,
		MasterName: r.Master, SentinelUsername: r.SentinelUser, SentinelPassword: r.SentinelPassword,
		IsClusterMode: r.Kind == config.RedisCluster, ClientName: cmp.Or(r.ClientName, "aoa"),
		MaxRetries: -1, DialerRetries: 1, PoolSize: poolSize, Protocol: 2, DisableIdentity: true,
		DialTimeout: dialTimeout, ReadTimeout: readTimeout, WriteTimeout: readTimeout, ContextTimeoutEnabled: true}
	return bounded(r.Kind, o), nil
}

// maxReply bounds the bytes of one answer: more would be an entry that no daemon wrote, or too many of them.
const maxReply = 64 << 20

var errReply = errors.New("the server's answer is larger than 64 MB")

// bounded makes a client whose connections break at an answer that is too large.
func bounded(kind config.RedisKind, o *redis.UniversalOptions) redis.UniversalClient {
	o.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		if kind == config.RedisSocket {
			network = "unix"
		}
		dialer := net.Dialer{Timeout: dialTimeout}
		c, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c = &boundedConn{Conn: c}
		if o.TLSConfig != nil {
			secrets := o.TLSConfig.Clone()
			if secrets.ServerName == "" {
				secrets.ServerName, _, _ = net.SplitHostPort(address)
			}
			return tls.Client(c, secrets), nil
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

// tlsOf reads the files that TLS needs; nil without TLS.
func tlsOf(r config.Redis) (*tls.Config, error) {
	if !r.TLS {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: r.ServerName}
	if r.CA != "" {
		pem, err := regularfile.Read(r.CA, regularfile.FollowLinks, 4<<20)
		if err != nil {
			return nil, fmt.Errorf("redis_url: ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("redis_url: ca: " + r.CA + " holds no PEM certificate")
		}
	}
	if r.Cert != "" {
		pair, err := tls.LoadX509KeyPair(r.Cert, r.Key)
		if err != nil {
			return nil, fmt.Errorf("redis_url: cert and key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
