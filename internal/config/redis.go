package config

import (
	"errors"
	"net/url"

	"github.com/redis/go-redis/v9"
)

var errRedisURL = errors.New("write redis://[user:password@]host[:6379][/db], rediss://… with TLS, or unix:///path/of/socket; " +
	"of Sentinel ?master_name=NAME&addr=host:port, of a cluster ?addr=host:port; special characters as %40, %23, …")

// ParseRedis reads a redis_url as package go-redis does, which has the options after the "?": with
// master_name it is that of sentinels, with addr alone that of a cluster. The address of a socket
// is its path. Errors never repeat the URL.
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
		o.TLSConfig.ServerName = "" // that of the address: a cluster has several
	}
	return o, nil
}

// RedisName is a redis_url without users, passwords and most options, for people and for logs.
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

// Shown is the value of a setting for reports and screens: of a redis_url only its RedisName.
func Shown(key, value string) string {
	if key == "redis_url" {
		return RedisName(value)
	}
	return value
}
