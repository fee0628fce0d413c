package watcher

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// sixty is a repository of 60 folders beside the root.
func sixtyFolders(t *testing.T) (d *repotest.Repo, saves func(*watching)) {
	d = repotest.New(t)
	for i := range 60 {
		d.Write(fmt.Sprintf("d%02d/a.go", i), "one")
	}
	d.Commit("first")
	round := 0
	return d, func(s *watching) {
		t.Helper()
		round++
		var want []string
		for i := range 60 {
			d.Write(fmt.Sprintf("d%02d/a.go", i), fmt.Sprint("mine, whether watched or polled, ", round))
			want = append(want, fmt.Sprintf("save d%02d/a.go", i))
		}
		// A file may be seen between its two writes, empty, and so be saved twice.
		s.until("60 saves", func() bool { return len(slices.Compact(s.summary())) >= 60 })
		s.mark()
		fault.Same(t, "saw", slices.Compact(s.summary()), want)
		s.seen = nil
	}
}

// awaitWatched saves files until so many folders are watched.
func (s *watching) awaitWatched(folders int) {
	s.t.Helper()
	for range 1000 {
		if s.w.Status().Watched >= folders {
			return
		}
		s.w.Nudge()
		s.mark()
	}
	s.t.Fatalf("status %+v, want %d folders watched", s.w.Status(), folders)
}

// TestWatchLimit: beyond the limit folders are polled; status says so; when the limit is raised,
// the rest is watched.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ limit, least, most int }{{20, 5, 20}, {1, 0, 0}, {0, 61, 61}} {
		t.Run(fmt.Sprint(c.limit), func(t *testing.T) {
			d, saves := sixtyFolders(t)
			var limit atomic.Int64
			limit.Store(int64(c.limit))
			out := &logBuffer{}
			s := watch(d, WatchOptions{Log: out.log()}, func(w *Watcher) {
				w.watchLimit = func() int { return int(limit.Load()) }
			})
			st, few := s.w.Status(), c.limit > 0
			if st.Watched < c.least || st.Watched > c.most || st.Partial != few || few && st.Watched+st.Polled != 61 ||
				strings.Contains(st.Why, "half of the file watches") != few ||
				strings.Contains(st.Hint, "fs.inotify.max_user_watches=") != few {
				t.Errorf("status %+v", st)
			}
			if few && out.warnings() != 1 {
				t.Errorf("%d warnings:\n%s", out.warnings(), out.b.String())
			}
			saves(s)
			if !few {
				return
			}
			limit.Store(10_000) // what the hint says was done
			s.awaitWatched(61)
			saves(s)
			if st := s.w.Status(); st.Partial || st.Polled != 0 || st.Why != "" || st.Hint != "" {
				t.Errorf("status after the limit was raised: %+v", st)
			}
		})
	}
}
