package watcher

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// TestWatchLimit: beyond the limit folders are polled; status says so; when the limit is raised, as
// the hint says, the rest is watched.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ limit, least int }{{8, 3}, {1, 0}} {
		t.Run(fmt.Sprint(c.limit), func(t *testing.T) {
			t.Parallel()
			d := twentyFolders(t)
			var limit atomic.Int64
			limit.Store(int64(c.limit))
			out := &logBuffer{}
			s := watch(d, WatchOptions{Log: out.log()}, func(w *Watcher) {
				w.watchLimit = func() int { return int(limit.Load()) }
			})
			st := s.w.Status()
			if st.Watched < c.least || st.Watched > c.limit || !st.Partial || st.Watched+st.Polled != 21 ||
				!strings.Contains(st.Why, "half of the file watches") ||
				!strings.Contains(st.Hint, "fs.inotify.max_user_watches=") || out.warnings() != 1 {
				t.Errorf("status %+v, %d warnings:\n%s", st, out.warnings(), out.b.String())
			}
			s.savesAll("mine, whether watched or polled")
			limit.Store(10_000)
			s.until("the rest is watched", func() bool { return s.w.Status().Watched == 21 })
			s.savesAll("mine, and watched")
			if st := s.w.Status(); st.Partial || st.Polled != 0 || st.Why != "" || st.Hint != "" {
				t.Errorf("status after the limit was raised: %+v", st)
			}
		})
	}
}
