package redis

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
	if r.Kind == config.RedisSocket {
		o.Dialer = func(ctx context.Context, _, path string) (net.Conn, error) {
			d := net.Dialer{Timeout: dialTimeout}
			return d.DialContext(ctx, "unix", path)
		}
	}
	return redis.NewUniversalClient(o), nil
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

// node is the server that holds the repository's keys: of a cluster one of its masters.
func (s *Store) node(ctx context.Context) (redis.Cmdable, error) {
	cluster, ok := s.client.(*redis.ClusterClient)
	if !ok {
		return s.client, nil
	}
	n, err := cluster.MasterForKey(ctx, s.keys.prefix)
	if err != nil {
		return nil, fmt.Errorf("find the cluster's node: %w", err)
	}
	return n, nil
}

func isNil(err error) bool { return errors.Is(err, redis.Nil) }
