package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestParseRedis(t *testing.T) {
	type want struct {
		redis.UniversalOptions
		tls  bool
		name string
	}
	for text, want := range map[string]want{
		"redis://h":                   {redis.UniversalOptions{Addrs: []string{"h:6379"}}, false, "redis://h"},
		"redis://u:p%40%2F@[::1]:1/2": {redis.UniversalOptions{Addrs: []string{"[::1]:1"}, Username: "u", Password: "p@/", DB: 2}, false, "redis://[::1]:1/2"},
		"unix://u:p@/run/r%20s?db=1":  {redis.UniversalOptions{Addrs: []string{"/run/r s"}, Username: "u", Password: "p", DB: 1}, false, "unix:///run/r%20s"},
		"rediss://h:1?client_name=b":  {redis.UniversalOptions{Addrs: []string{"h:1"}, ClientName: "b"}, true, "rediss://h:1"},
		"rediss://a:1?addr=b:2": {redis.UniversalOptions{Addrs: []string{"a:1", "b:2"}, IsClusterMode: true}, true,
			"rediss://a:1?addr=b%3A2"},
		"redis://s:q@a:1/4?master_name=m&addr=b:2&username=u&password=p": {redis.UniversalOptions{Addrs: []string{"a:1", "b:2"},
			MasterName: "m", DB: 4, SentinelUsername: "s", SentinelPassword: "q", Username: "u", Password: "p"}, false,
			"redis://a:1/4?addr=b%3A2&master_name=m"},
	} {
		got, err := ParseRedis(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		fault.Same(t, text+" has TLS", got.TLSConfig != nil, want.tls)
		got.TLSConfig = nil
		if !reflect.DeepEqual(*got, want.UniversalOptions) {
			t.Errorf("%s: %+v", text, got)
		}
		fault.Same(t, "name of "+text, RedisName(text), want.name)
	}
}

func TestParseRedisRefuses(t *testing.T) {
	for _, text := range []string{"", "redis", "redis://", "http://u:secret@h", "redis://h:secret", "redis://h/secret",
		"unix://relative", "redis://u:secret@h?nothing=1", "redis://h?db=secret", "redis://u:%secret@h", "redis://u:p#secret@h",
		"redis://u:p secret@h", "redis://u/secret@h", "redis://h?addr=secret"} {
		_, err := ParseRedis(text)
		if err == nil {
			t.Errorf("%s was accepted", text)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error repeats it: %v", text, err)
		}
	}
}

// FuzzParseRedis: what is accepted has an address, and a name without the password.
func FuzzParseRedis(f *testing.F) {
	for _, s := range []string{"redis://u:p@h:1/2?client_name=a", "unix:///x?db=1", "redis://a?addr=b:1&master_name=m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRedis(text)
		if err == nil && (len(r.Addrs) == 0 || r.Addrs[0] == "" || len(r.Password) > 9 && strings.Contains(RedisName(text), r.Password)) {
			t.Fatalf("%q: %v", text, r.Addrs)
		}
	})
}

// TestShown: of a redis_url no user and no password is shown, of another setting everything.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{"": "", "redis://u:secret@h:1/2?client_name=x": "redis://h:1/2",
		"redis://:se@cr:et@h": "redis://h", "u:secret@h": "redis"} {
		fault.Same(t, text, Shown("redis_url", text), want)
	}
	fault.Same(t, "another setting", Shown("threshold", "u:p@h"), "u:p@h")
}
