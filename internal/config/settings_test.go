package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
