package config

import (
	"errors"
	"net/url"

	"github.com/redis/go-redis/v9"
)

var errRedisURL = errors.New("write redis://[user:password@]host[:6379][/db], rediss://… with TLS, or " +
	"unix:///path/of/socket; of Sentinel ?master_name=NAME&addr=host:port, of a cluster ?addr=host:port; special " +
	"characters as %40, %23, …")

// ParseRedis parses a redis_url the way go-redis does, with options after the "?": a URL with
// master_name describes Sentinels, one with only addr a cluster. The address of a Unix socket is
// its path. Errors never contain the URL, which may hold a password.
func ParseRedis(text string) (*redis.UniversalOptions, error) {
	u, err := url.Parse(text)
	if err != nil || u.Fragment != "" || u.Host == "" && u.Path == "" || u.Scheme == "unix" && u.Host != "" {
		return nil, errRedisURL
	}
	o := &redis.UniversalOptions{}
	switch q := u.Query(); {
	case q.Has("master_name"):
		p, perr := redis.ParseFailoverURL(text)
		if err = perr; err == nil {
			*o = redis.UniversalOptions{Addrs: p.SentinelAddrs, MasterName: p.MasterName, SentinelUsername: p.SentinelUsername,
				SentinelPassword: p.SentinelPassword, Username: p.Username, Password: p.Password, DB: p.DB,
				ClientName: p.ClientName, TLSConfig: p.TLSConfig}
		}
	case q.Has("addr"):
		p, perr := redis.ParseClusterURL(text)
		if err = perr; err == nil {
			*o = redis.UniversalOptions{Addrs: p.Addrs, IsClusterMode: true, Username: p.Username, Password: p.Password,
				ClientName: p.ClientName, TLSConfig: p.TLSConfig}
		}
	default:
		p, perr := redis.ParseURL(text)
		if err = perr; err == nil {
			*o = redis.UniversalOptions{Addrs: []string{p.Addr}, Username: p.Username, Password: p.Password, DB: p.DB,
				ClientName: p.ClientName, TLSConfig: p.TLSConfig}
		}
	}
	if err != nil {
		return nil, errRedisURL
	}
	if o.TLSConfig != nil {
		o.TLSConfig.ServerName = "" // use the name of each address: a cluster has several
	}
	return o, nil
}

// RedisName returns a redis_url without user, password and most options, for messages and logs.
func RedisName(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return "redis"
	}
	u.User = nil
	q := u.Query()
	for name := range q {
		if name != "master_name" && name != "addr" {
			q.Del(name)
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Shown returns the value of a setting as it may be displayed. For redis_url that is RedisName.
func Shown(key, value string) string {
	if key == "redis_url" {
		return RedisName(value)
	}
	return value
}
