package watcher

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// kqueue: here a watched folder costs one watch, whatever is in it.
const kqueue = false

func cost(*dir) int { return 1 }

var errMaxWatches = errors.New("aOa takes at most half of the file watches that the system allows a user")

// watchLimit is half of the watches that a user may have, 0 if that is unknown: the others are for other programs and
// repositories. In a container the limit of its user namespace counts, too.
func watchLimit() int { return maxUserWatches() / 2 }

func maxUserWatches() int {
	most := 0
	for _, name := range []string{"/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches"} {
		raw, _ := regularfile.Read(name, regularfile.NoLinks, 64)
		if n, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && n > 0 && (most == 0 || n < most) {
			most = n
		}
	}
	return most
}

// watchHint is the command that gives more watches, "" where none is known.
func watchHint(err error) string {
	switch {
	case errors.Is(err, errMaxWatches) || errors.Is(err, syscall.ENOSPC):
		return fmt.Sprintf("sudo sysctl fs.inotify.max_user_watches=%d", max(524288, 2*maxUserWatches()))
	case errors.Is(err, syscall.EMFILE):
		return "sudo sysctl fs.inotify.max_user_instances=1024, then aoa daemon stop and aoa daemon start"
	}
	return ""
}
