package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func fileWith(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	fault.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	fault.Check(t, os.WriteFile(name, []byte(content), mode))
	fault.Check(t, os.Chmod(name, mode))
}

// localSettings is the personal settings file of Claude Code in a worktree.
const localSettings = ".claude/settings.local.json"

// TestExcludeLinkedFolder: a folder that leads out of the git dir is not written to.
func TestExcludeLinkedFolder(t *testing.T) {
	common, outside := t.TempDir(), t.TempDir()
	before := excludeNote + "\n/" + localSettings + "\n"
	fileWith(t, filepath.Join(outside, "exclude"), before, 0o600)
	fault.Check(t, os.Symlink(outside, filepath.Join(common, "info")))
	var refused *Refusal
	if _, err := Exclude(common, "other"); !errors.As(err, &refused) || !strings.Contains(refused.Why, "symbolic link to") {
		t.Errorf("%v", err)
	}
	if c, err := Unexclude(common, localSettings); err != nil || c.Done != Absent {
		t.Errorf("%+v, %v", c, err)
	}
	fault.Same(t, "the file outside", string(contentOf(t, filepath.Join(outside, "exclude"))), before)
}

func TestExclude(t *testing.T) {
	for name, before := range map[string]string{
		"git's own": "# git ls-files --others --exclude-from=.git/info/exclude\n# *.[oa]\n", "no newline": "*.o\n*.a",
		"empty": "", "newline": "\n", "absent": "-",
	} {
		t.Run(name, func(t *testing.T) {
			common := t.TempDir()
			file := filepath.Join(common, "info", "exclude")
			if before != "-" {
				fileWith(t, file, before, 0o600)
			}
			for _, want := range []bool{true, false} {
				c, err := Exclude(common, localSettings)
				if err != nil || (c.Done != Unchanged) != want {
					t.Fatalf("%+v, %v", c, err)
				}
			}
			if b := contentOf(t, file); !strings.Contains(string(b)+"\n", "\n/"+localSettings+"\n") {
				t.Errorf("%q", b)
			}
			if _, err := Unexclude(common, localSettings); err != nil {
				t.Fatal(err)
			}
			after, err := os.ReadFile(file)
			if before == "-" && err == nil || before != "-" && string(after) != before {
				t.Errorf("before %q, after %q, %v", before, after, err)
			}
			if c, err := Unexclude(common, localSettings); err != nil || c.Done != Absent {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
	common := t.TempDir()
	theirs := "/" + localSettings + "\n"
	fileWith(t, filepath.Join(common, "info", "exclude"), theirs, 0o644)
	if c, err := Exclude(common, localSettings); err != nil || c.Done != Unchanged {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Unexclude(common, localSettings); err != nil || string(contentOf(t,
		filepath.Join(common, "info", "exclude"))) != theirs {
		t.Error("the user's line was taken")
	}
}
