package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Incompatibility is something that a server does not offer as the store needs it.
type Incompatibility struct {
	What  string // a command, a role, a setting
	Why   string // the server's answer, or what it is
	Harms bool   // the store cannot work; else it works, with a risk
}

func (i Incompatibility) String() string { return i.What + ": " + i.Why }

// used lists the commands of the store, each in the form that the store uses, on keys that begin with <prefix>probe; docs/store.md
// has what for. The scripts' commands are tried inside a script, too: an access list holds there as well.
func used(k keys) [][]any {
	z, h, s, x := k.prefix+"probe:z", k.prefix+"probe:h", k.prefix+"probe:s", k.prefix+"probe:x"
	return [][]any{
		{"SET", s, "1", "NX"}, {"GET", s},
		{"ZADD", z, "GT", 1, "a"}, {"ZINCRBY", z, 1, "a"}, {"ZSCORE", z, "a"}, {"ZRANGE", z, 0, -1, "WITHSCORES"}, {"ZREM", z, "b"},
		{"HSET", h, "a", 1}, {"HGET", h, "a"}, {"HEXISTS", h, "a"}, {"HINCRBY", h, "a", 1}, {"HDEL", h, "a"},
		{"XADD", x, "*", "w", "probe"}, {"XRANGE", x, "-", "+"}, {"XREVRANGE", x, "+", "-"}, {"XREAD", "COUNT", 1, "STREAMS", x, "0"},
		{"XTRIM", x, "MAXLEN", 0}, {"EVAL", "return redis.call('ZADD', KEYS[1], 'GT', 2, 'a')", 1, z},
		{"EVALSHA", strings.Repeat("0", 40), 1, x},
		{"SCAN"}, {"DEL", z}, {"DEL", h}, {"DEL", s}, {"DEL", x},
	}
}

// oldest are the versions from which on everything is there that the store uses.
var oldest = map[string]int{"redis_version": 7, "valkey_version": 8}

// Check tries every command of the store, and asks what kind of server it is. The error means that it could not be
// reached at all.
func (s *Store) Check(ctx context.Context) ([]Incompatibility, error) {
	if err := s.client.Ping(ctx).Err(); err != nil && !refused(err) {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	var out []Incompatibility
	for _, args := range used(s.keys) {
		name := args[0].(string)
		if err := s.probe(ctx, name, args); err != nil {
			out = append(out, Incompatibility{name, err.Error(), true})
		}
	}
	// Access lists refuse the same command in all its forms.
	out = slices.CompactFunc(out, func(a, b Incompatibility) bool { return a == b })
	return append(out, s.kind(ctx)...), nil
}

func (s *Store) probe(ctx context.Context, name string, args []any) error {
	var err error
	if name == "SCAN" {
		var node redis.Cmdable
		if node, err = s.node(ctx); err == nil {
			err = node.Scan(ctx, 0, s.keys.prefix+"probe:*", 1).Err()
		}
	} else {
		err = s.client.Do(ctx, args...).Err()
	}
	if err == nil || isNil(err) || strings.HasPrefix(err.Error(), "NOSCRIPT") {
		return nil
	}
	return err
}

// refused reports whether the server answered, with an error.
func refused(err error) bool {
	var e interface{ RedisError() }
	return errors.As(err, &e)
}

// kind checks the server's own description. It believes the best of a server without one.
func (s *Store) kind(ctx context.Context) (out []Incompatibility) {
	node, err := s.node(ctx)
	if err != nil {
		return []Incompatibility{{"cluster", err.Error(), true}}
	}
	text, err := node.Info(ctx).Result()
	if err != nil {
		return nil
	}
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = v
		}
	}
	version := "redis_version" // Valkey has both, for compatibility
	if info["valkey_version"] != "" {
		version = "valkey_version"
	}
	major, _, _ := strings.Cut(info[version], ".")
	if n, err := strconv.Atoi(major); err == nil && n < oldest[version] {
		out = append(out, Incompatibility{version, fmt.Sprintf("is %s, tested from %d on", info[version], oldest[version]), false})
	}
	if role := info["role"]; role != "" && role != "master" {
		out = append(out, Incompatibility{"role", "is " + role + ", cannot be written: name the master, or use redis-sentinel://", true})
	}
	if p := info["maxmemory_policy"]; info["maxmemory"] != "0" && strings.HasPrefix(p, "allkeys-") {
		out = append(out, Incompatibility{"maxmemory-policy",
			"is " + p + ", drops what was learned when memory is short: use noeviction", false})
	}
	return out
}
