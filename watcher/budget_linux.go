package watcher

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// maxUserWatches is how many watches a user may have, 0 if that is unknown. In a container the limit of its user namespace
// counts, too.
func maxUserWatches() int {
	most := 0
	for _, name := range []string{"/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches"} {
		raw, err := regularfile.Read(name, regularfile.NoLinks, 64)
		if err != nil {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && n > 0 && (most == 0 || n < most) {
			most = n
		}
	}
	return most
}

// firstNamespace is the user namespace of the machine itself.
const firstNamespace = "user:[4026531837]"

// usedWatches counts the watches of the user's processes. Processes that cannot be read are left out.
func usedWatches() int {
	own, _ := os.Readlink("/proc/self/ns/user")
	processes, _ := filepath.Glob("/proc/[0-9]*")
	held := 0
	for _, process := range processes {
		st, err := os.Stat(process)
		if err != nil {
			continue
		}
		if sys, ok := st.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Getuid() {
			continue
		}
		if own != firstNamespace { // a user of the same number outside of it is somebody else
			if ns, err := os.Readlink(process + "/ns/user"); err != nil || ns != own {
				continue
			}
		}
		held += watchesOf(process)
	}
	return held
}

// watchesOf counts the watches of one process, a folder of /proc.
func watchesOf(process string) int {
	open, err := os.ReadDir(process + "/fd")
	if err != nil {
		return 0
	}
	n := 0
	for _, fd := range open {
		if to, err := os.Readlink(process + "/fd/" + fd.Name()); err != nil || !strings.HasSuffix(to, "inotify") {
			continue
		}
		if info, err := regularfile.Read(process+"/fdinfo/"+fd.Name(), regularfile.NoLinks, 16<<20); err == nil {
			n += bytes.Count(info, []byte("inotify wd:"))
		}
	}
	return n
}
