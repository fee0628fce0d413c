package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Redis says where a shared store is. It is read from redis_url:
//
//	redis://[user[:password]@]host[:6379][/db][?options]     one server; rediss:// with TLS
//	unix:///path/of/socket[?options]                          one server on this machine
//	redis-sentinel://[…@]host[:26379],…/master[/db][?options] what the sentinels call the master; rediss-sentinel://
//	redis-cluster://[…@]host[:6379],…[?options]               some nodes of a cluster; rediss-cluster://
type Redis struct {
	Kind                           RedisKind
	Addrs                          []string // host:port; of a socket its path
	Master                         string   // the name that the sentinels have for it
	DB                             int
	User, Password                 string // ACL user; "" is the default user
	PasswordFile                   string // read at each start instead of Password, without white space around it
	SentinelUser, SentinelPassword string
	TLS                            bool
	// PEM files: the authority of the server's certificate; certificate and key of this client
	CA, Cert, Key string
	ServerName    string // the name in the server's certificate; "" is the host
	ClientName    string // in CLIENT LIST; "" for aoa
}

// RedisKind says how a server is reached.
type RedisKind string

// The kinds.
const (
	RedisServer   RedisKind = "server"
	RedisSocket   RedisKind = "socket"
	RedisSentinel RedisKind = "sentinel"
	RedisCluster  RedisKind = "cluster"
)

// redisSchemes are the beginnings of a redis_url.
var redisSchemes = map[string]struct {
	kind RedisKind
	tls  bool
	port string
}{
	"redis": {RedisServer, false, "6379"}, "rediss": {RedisServer, true, "6379"}, "unix": {RedisSocket, false, ""},
	"redis-sentinel": {RedisSentinel, false, "26379"}, "rediss-sentinel": {RedisSentinel, true, "26379"},
	"redis-cluster": {RedisCluster, false, "6379"}, "rediss-cluster": {RedisCluster, true, "6379"},
}

var errRedisScheme = errors.New(
	"begin with redis://, rediss://, unix://, redis-sentinel://, rediss-sentinel://, redis-cluster:// or rediss-cluster://")

// ParseRedis reads a redis_url. Errors never repeat the user, the password or the options.
func ParseRedis(text string) (Redis, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	s, known := redisSchemes[scheme]
	if !ok || !known {
		return Redis{}, errRedisScheme
	}
	r := Redis{Kind: s.kind, TLS: s.tls}
	if strings.ContainsFunc(rest, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '#' }) {
		return Redis{}, errors.New("has a blank, a control character or a #: write them as %20, %23, …")
	}
	rest, options, _ := strings.Cut(rest, "?")
	hosts, path := rest, ""
	if r.Kind == RedisSocket {
		at := strings.LastIndex(rest, "@")
		hosts, path = rest[:at+1], rest[at+1:]
	} else if i := strings.IndexByte(rest, '/'); i >= 0 {
		hosts, path = rest[:i], rest[i+1:]
	}
	if at := strings.LastIndex(hosts, "@"); at >= 0 {
		user, password, _ := strings.Cut(hosts[:at], ":")
		var err, err2 error
		r.User, err = url.PathUnescape(user)
		r.Password, err2 = url.PathUnescape(password)
		if err != nil || err2 != nil {
			return Redis{}, errors.New("the user or the password has a bad % escape")
		}
		hosts = hosts[at+1:]
	}
	if err := r.place(hosts, path, s.port); err != nil {
		return Redis{}, err
	}
	if err := r.options(options); err != nil {
		return Redis{}, err
	}
	return r, nil
}

// place reads the addresses and the path after them.
func (r *Redis) place(hosts, path, port string) error {
	if r.Kind == RedisSocket {
		file, err := url.PathUnescape(path)
		if err != nil || !filepath.IsAbs(file) {
			return errors.New("unix:// needs the absolute path of the socket: unix:///run/redis/redis.sock")
		}
		r.Addrs = []string{file}
		return nil
	}
	for host := range strings.SplitSeq(hosts, ",") {
		addr, err := address(host, port)
		if err != nil {
			return err
		}
		r.Addrs = append(r.Addrs, addr)
	}
	if r.Kind == RedisServer && len(r.Addrs) > 1 {
		return errors.New("several addresses need redis-sentinel:// or redis-cluster://")
	}
	path = strings.TrimSuffix(path, "/")
	if r.Kind == RedisSentinel {
		r.Master, path, _ = strings.Cut(path, "/")
		if r.Master == "" {
			return errors.New("name the master that the sentinels watch: redis-sentinel://host:26379/mymaster")
		}
	}
	if path == "" {
		return nil
	}
	return r.db(path)
}

func (r *Redis) db(text string) error {
	n, err := strconv.ParseUint(text, 10, 16)
	switch {
	case err != nil:
		return errors.New("the database is a number: redis://host:6379/0")
	case n != 0 && r.Kind == RedisCluster:
		return errors.New("a cluster has database 0 only")
	}
	r.DB = int(n)
	return nil
}

func address(host, port string) (string, error) {
	bad := errors.New("an address is host or host:port, of IPv6 [::1]:6379")
	if h, p, err := net.SplitHostPort(host); err == nil {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return "", bad
		}
		host, port = h, p
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
		if strings.Contains(host, ":") && net.ParseIP(host) == nil {
			return "", bad
		}
	}
	if host == "" || strings.ContainsAny(host, "[]/@%\\") {
		return "", bad
	}
	return net.JoinHostPort(host, port), nil
}

// redisOptions are the names after the "?", for the documentation.
var redisOptions = []string{"ca", "cert", "client_name", "db", "key", "password_file", "sentinel_password",
	"sentinel_user", "server_name"}

// options reads the part after the "?". Each option is given once.
func (r *Redis) options(text string) error {
	values, err := url.ParseQuery(text)
	if err != nil {
		return errors.New("the options have a bad % escape or a semicolon")
	}
	for name, vs := range values {
		if !slices.Contains(redisOptions, name) {
			return fmt.Errorf("no option %q: there are %s", name, strings.Join(redisOptions, ", "))
		}
		if len(vs) != 1 || vs[0] == "" {
			return fmt.Errorf("give option %s once, with a value", name)
		}
		if err := r.option(name, vs[0]); err != nil {
			return err
		}
	}
	if !r.TLS && r.CA+r.Cert+r.ServerName != "" {
		return errors.New("ca, cert, key and server_name need TLS: rediss://, rediss-sentinel:// or rediss-cluster://")
	}
	if (r.Cert == "") != (r.Key == "") {
		return errors.New("cert and key come together")
	}
	if r.Password != "" && r.PasswordFile != "" {
		return errors.New("give the password or password_file, not both")
	}
	return nil
}

func (r *Redis) option(name, v string) error {
	fields := map[string]*string{"ca": &r.CA, "cert": &r.Cert, "key": &r.Key, "password_file": &r.PasswordFile,
		"client_name": &r.ClientName, "sentinel_user": &r.SentinelUser,
		"sentinel_password": &r.SentinelPassword, "server_name": &r.ServerName}
	switch name {
	case "db":
		return r.db(v)
	case "ca", "cert", "key", "password_file":
		if !filepath.IsAbs(v) {
			return fmt.Errorf("%s is the absolute path of a file", name)
		}
	case "client_name":
		if len(v) > 64 || !only(v, "._:-") {
			return fmt.Errorf("%s has up to 64 letters, digits and ._:-", name)
		}
	}
	*fields[name] = v
	return nil
}

// String says where the store is, without secrets: for people and for logs.
func (r Redis) String() string {
	scheme := "redis"
	if r.TLS {
		scheme = "rediss"
	}
	hosts := strings.Join(r.Addrs, ",")
	switch r.Kind {
	case RedisSocket:
		return "unix://" + hosts
	case RedisSentinel:
		return scheme + "-sentinel://" + hosts + "/" + r.Master
	case RedisCluster:
		return scheme + "-cluster://" + hosts
	}
	return scheme + "://" + hosts + "/" + strconv.Itoa(r.DB)
}

// Redacted returns the value of a setting without passwords, for reports and screens. The value may be a bad one.
func Redacted(key, value string) string {
	if key != "redis_url" {
		return value
	}
	const hidden = "***"
	head, options, _ := strings.Cut(value, "?")
	if at := strings.LastIndex(head, "@"); at >= 0 {
		start := 0
		if i := strings.Index(head, "://"); i >= 0 {
			start = i + len("://")
		}
		if user, _, ok := strings.Cut(head[min(start, at):at], ":"); ok {
			head = head[:start] + user + ":" + hidden + head[at:]
		}
	}
	sign := "?"
	for o := range strings.SplitSeq(options, "&") {
		if name, _, ok := strings.Cut(o, "="); ok && strings.Contains(name, "password") && name != "password_file" {
			o = name + "=" + hidden
		}
		if o != "" {
			head += sign + o
			sign = "&"
		}
	}
	return head
}
