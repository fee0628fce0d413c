package hot

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/config"
)

// quiet keeps the client library from writing to stderr: what goes wrong is in the errors that it returns.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

var hush = sync.OnceFunc(func() { redis.SetLogger(quiet{}) })

// dial makes the client; it connects at first use.
func (s *Store) dial() error {
	hush()
	r := s.place
	secrets, err := tlsOf(r)
	if err != nil {
		return err
	}
	if r.PasswordFile != "" {
		text, err := os.ReadFile(r.PasswordFile)
		if err != nil {
			return fmt.Errorf("redis_url: password_file: %w", err)
		}
		r.Password = strings.TrimSpace(string(text))
	}
	name := cmp.Or(r.ClientName, "aoa")
	switch r.Kind {
	case config.RedisCluster:
		s.client = redis.NewClusterClient(&redis.ClusterOptions{Addrs: r.Addrs, Username: r.User, Password: r.Password,
			TLSConfig: secrets, ClientName: name, MaxRetries: -1, PoolSize: poolSize, Protocol: 2, DisableIdentity: true,
			DialTimeout: dialTimeout, ReadTimeout: readTimeout, WriteTimeout: readTimeout, ContextTimeoutEnabled: true})
	case config.RedisSentinel:
		s.client = redis.NewFailoverClient(&redis.FailoverOptions{MasterName: r.Master, SentinelAddrs: r.Addrs,
			SentinelUsername: r.SentinelUser, SentinelPassword: r.SentinelPassword, Username: r.User, Password: r.Password,
			DB: r.DB, TLSConfig: secrets, ClientName: name, MaxRetries: -1, PoolSize: poolSize, Protocol: 2, DisableIdentity: true,
			DialTimeout: dialTimeout, ReadTimeout: readTimeout, WriteTimeout: readTimeout, ContextTimeoutEnabled: true})
	default:
		network := "tcp"
		if r.Kind == config.RedisSocket {
			network = "unix"
		}
		s.client = redis.NewClient(&redis.Options{Network: network, Addr: r.Addrs[0], Username: r.User, Password: r.Password,
			DB: r.DB, TLSConfig: secrets, ClientName: name, MaxRetries: -1, PoolSize: poolSize, Protocol: 2, DisableIdentity: true,
			DialTimeout: dialTimeout, ReadTimeout: readTimeout, WriteTimeout: readTimeout, ContextTimeoutEnabled: true})
	}
	return nil
}

// tlsOf reads the files that TLS needs; nil without TLS.
func tlsOf(r config.Redis) (*tls.Config, error) {
	if !r.TLS {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: r.ServerName}
	if r.CA != "" {
		pem, err := os.ReadFile(r.CA)
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
