package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Lack is something that a server does not offer as the store needs it.
type Lack struct {
	What  string // a command, a role, a setting
	Why   string // what the server says, or what it is
	Harms bool   // the store cannot work; else it works, with a risk
}

func (l Lack) String() string { return l.What + ": " + l.Why }

// used lists the commands that the store gives, each as it is given, on keys under <prefix>probe; docs/store.md says what
// for. The scripts' commands are tried inside a script, too: an access list holds there as well.
func used(k keys) [][]any {
	z, h, s := k.prefix+"probe:z", k.prefix+"probe:h", k.prefix+"probe:s"
	return [][]any{
		{"SET", s, "1"}, {"SET", s, "1", "NX"}, {"GET", s},
		{"ZADD", z, "GT", 1, "a"}, {"ZADD", z, "NX", 1, "a"}, {"ZINCRBY", z, 1, "a"}, {"ZMSCORE", z, "a", "b"}, {"ZSCORE", z, "a"},
		{"ZRANGE", z, 0, -1, "WITHSCORES"}, {"ZCARD", z}, {"ZRANGEBYSCORE", z, "-inf", "(0"}, {"ZREM", z, "b"},
		{"HSET", h, "a", 1}, {"HGET", h, "a"}, {"HEXISTS", h, "a"}, {"HINCRBY", h, "a", 1}, {"HGETALL", h}, {"HDEL", h, "a"},
		{"EXPIRE", z, 60}, {"XADD", k.prefix + "probe:x", "MAXLEN", 1, "*", "w", "probe"}, {"XRANGE", k.prefix + "probe:x", "-", "+"},
		{"EVAL", "return redis.call('ZADD', KEYS[1], 'GT', 2, 'a')", 1, z}, {"EVALSHA", applyScript.Hash(), 2, s, s, "", "", ""},
		{"MULTI/EXEC"}, {"PUBLISH", k.wake(), "probe"}, {"SCAN"}, {"DEL", z}, {"DEL", h}, {"DEL", s}, {"DEL", k.prefix + "probe:x"},
	}
}

// oldest are the versions from which on everything is there that the store uses.
var oldest = map[string]int{"redis_version": 7, "valkey_version": 8}

// Check tries every command that the store gives, and asks what kind of server it is. The error says that it could not
// be reached at all.
func (s *Store) Check(ctx context.Context) ([]Lack, error) {
	if err := s.client.Ping(ctx).Err(); err != nil && !refused(err) {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	var out []Lack
	for _, args := range used(s.keys) {
		name := args[0].(string)
		if err := s.probe(ctx, name, args); err != nil {
			out = append(out, Lack{name, err.Error(), true})
		}
	}
	// Access lists refuse the same command in all its forms.
	out = slices.CompactFunc(out, func(a, b Lack) bool { return a == b })
	return append(out, s.kind(ctx)...), nil
}

func (s *Store) probe(ctx context.Context, name string, args []any) error {
	var err error
	switch name {
	case "SCAN":
		_, err = s.scan(ctx, s.keys.prefix+"probe:")
	case "MULTI/EXEC":
		pipe := s.client.TxPipeline()
		pipe.Get(ctx, s.keys.prefix+"probe:s")
		_, err = pipe.Exec(ctx)
	default:
		err = s.client.Do(ctx, args...).Err()
	}
	if err == nil || isNil(err) || strings.HasPrefix(err.Error(), "NOSCRIPT") {
		return nil
	}
	return err
}

// refused tells an answer that is an error from no answer.
func refused(err error) bool {
	var e interface{ RedisError() }
	return errors.As(err, &e)
}

// kind looks at what the server says of itself. One that says nothing is taken for what it should be.
func (s *Store) kind(ctx context.Context) (out []Lack) {
	node, err := s.node(ctx)
	if err != nil {
		return []Lack{{"cluster", err.Error(), true}}
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
	version := "redis_version" // Valkey says both, of which that one is a courtesy
	if info["valkey_version"] != "" {
		version = "valkey_version"
	}
	major, _, _ := strings.Cut(info[version], ".")
	if n, err := strconv.Atoi(major); err == nil && n < oldest[version] {
		out = append(out, Lack{version, fmt.Sprintf("is %s, tested from %d on", info[version], oldest[version]), false})
	}
	if role := info["role"]; role != "" && role != "master" {
		out = append(out, Lack{"role", "is " + role + ", cannot be written: name the master, or use redis-sentinel://", true})
	}
	if p := info["maxmemory_policy"]; info["maxmemory"] != "0" && strings.HasPrefix(p, "allkeys-") {
		out = append(out, Lack{"maxmemory-policy", "is " + p + ", drops what was learned when memory is short: use noeviction", false})
	}
	return out
}
