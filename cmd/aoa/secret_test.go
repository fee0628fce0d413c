package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPasswordStaysIn: the password of the shared server is where it was put and nowhere else: in
// no log, no answer, no error and no list of processes, whether the server takes it, refuses it, or
// is gone.
func TestPasswordStaysIn(t *testing.T) {
	noRace(t)
	t.Parallel()
	const right, wrong = "correct-horse-battery", "staple-of-the-horse"
	s := newServer(t, "--requirepass", right)
	d := newSandbox(t, 16)
	d.env = append(d.env, "AOA_REPO_ID=secret")
	d.must("init")
	config := d.place().Settings()
	for _, password := range []string{right, wrong} {
		for _, gone := range []bool{false, true} {
			if gone && password == wrong {
				continue // no one refuses it
			}
			addr, name := s.addr, "refused"
			if password == right {
				name = "taken"
			}
			if gone {
				addr, name = freeAddr(t), name+", gone"
			}
			d.must("config", "redis_url", fmt.Sprintf("redis://:%s@%s/0", password, addr))
			text, err := os.ReadFile(config)
			fault.Check(t, err)
			if !strings.Contains(string(text), password) {
				t.Fatalf("%s: the password is not in the settings, so nothing is tested", name)
			}
			d.must("daemon", "stop")
			d.must("daemon", "start")
			want := "redis://" + addr
			d.until(name+": the daemon has tried", func() bool {
				shared := d.logged("msg=\"the team's events are exchanged\" server=" + want)
				failed := d.logged("server=" + want)
				return name == "taken" && len(shared) > 0 || name != "taken" && len(failed) > 0
			})
			d.mum(name, right, wrong)
		}
	}
}

// mum looks for words where they must not be.
func (d *sandbox) mum(what string, secrets ...string) {
	d.Helper()
	look := func(where, text string) {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				d.Errorf("%s: %s has the password: %.300s", what, where, text)
			}
		}
	}
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"status", "--all"}, {"doctor"},
		{"doctor", "--json"},
		{"config"}, {"config", "--json"}, {"config", "redis_url"},
		{"stats", "metrics"}, {"log", "--json"}, {"stats", "files"}, {"suggest"}, {"--version"},
		{"config", "redis_url", "redis://:" + secrets[0] + "@h:x"},
		{"config", "redis_url", "gopher://:" + secrets[0] + "@h"}} {
		s := d.do(args...)
		look("aoa "+strings.Join(args[:min(2, len(args))], " "), s.out+s.err)
	}
	raw, err := json.Marshal(d.status())
	fault.Check(d, err)
	look("GET /v1/status", string(raw))
	fault.Check(d, filepath.WalkDir(d.place().Store, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if !os.IsNotExist(err) {
			look(path, string(text))
		}
		return nil
	}))
	if st, err := os.Stat(d.place().Settings()); err != nil || st.Mode().Perm()&0o077 != 0 {
		d.Errorf("%s: others may read the settings: %v, %v", what, st, err)
	}
	lists, err := filepath.Glob("/proc/[0-9]*/cmdline") // none elsewhere
	fault.Check(d, err)
	for _, name := range lists {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), "aoa") {
			look("the list of processes", string(text))
		}
	}
}
