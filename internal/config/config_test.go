package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const day = 24 * time.Hour

// places makes the user's file and a repository's with these texts ("" for no file).
func places(t testing.TB, user, repository string) (environ []string, file string) {
	t.Helper()
	dir := t.TempDir()
	environ, file = []string{"XDG_CONFIG_HOME=" + filepath.Join(dir, "xdg"), "HOME=" + dir}, filepath.Join(dir, "repository.yaml")
	if user != "" {
		fault.Write(t, UserFile(environ), user)
	}
	if repository != "" {
		fault.Write(t, file, repository)
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
	if diff := cmp.Diff(map[string]string{"docs/**": "documentation", "*.sql": "storage"}, c.Tags); diff != "" {
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
	fault.Write(t, file, large)
	if _, _, err := Load(nil, file); err == nil || !strings.Contains(err.Error(), "not a file of at most 1 MB") {
		t.Errorf("a large file: %v", err)
	}
	if _, _, err := Load(nil, filepath.Dir(file)); err == nil || !strings.Contains(err.Error(), "not a file of at most 1 MB") {
		t.Errorf("a folder: %v", err)
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

func TestSetFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	fault.Write(t, filepath.Join(dir, "real", "aoa.yaml"), "watch: on\n")
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
		fault.Write(t, file, text)
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

// TestSettings does what testdata/settings.txt asks. The line with a tab below each is what comes of
// it (-update writes it). TEXT is that of a settings file; without one there is no file.
//
//	load TEXT [NAME=VALUE…]   the warnings, or the error, which leaves the defaults
//	set TEXT KEY VALUE        what the file says then: all else keeps its bytes
//	unset TEXT KEY
//	redis URL                 the options, and the name that is shown
//	shown KEY VALUE
func TestSettings(t *testing.T) {
	fault.Replies(t, "testdata/settings.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		words := fault.Words(line)
		verb, text, more := words[0], words[1], words[2:]
		environ, file := places(t, "", text)
		said := func(answer string, err error) []string {
			if err != nil {
				answer = "error: " + err.Error()
				if strings.Contains(answer, "secret") {
					t.Errorf("%s: the password is repeated: %v", line, err)
				}
			}
			answer = strings.ReplaceAll(answer, filepath.Dir(file)+string(filepath.Separator), "")
			return strings.Split(strings.Map(shownRune, answer), "\n")
		}
		switch verb {
		case "load":
			c, warnings, err := Load(append(environ, more...), file)
			if err != nil {
				fault.Same(t, text+": the defaults", c, standard(), cmpopts.IgnoreUnexported(Config{}))
			}
			return said(fmt.Sprint(len(warnings), " warnings\n", strings.Join(warnings, "\n")), err)
		case "redis":
			r, err := ParseRedis(text)
			return said(options(r)+", shown as "+RedisName(text), err)
		case "shown":
			return []string{fmt.Sprintf("%q", Shown(text, more[0]))}
		case "set":
			return said(written(t, file, Set(file, more[0], more[1])))
		default:
			return said(written(t, file, Unset(file, more[0])))
		}
	})
	fault.Check(t, Unset(filepath.Join(t.TempDir(), "none.yaml"), "watch"))
}

// shownRune is a character of an answer in a file of text.
func shownRune(r rune) rune {
	if r != '\n' && !unicode.IsPrint(r) {
		return '?'
	}
	return r
}

// options are those of a Redis client that a URL may set.
func options(r *redis.UniversalOptions) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%q user %q password %q db %d name %q master %q sentinel %q %q cluster %v tls %v", r.Addrs,
		r.Username, r.Password, r.DB, r.ClientName, r.MasterName, r.SentinelUsername, r.SentinelPassword, r.IsClusterMode,
		r.TLSConfig != nil)
}

// written is what a settings file says after it was changed.
func written(t *testing.T, file string, err error) (string, error) {
	t.Helper()
	raw, failed := os.ReadFile(file)
	if failed != nil {
		return "no file", err
	}
	if info := fault.Must(os.Stat(file)); info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".aoa-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err != nil {
		return "", fmt.Errorf("%w; the file says %q", err, raw)
	}
	return fmt.Sprintf("%q", raw), nil
}

// TestDescribed: every setting, kind of hints and variable is described.
func TestDescribed(t *testing.T) {
	names := slices.Clone(Variables)
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	for _, k := range Kinds {
		names = append(names, "kind "+k)
	}
	for _, name := range names {
		if Described(name) == "" {
			t.Errorf("help.txt does not describe %s", name)
		}
	}
}
