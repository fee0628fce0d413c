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
	for before, done := range map[string][]string{
		"# git ls-files --others --exclude-from=.git/info/exclude\n# *.[oa]\n": {Changed, Unchanged, Changed, Absent},
		"*.o\n*.a": {Changed, Unchanged, Changed, Absent}, "": {Changed, Unchanged, Changed, Absent},
		"\n": {Changed, Unchanged, Changed, Absent}, "absent": {Created, Unchanged, Deleted, Absent},
		"/" + localSettings + "\n": {Unchanged, Unchanged, Absent, Absent},
	} {
		common := t.TempDir()
		file := filepath.Join(common, "info", "exclude")
		if before != "absent" {
			fileWith(t, file, before, 0o600)
		}
		for i, w := range done[:2] {
			if c, err := Exclude(common, localSettings); err != nil || c.Done != w {
				t.Errorf("%q, time %d: %+v, %v", before, i, c, err)
			}
		}
		if b := contentOf(t, file); !strings.Contains("\n"+string(b)+"\n", "\n/"+localSettings+"\n") {
			t.Errorf("%q", b)
		}
		for i, w := range done[2:] {
			if c, err := Unexclude(common, localSettings); err != nil || c.Done != w {
				t.Errorf("%q, removal %d: %+v, %v", before, i, c, err)
			}
		}
		if after, err := os.ReadFile(file); (before == "absent") != (err != nil) || err == nil && string(after) != before {
			t.Errorf("before %q, after %q, %v", before, after, err)
		}
	}
}
