package watcher

import (
	"strings"
	"testing"
)

// TestWatchLimit: beyond the limit the worktree is polled, and status says so.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	out := &logBuffer{}
	s := watch(twentyFolders(t), WatchOptions{Log: out.log()}, func(w *Watcher) {
		w.watchLimit = func() int { return 8 }
	})
	if st := s.w.Status(); !st.Polling || st.Watched != 0 || !strings.Contains(st.Why, "half of the file watches") ||
		!strings.Contains(st.Hint, "fs.inotify.max_user_watches=") || out.warnings() != 1 {
		t.Errorf("status %+v, %d warnings:\n%s", st, out.warnings(), out.b.String())
	}
	s.savesAll("mine, although polled")
}
