package redisview_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"testing"

	"github.com/alicebob/miniredis/v2"
	diff "github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/api"
)

// TestLikeMiniredis: every command answers, or refuses, as miniredis does, which is held against Redis itself.
func TestLikeMiniredis(t *testing.T) {
	f := newFixture(t)
	m := miniredis.NewMiniRedis()
	t.Cleanup(m.Close)
	other := redis.NewClient(&redis.Options{Protocol: 2, MaxRetries: -1, Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() }})
	t.Cleanup(func() { other.Close() })
	if err := other.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	var frequency, comod []any
	for i := range 12 {
		name, score := fmt.Sprintf("dir%d/f%d.go", i%3, i), float64(i/2)*1.25 // some are equal
		frequency = append(frequency, name, score)
		m.DB(0).ZAdd("aoa:scores:frequency", score, name)
		if i%2 == 0 {
			comod = append(comod, name, -score)
			m.DB(0).ZAdd("aoa:comod:a.go", -score, name)
		}
	}
	f.have(api.ScoresFrequency, "", frequency...)
	f.have(api.ScoresComod, "a.go", comod...)
	f.have(api.ScoresComod, "", "a.go", 1.0)
	f.have(api.ScoresTag, "go", "a.go", 1.0, "b.go", 2.0)
	f.have(api.ScoresTag, "doc", "b.go", 1.0)
	f.have(api.ScoresTag, "", "go", 3.0, "doc", 1.0)
	for set, members := range map[string][]string{"aoa:tag:go": {"a.go", "b.go"}, "aoa:tag:doc": {"b.go"}} {
		m.DB(0).SetAdd(set, members...)
	}
	m.DB(0).ZAdd("aoa:scores:intent:go", 1, "a.go")
	m.DB(0).ZAdd("aoa:scores:intent:go", 2, "b.go")
	m.DB(0).ZAdd("aoa:scores:intent:doc", 1, "b.go")
	m.DB(0).ZAdd("aoa:scores:comod", 1, "a.go")
	f.have(api.ScoresComod, "", "a.go", 1.0)
	session := api.ScoresRequest{Set: api.ScoresSession, Owner: "s"}
	f.sets[session] = api.ScoresAnswer{Fields: map[string]string{"current_file": "a.go", "last_access": "7"}}
	f.have(api.ScoresSession, "", "s", 1e9)
	m.DB(0).HSet("aoa:session:s", "current_file", "a.go", "last_access", "7")

	check := func(args ...any) {
		t.Helper()
		got, gotErr := f.Do(t.Context(), args...).Result()
		want, wantErr := other.Do(t.Context(), args...).Result()
		if slices.Contains([]any{"SMEMBERS", "SUNION", "SINTER", "HKEYS"}, args[0]) { // in any order
			for _, reply := range []any{got, want} {
				if list, ok := reply.([]any); ok {
					slices.SortFunc(list, func(a, b any) int { return cmp.Compare(a.(string), b.(string)) })
				}
			}
		}
		if d := diff.Diff([]any{want, fmt.Sprint(wantErr)}, []any{got, fmt.Sprint(gotErr)}); d != "" {
			t.Errorf("%v:\n%s", args, d)
		}
	}
	keys := []string{"aoa:scores:frequency", "aoa:comod:a.go", "aoa:comod:none", "aoa:tag:go", "aoa:tag:doc", "aoa:session:s", "other"}
	for _, key := range keys {
		for _, args := range [][]any{{"TYPE"}, {"EXISTS"}, {"TTL"}, {"PTTL"}, {"ZCARD"}, {"SCARD"}, {"HLEN"}, {"SMEMBERS"}, {"HKEYS"}} {
			check(args[0], key)
		}
		check("ZSCORE", key, "dir1/f1.go")
		check("ZMSCORE", key, "dir1/f1.go", "none")
		check("ZRANK", key, "dir2/f8.go")
		check("ZREVRANK", key, "none")
		check("SISMEMBER", key, "b.go")
		check("SUNION", key, "aoa:tag:doc")
		check("SINTER", key, "aoa:tag:doc")
		check("HGET", key, "current_file")
		check("HMGET", key, "last_access", "none")
		check("HEXISTS", key, "none")
		check("ZRANGE", key, 0, -1)
	}
	for _, args := range [][]any{{"EXISTS", keys[0], keys[1], keys[0]}, {"KEYS", "aoa:*"}, {"KEYS", "*:tag:[a-g]o"}, {"KEYS", "aoa:comod:?.go"}, {"KEYS", ""}, {"DBSIZE"},
		{"SCAN", 0}, {"SCAN", 0, "TYPE", "hash"}, {"SCAN", 0, "MATCH", "*go", "COUNT", 1}, {"SCAN", 0, "MATCH"}, {"ZSCORE", keys[0]}, {"ECHO", "x"}, {"PING"},
		{"ZRANGE", keys[0], "a", 1}, {"ZRANGE", keys[0], 0, 1, "LIMIT", 0, 1}, {"ZRANGEBYSCORE", keys[0], "x", 1}, {"ZCOUNT", keys[0], "(1.25", "+inf"},
		{"ZUNION", 2, keys[0], keys[1], "WITHSCORES"}, {"ZUNION", 2, keys[0], keys[1], "WEIGHTS", 2, 0.5, "WITHSCORES"}, {"ZRANGE", keys[0], 0, 1, "NONE"}} {
		check(args...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	place := func() any { return r.IntN(30) - 15 }
	bound := func() any {
		return []any{"-inf", "+inf", "(2.5", 2.5, "(3.75", 1, -5, "(-2.5", 6.25}[r.IntN(9)]
	}
	for range 400 {
		key := keys[r.IntN(2)]
		var args []any
		switch r.IntN(4) {
		case 0:
			args = []any{"ZREVRANGE", key, place(), place()}
		case 1:
			args = []any{"ZRANGE", key, place(), place()}
			if r.IntN(2) == 0 {
				args = append(args, "REV")
			}
		case 2:
			args = []any{[]string{"ZRANGEBYSCORE", "ZREVRANGEBYSCORE"}[r.IntN(2)], key, bound(), bound()}
		default:
			args = []any{"ZRANGE", key, bound(), bound(), "BYSCORE"}
		}
		if r.IntN(2) == 0 {
			args = append(args, "WITHSCORES")
		}
		if args[0] != "ZREVRANGE" && (args[0] != "ZRANGE" || args[len(args)-1] == "BYSCORE") && r.IntN(2) == 0 {
			args = append(args, "LIMIT", r.IntN(8)-1, r.IntN(6)-1)
		}
		check(args...)
	}
}
