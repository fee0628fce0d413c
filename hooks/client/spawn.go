package client

import (
	"os"
	"syscall"
)

// start runs `aoa daemon` in a session of its own and does not wait for it. Of several, one gets the store's
// lock and the others leave. A stamp file keeps hooks from starting one more often than every `again`
// milliseconds.
func (p place) start(again int64) {
	stamp := p.startFile()
	if at, ok := modified(stamp); ok && now()-at < again*1000 && at <= now() {
		return
	}
	self, err := os.Executable()
	if err != nil || !put(stamp, "") {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	// syscall.StartProcess: os.StartProcess would first probe the kernel with a process of its own.
	_, _, _ = syscall.StartProcess(self, []string{self, "daemon"}, &syscall.ProcAttr{
		Dir: p.dir, Env: withoutGit(os.Environ()), Files: files(null), Sys: detached(),
	})
}

func (p place) startFile() string { return join(p.store, "hook-start") }

// withoutGit drops what git tells its hooks (git rev-parse --local-env-vars): a process that outlives the hook
// must not believe that it stands in that repository with that index.
func withoutGit(env []string) []string {
	kept := env[:0:0]
	for _, v := range env {
		if !localToGit(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func localToGit(v string) bool {
	for i := 0; i < len(v); i++ {
		if v[i] == '=' {
			v = v[:i]
			break
		}
	}
	switch v {
	case "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
		"GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
		"GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
		"GIT_COMMON_DIR":
		return true
	}
	return false
}
