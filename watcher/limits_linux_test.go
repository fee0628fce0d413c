package watcher

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// inLimited runs a test again in a user namespace of its own, where a user has that many watches, and reports whether
// this is the run in there.
func inLimited(t *testing.T, watches int) bool {
	t.Helper()
	const limit, inside = "/proc/sys/user/max_inotify_watches", "AOA_TEST_NAMESPACE"
	if os.Getenv(inside) != "" {
		if err := os.WriteFile(limit, fmt.Append(nil, watches), 0); err != nil {
			t.Skipf("the number of watches cannot be limited: %v", err)
		}
		return true
	}
	run := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	run.Env = append(os.Environ(), inside+"=1")
	run.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	out, err := run.CombinedOutput()
	switch {
	case len(out) == 0 && err != nil:
		t.Skipf("no user namespace here: %v", err)
	case err != nil:
		t.Errorf("with %d watches: %v\n%s", watches, err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	}
	return false
}

// otherProgram tries to watch so many folders, and returns how many it can.
func otherProgram(t *testing.T, folders int) int {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	fault.Check(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	for i := range folders {
		if _, err := unix.InotifyAddWatch(fd, t.TempDir(), unix.IN_CREATE); err != nil {
			t.Logf("watch %d of another program: %v", i+1, err)
			return i
		}
	}
	return folders
}

// TestOthersCanWatch: in a repository of more folders than a user has watches, other programs of the user still get
// some, and saves are seen all the same.
func TestOthersCanWatch(t *testing.T) {
	const limit = 30
	if !inLimited(t, limit) {
		return
	}
	d, saves := sixtyFolders(t)
	s := d.watch(WatchOptions{})
	if got := otherProgram(t, limit/2); got < limit/2 {
		t.Errorf("another program got %d watches of %d", got, limit)
	}
	saves(s)
}

// sixty is a repository of 60 folders beside the root.
func sixtyFolders(t *testing.T) (d *repository, saves func(*watching)) {
	d = newRepository(t)
	for i := range 60 {
		d.write(fmt.Sprintf("d%02d/a.go", i), "one")
	}
	d.commit("first")
	round := 0
	return d, func(s *watching) {
		t.Helper()
		round++
		var want []string
		for i := range 60 {
			d.write(fmt.Sprintf("d%02d/a.go", i), fmt.Sprint("mine, whether watched or polled, ", round))
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

// TestWatchLimit: beyond the limit folders are polled; status says so; when the limit is raised, the rest is watched.
func TestWatchLimit(t *testing.T) {
	for _, c := range []struct{ limit, least, most int }{{20, 5, 20}, {1, 0, 0}, {0, 61, 61}} {
		t.Run(fmt.Sprint(c.limit), func(t *testing.T) {
			d, saves := sixtyFolders(t)
			var limit atomic.Int64
			limit.Store(int64(c.limit))
			out := &logBuffer{}
			s := d.watch(WatchOptions{Log: out.log()}, func(w *Watcher) {
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
