package client

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/locate"
)

// start runs `aoa daemon run` or `aoa daemon start` in a session of its own, and does not wait for
// it. If several daemons start, one gets the store's lock and the others exit. The time of a stamp
// file keeps hooks from starting one more often than every `again`. start reports whether a daemon
// may come; none does if the store cannot be written.
func (d daemon) start(command string, again time.Duration) bool {
	if st, err := os.Lstat(d.startFile()); err == nil {
		if age := time.Since(st.ModTime()); age >= 0 && age < again || st.IsDir() {
			return !st.IsDir()
		}
	}
	// Creating a new file shows that the store can be written. Then it can also be recorded that
	// the daemon did not come.
	if err := os.Remove(d.startFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if os.WriteFile(d.startFile(), []byte("\n"), 0o600) != nil {
		return false
	}
	program, err := aoa()
	if err != nil {
		return false
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer null.Close()
	_, err = os.StartProcess(program, []string{program, "daemon", command},
		&os.ProcAttr{Dir: d.dir, Env: slices.DeleteFunc(os.Environ(), localToGit),
			Files: []*os.File{null, null, null}, Sys: locate.Detached()})
	return err == nil
}

func (d daemon) startFile() string { return filepath.Join(d.Store, "hook-start") }

// aoa returns the name of this program, or of the aoa next to aoa-hook or on the PATH.
func aoa() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	name, hook := strings.CutPrefix(filepath.Base(self), "aoa-hook")
	if !hook {
		return self, nil
	}
	beside := filepath.Join(filepath.Dir(self), "aoa"+name) // name is ".exe" on Windows
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	return exec.LookPath("aoa")
}

// localToGit reports whether git sets a variable for its hooks (git rev-parse --local-env-vars). A
// process that outlives the hook must not keep using that repository and that index.
func localToGit(variable string) bool {
	switch name, _, _ := strings.Cut(variable, "="); name {
	case "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
		"GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
		"GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
		"GIT_COMMON_DIR":
		return true
	}
	return false
}
