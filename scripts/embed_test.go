package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestNames(t *testing.T) {
	if want := []string{"opencode-plugin.js", "post-commit.sh", "post-tool-use.sh",
		"pre-tool-use.sh"}; !slices.Equal(Names(), want) {
		t.Errorf("%v, want %v", Names(), want)
	}
	if _, err := Read("nothing.sh"); err == nil || !strings.Contains(err.Error(), "post-commit.sh") {
		t.Errorf("the error does not help: %v", err)
	}
}

func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts")
	}
	for name, want := range map[string]string{"pre-tool-use.sh": "hook claude in\n",
		"post-tool-use.sh": "hook claude in\n", "post-commit.sh": "hook git post-commit \n"} {
		t.Run(name, func(t *testing.T) {
			b, err := Read(name)
			fault.Check(t, err)
			if n := bytes.Count(b, []byte("\n")); n > 6 {
				t.Errorf("%d lines, want at most 6", n)
			}
			dir := t.TempDir()
			calls := filepath.Join(dir, "calls")
			run := func(bin string, env ...string) {
				cmd := exec.Command("/bin/sh", "-c", string(b))
				cmd.Env = append([]string{"PATH=" + bin + ":/usr/bin:/bin"}, env...)
				cmd.Stdin = strings.NewReader("in")
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("%v, printed %q", err, out)
				}
			}
			run(dir) // no binary
			if err := os.WriteFile(filepath.Join(dir, "aoa"), []byte("#!/bin/sh\necho \"$* $(cat)\" >>"+calls+"\n"),
				0o755); err != nil {
				t.Fatal(err)
			}
			run(dir, "AOA=0")
			run(dir)
			var got []byte
			fault.Until(t, time.Minute, "aoa is called", func() bool {
				got, _ = os.ReadFile(calls)
				return len(got) > 0
			})
			fault.Same(t, "called", string(got), want)
		})
	}
}
