package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const day = 24 * time.Hour

func write(t testing.TB, file, text string) {
	t.Helper()
	fault.Check(t, os.MkdirAll(filepath.Dir(file), 0o700))
	fault.Check(t, os.WriteFile(file, []byte(text), 0o600))
}

// places makes the user's file and a repository's with these texts ("" for no file).
func places(t testing.TB, user, repository string) (environ []string, file string) {
	t.Helper()
	dir := t.TempDir()
	environ, file = []string{"XDG_CONFIG_HOME=" + filepath.Join(dir, "xdg"), "HOME=" + dir}, filepath.Join(dir, "repository.yaml")
	if user != "" {
		write(t, UserFile(environ), user)
	}
	if repository != "" {
		write(t, file, repository)
	}
	return environ, file
}

func TestLayers(t *testing.T) {
	environ, file := places(t,
		"threshold: aggressive\nholdout: 0\nwatch: off\ntags.docs/**: documentation\ntags.*.sql: database\n",
		"threshold: 0.7 # mine\nidle_timeout: 1w2d\nretention.bytes: 1.5GB\nkinds: rescue, next\ntags.*.sql: '#storage'\n")
	c, warnings, err := Load(append(environ, "AOA_HOLDOUT=0.25", "AOA_LOG_LEVEL=", "AOA_STORE=/x"), file)
	fault.Check(t, err)
	if len(warnings) != 0 {
		t.Fatalf("warnings: %v", warnings)
	}
	if c.Threshold != 0.7 || c.Holdout != 0.25 || c.Watch != "off" || c.RetentionBytes != 1_500_000_000 ||
		c.IdleTimeout != 9*day {
		t.Fatalf("%+v", c)
	}
	if !c.Shows("next") || c.Shows("stale") || !c.Shows("rescue") || !c.Shows("a kind of its own") {
		t.Fatalf("kinds %v", c.Kinds)
	}
	if diff := cmp.Diff(map[string]string{"docs/**": "documentation", "*.sql": "storage"},
		c.Tags); diff != "" {
		t.Fatal(diff)
	}
	for key, want := range map[string]string{"threshold": file, "watch": UserFile(environ),
		"holdout": "AOA_HOLDOUT",
		"quiet":   "default", "tags.docs/**": UserFile(environ)} {
		fault.Same(t, "origin of "+key, c.Origin(key), want)
	}
	if v, err := c.Get("idle_timeout"); err != nil || v != "1w2d" {
		t.Errorf("Get: %q %v", v, err)
	}
}

// TestOddFiles: aliases are followed, an environment without a home leaves the repository's file,
// and what is not a settings file is refused.
func TestOddFiles(t *testing.T) {
	environ, file := places(t, "", "threshold: &t 0.7\nthreshold.prompt: *t\n\"tags.x\": "+strings.Repeat("é", 64)+"\n")
	for _, env := range [][]string{environ, nil} {
		c, _, err := Load(env, file)
		fault.Check(t, err)
		if c.Threshold != 0.7 || c.ListThreshold != 0.7 || len(c.Tags) != 1 {
			t.Errorf("%+v", c)
		}
	}
	large := strings.Repeat("# x\n", maxFile/4+1)
	write(t, file, large)
	if _, _, err := Load(nil, file); err == nil || !strings.Contains(err.Error(), "not a file of at most 1 MB") {
		t.Errorf("a large file: %v", err)
	}
	if _, _, err := Load(nil, filepath.Dir(file)); err == nil || !strings.Contains(err.Error(), "not a file of at most 1 MB") {
		t.Errorf("a folder: %v", err)
	}
	write(t, file, "tags.x: "+strings.Repeat("a", 65)+"\n")
	if _, _, err := Load(nil, file); err == nil || !strings.Contains(err.Error(), "not of that form") {
		t.Errorf("a long tag: %v", err)
	}
}

// TestWords: what a shell completes is allowed, and Settings has each setting once.
func TestWords(t *testing.T) {
	for _, k := range Keys() {
		for _, w := range k.Words {
			fault.Check(t, Set(filepath.Join(t.TempDir(), "c.yaml"), k.Name, w))
		}
		if k.Default != "" && len(k.Words) == 0 {
			t.Errorf("%s completes nothing", k.Name)
		}
	}
	_, file := places(t, "", "tags.b: x\ntags.a: y\n")
	c, _, err := Load(nil, file)
	fault.Check(t, err)
	all := c.Settings()
	fault.Same(t, "settings", len(all), len(Keys())+1)
	fault.Same(t, "the last but one", all[len(all)-2].Name, "tags.a")
	for _, k := range append(all, standard().Settings()...) {
		_, err := c.Get(k.Name)
		fault.Check(t, err)
	}
	fault.Same(t, "settings without tags", len(standard().Settings()), len(Keys()))
}

func TestWarnings(t *testing.T) {
	environ, file := places(t, "", "treshold: 0.7\n\nretention.byte: 3\nzzzzzzzzzz: 1\n")
	_, warnings, err := Load(append(environ, "AOA_HOLDUOT=1"), file)
	fault.Check(t, err)
	var all string
	for _, w := range warnings {
		all += w + "\n"
	}
	for _, want := range []string{`repository.yaml:1: `, `did you mean "threshold"`, `repository.yaml:3: `,
		`did you mean "retention.bytes"`,
		`"zzzzzzzzzz"`, `AOA_HOLDUOT: `, `did you mean "AOA_HOLDOUT"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if len(warnings) != 4 {
		t.Errorf("%d warnings:\n%s", len(warnings), all)
	}
}

func TestBadValues(t *testing.T) {
	for text, want := range map[string]string{
		"\nthreshold: 0.3":               "repository.yaml:2: threshold: \"0.3\": out of range; allowed is 0.4 to 0.9",
		"threshold: high":                "not a number",
		"threshold: NaN":                 "out of range",
		"holdout: -1":                    "out of range",
		"\nidle_timeout: 5":              "repository.yaml:2: idle_timeout: \"5\": not a duration",
		"retention.bytes: 5XB":           "not a size",
		"quiet: 1h":                      "out of range",
		"watch: maybe":                   "allowed is on, off or poll",
		"redis_url: http://u:secret@x":   "redis_url: \"…\": write redis://",
		"kinds: [a]":                     "repository.yaml:1: kinds: a list is given; allowed is",
		"kinds: prompt,none":             "kinds: \"prompt,none\": \"none\": no such word",
		"kinds: promt":                   "kinds: \"promt\": no such word (did you mean prompt?)",
		"kinds: prompt,stal":             "\"stal\": no such word (did you mean stale?)",
		"quiet: 1s\nwatch: on\nquiet: 3": "already defined at line 1",
		"a: b: c":                        "mapping values are not allowed",
		"- a\n- b":                       "write lines of the form",
		"a: 1\n---\nb: 2":                "more than one document",
		"tags.x: a b":                    "not of that form",
		"log_level: 1":                   "no such word",
		"team.words: nope":               "no such word",
		"repo_id: a b":                   "allowed is empty, or up to 128",
		"pipeline.env: A,2B":             "\"2B\": not of that form",
		"tokens.session: many":           "not a whole number",
	} {
		environ, file := places(t, "", text)
		c, _, err := Load(environ, file)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the password is repeated: %v", text, err)
		}
		fault.Same(t, text+": the defaults", c, standard(), cmpopts.IgnoreUnexported(Config{}))
	}
	if _, _, err := Load([]string{"AOA_WATCH=never"}, ""); err == nil ||
		!strings.Contains(err.Error(), "AOA_WATCH: watch") {
		t.Errorf("a bad variable: %v", err)
	}
}

// TestSet: a setting is written in its place, and taken out where there is no value. All else keeps
// its bytes.
func TestSet(t *testing.T) {
	for _, c := range []struct{ name, before, key, value, after string }{
		{"new file", "", "threshold", "0.8", "threshold: 0.8\n"},
		{"new group", "threshold: 0.8", "retention.bytes", "30MB", "threshold: 0.8\nretention.bytes: 30MB\n"},
		{"in place", "# mine\n\nthreshold:   0.7   # why\n\nwatch: off\n", "threshold", "0.65",
			"# mine\n\nthreshold: 0.65 # why\n\nwatch: off\n"},
		{"quoted", "watch: \"off\"   # x\n", "watch", "poll", "watch: poll # x\n"},
		{"beside a setting of the group's name", "threshold: 0.7\n", "threshold.prompt", "0.6",
			"threshold: 0.7\nthreshold.prompt: 0.6\n"},
		{"before a setting of the group's name", "reload.min_similarity: 0.8\n", "reload", "off",
			"reload.min_similarity: 0.8\nreload: off\n"},
		{"pattern", "", "tags.src/*.go: #x", "code", "\"tags.src/*.go: #x\": code\n"},
		{"unknown keys stay", "zzz: [1, 2]\n", "holdout", "0", "zzz: [1, 2]\nholdout: 0\n"},
		{"url", "", "redis_url", "redis://u:p@h:1/0", "redis_url: \"redis://u:p@h:1/0\"\n"},
		{"windows", "watch: on\r\nholdout: 0\r\n", "watch", "off", "watch: off\r\nholdout: 0\r\n"},
		{"only comments", "# a\n\n# b", "watch", "off", "# a\n\n# b\nwatch: off\n"},
		{"comment at the end", "watch: on\n\n# end\n", "holdout", "0", "watch: on\n\n# end\nholdout: 0\n"},
		{"text over lines", "repo_id: >-\n  a\n\nwatch: on\n", "watch", "off", "repo_id: >-\n  a\n\nwatch: off\n"},
		{"same", "watch:    on\n", "watch", "on", "watch:    on\n"},
		{"a line taken out", "# a\nwatch: off # b\n\nholdout: 0\n", "watch", "", "# a\n\nholdout: 0\n"},
		{"comments stay", "# a\nwatch: on # b\n# c\n", "watch", "", "# a\n# c\n"},
		{"not there", "watch: on\n", "holdout", "", "watch: on\n"},
		{"the only one", "watch: on\n", "watch", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "new", "config.yaml")
			if c.before != "" {
				write(t, file, c.before)
			}
			if c.value == "" {
				fault.Check(t, Unset(file, c.key))
			} else {
				fault.Check(t, Set(file, c.key, c.value))
			}
			got := fault.Must(os.ReadFile(file))
			fault.Same(t, "file", string(got), c.after)
			info := fault.Must(os.Stat(file))
			if info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
				t.Errorf("mode %o", info.Mode().Perm())
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".aoa-*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	fault.Check(t, Unset(filepath.Join(t.TempDir(), "none.yaml"), "watch"))
}

func TestSetRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := Set(file, "treshold", "0.8"); !errors.Is(err, errUnknown) || !strings.Contains(err.Error(), "threshold") {
		t.Errorf("an unknown key: %v", err)
	}
	for key, value := range map[string]string{"threshold": "2", "tags.a": "two words", "tags.\x01": "x", "tags.\xff": "x", "tags.\ufeff": "x",
		"watch": "on\n"} {
		if err := Set(file, key, value); err == nil {
			t.Errorf("%q: %q was taken", key, value)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
	write(t, file, "a: b: c\n")
	if err := Set(file, "watch", "off"); err == nil || !strings.Contains(err.Error(), "write lines of the form") {
		t.Errorf("a broken file: %v", err)
	}
	const braces = "{tags.a: x, tags.b: y} # both\n"
	write(t, file, braces)
	if err := Set(file, "tags.a", "z"); err == nil || !strings.Contains(err.Error(), "edit it by hand") {
		t.Errorf("two settings on a line: %v", err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != braces {
		t.Errorf("a refused file became %q, %v", got, err)
	}
}

func TestSetFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real", "aoa.yaml"), "watch: on\n")
	link := filepath.Join(dir, "config.yaml")
	if err := os.Symlink(filepath.Join(dir, "real", "aoa.yaml"), link); err != nil {
		t.Skip(err)
	}
	fault.Check(t, Set(link, "watch", "off"))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Fatalf("the link is gone: %v %v", info, err)
	}
	got := fault.Must(os.ReadFile(filepath.Join(dir, "real", "aoa.yaml")))
	if string(got) != "watch: off\n" {
		t.Fatalf("%q", got)
	}
}

// FuzzSet: what Set accepts, Load returns; everything else in the file stays; Unset takes it out
// again.
func FuzzSet(f *testing.F) {
	for _, text := range []string{"", "# c\n", "watch: on # x\n", "tags:\n  pair: a\n", "tags: {pair: a}\n",
		"tags: &a\n  'x': y\n",
		"tags:\n  ? a\n  : b\n", "retention:\n  events: >\n    5d\n", "a: 1\n...\n", "\ufeffwatch: on\n", "tags:\n- a\n",
		"watch:\n  on\n"} {
		f.Add(text, "tags.src/**", "code")
		f.Add(text, "tags.pair", "a")
		f.Add(text, "threshold", "0.8")
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		file := filepath.Join(t.TempDir(), "config.yaml")
		write(t, file, text)
		was, _, err := parse(file, []byte(text))
		if Set(file, key, value) != nil {
			if got, _ := os.ReadFile(file); string(got) != text {
				t.Fatalf("refused, but the file changed to %q", got)
			}
			return
		}
		if err != nil {
			t.Fatalf("Set accepted a file that cannot be read: %v", err)
		}
		before := values(was)
		got := fault.Must(os.ReadFile(file))
		now, _, err := parse(file, got)
		fault.Check(t, err)
		after := values(now)
		if after[key] != value {
			t.Fatalf("%q set to %q reads %q in %q", key, value, after[key], got)
		}
		for k, v := range before {
			if k != key && after[k] != v {
				t.Fatalf("%q changed from %q to %q", k, v, after[k])
			}
		}
		if err := Unset(file, key); err != nil {
			return // a refusal leaves the file
		}
		got, err = os.ReadFile(file)
		fault.Check(t, err)
		now, _, err = parse(file, got)
		fault.Check(t, err)
		if _, still := now[key]; still {
			t.Fatalf("%q is still set in %q", key, got)
		}
	})
}

// FuzzLoad: no file and no variable makes Load panic, and an error leaves the defaults.
func FuzzLoad(f *testing.F) {
	f.Add("threshold: 0.7\ntags: {pair: a}\n", "AOA_HOLDOUT", "a=b")
	f.Add("a: &a [*a]\n", "AOA_WATCH", "x")
	f.Add("tags: &t {x: y}\ntags: *t\n", "AOA_", "")
	f.Fuzz(func(t *testing.T, text, name, value string) {
		environ, file := places(t, "", text)
		c, _, err := Load(append(environ, name+"="+value), file)
		if err != nil && c.Threshold != 0.6 {
			t.Fatalf("an error and threshold %v", c.Threshold)
		}
		if c.Threshold < 0.4 || c.Threshold > 0.9 {
			t.Fatalf("threshold %v", c.Threshold)
		}
	})
}

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
