package watcher

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWatchLimit: beyond the limit the worktree is polled, and status says so.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	out := &fault.Log{}
	s := watch(twentyFolders(t), WatchOptions{Log: out.Logger()}, func(w *Watcher) {
		w.watchLimit = func() int { return 8 }
	})
	if st := s.w.Status(); !st.Polling || st.Watched != 0 || !strings.Contains(st.Why, "half of the file watches") ||
		!strings.Contains(st.Hint, "fs.inotify.max_user_watches=") || out.Warnings() != 1 {
		t.Errorf("status %+v, %d warnings:\n%s", st, out.Warnings(), out)
	}
	s.savesAll("mine, although polled")
}
