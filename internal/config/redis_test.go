package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRedis(t *testing.T) {
	for text, want := range map[string]Redis{
		"redis://h": {Kind: RedisServer, Addrs: []string{"h:6379"}},
		"redis://u:p%40%2F@[::1]:1/2": {Kind: RedisServer, Addrs: []string{"[::1]:1"}, User: "u", Password: "p@/",
			DB: 2},
		"redis://:p@w@h:1?client_name=a&db=3": {Kind: RedisServer, Addrs: []string{"h:1"}, Password: "p@w", DB: 3,
			ClientName: "a"},
		"unix:///run/r.sock?db=1":    {Kind: RedisSocket, Addrs: []string{"/run/r.sock"}, DB: 1},
		"unix://u:p@/run/r%20s":      {Kind: RedisSocket, Addrs: []string{"/run/r s"}, User: "u", Password: "p"},
		"redis-sentinel://a,b:1/m/4": {Kind: RedisSentinel, Addrs: []string{"a:26379", "b:1"}, Master: "m", DB: 4},
		"rediss-cluster://a:1,b,[::1]": {Kind: RedisCluster, TLS: true,
			Addrs: []string{"a:1", "b:6379", "[::1]:6379"}},
		"redis://h?password_file=/f": {Kind: RedisServer, Addrs: []string{"h:6379"}, PasswordFile: "/f"},
		"rediss://h?ca=/c&cert=/x&key=/y": {Kind: RedisServer, TLS: true, Addrs: []string{"h:6379"}, CA: "/c",
			Cert: "/x", Key: "/y"},
		"rediss://h?server_name=n&client_name=b": {Kind: RedisServer, TLS: true, Addrs: []string{"h:6379"}, ServerName: "n",
			ClientName: "b"},
		"redis-sentinel://a/m?sentinel_user=s&sentinel_password=q": {Kind: RedisSentinel, Addrs: []string{"a:26379"},
			Master:       "m",
			SentinelUser: "s", SentinelPassword: "q"},
	} {
		got, err := ParseRedis(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestParseRedisRefuses(t *testing.T) {
	for _, text := range []string{"", "redis", "redis://", "http://u:secret@h", "redis://secret@", "redis://h:0",
		"redis://h:secret", "redis://h/secret",
		"redis://a,b", "redis-sentinel://a", "redis-cluster://a/1", "unix://relative", "redis://u:secret@h?nothing=1",
		"redis://h?db=1&db=2",
		"redis://h?ca=/c", "rediss://h?cert=/c", "rediss://h?ca=relative", "redis://h?client_name={x}", "redis://u:%secret@h",
		"redis://u:p#secret@h",
		"redis://u:p secret@h", "redis://u:secret@h?password_file=/f", "redis://h?client_name="} {
		_, err := ParseRedis(text)
		if err == nil {
			t.Errorf("%s was accepted", text)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error repeats it: %v", text, err)
		}
	}
}

// FuzzParseRedis: what is accepted can be printed, and print never shows the password.
func FuzzParseRedis(f *testing.F) {
	for _, s := range []string{"redis://u:p@h:1/2?client_name=a", "unix:///x?db=1", "redis-sentinel://a,b/m",
		"rediss-cluster://[::1]:1,h?ca=/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRedis(text)
		if err != nil {
			return
		}
		if len(r.Addrs) == 0 {
			t.Fatalf("%q has no address", text)
		}
		again := r
		again.Password, again.SentinelPassword = "another", "another"
		if r.String() != again.String() {
			t.Fatalf("%q is printed with its password", text)
		}
		if r.Kind == RedisServer || r.Kind == RedisCluster {
			if back, err := ParseRedis(r.String()); err != nil || !cmp.Equal(back.Addrs, r.Addrs) {
				t.Fatalf("%q → %q: %v", text, r.String(), err)
			}
		}
	})
}

// TestRedacted: of a redis_url everything is shown but the passwords.
func TestRedacted(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"redis://h:1/2":                    "redis://h:1/2",
		"redis://u@h":                      "redis://u@h",
		"redis://u:secret@h?client_name=x": "redis://u:***@h?client_name=x",
		"redis://:se@cr:et@h":              "redis://:***@h",
		"rediss://u:secret@h?ca=/a&db=1":   "rediss://u:***@h?ca=/a&db=1",
		"unix://u:secret@/run/s":           "unix://u:***@/run/s",
		"redis-sentinel://a:secret@h/m?sentinel_user=s&sentinel_password=secret&password_file=/f": "redis-sentinel://a:***@h/m?sentinel_user=s&sentinel_password=***&password_file=/f",
		"u:secret@h": "u:***@h",
	} {
		if got := Redacted("redis_url", text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
	if got := Redacted("threshold", "u:p@h"); got != "u:p@h" {
		t.Errorf("another setting is shown as %s", got)
	}
}
