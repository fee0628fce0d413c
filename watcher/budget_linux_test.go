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
)

// inLimited runs a test again in a user namespace of its own, where a user has that many watches, and reports whether this is
// the run in there.
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for i := range folders {
		if _, err := unix.InotifyAddWatch(fd, t.TempDir(), unix.IN_CREATE); err != nil {
			t.Logf("watch %d of another program: %v", i+1, err)
			return i
		}
	}
	return folders
}

// TestOthersCanWatch: in a repository of more folders than a user has watches, other programs of the user still get some,
// and saves are seen all the same.
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
func sixtyFolders(t *testing.T) (d *checkout, saves func(*watching)) {
	d = newCheckout(t)
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
		if got := slices.Compact(s.summary()); !slices.Equal(got, want) {
			t.Errorf("saw  %q\nwant %q", got, want)
		}
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

// TestHalfOfTheFreeWatches: of a limit as small as 10 at most half of what others have left is taken; status says so; when the
// limit is raised, the rest is watched.
func TestHalfOfTheFreeWatches(t *testing.T) {
	for _, c := range []struct {
		name                    string
		most, held, least, half int
	}{
		{"nobody has any", 10, 0, 5, 5},
		{"others have some", 80, 60, 10, 10},
		{"others have all", 10, 10, 0, 0},
		{"others have more than is allowed now", 10, 50, 0, 0},
		{"the system has no limit", 0, 0, 61, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, saves := sixtyFolders(t)
			before := watchesOf("/proc/self")
			var most atomic.Int64
			most.Store(int64(c.most))
			out := &logBuffer{}
			s := d.watch(WatchOptions{Log: out.log()}, func(w *Watcher) {
				w.maxUserWatches = func() int { return int(most.Load()) }
				w.usedWatches = func() int { return c.held + watchesOf("/proc/self") - before }
			})
			if got := watchesOf("/proc/self") - before; got < c.least || got > c.half {
				t.Errorf("%d watches taken, want %d to %d", got, c.least, c.half)
			}
			st := s.w.Status()
			if few := c.half < 61; st.Partial != few || (st.Polled > 0) != few || st.Watched+st.Polled != 61 && few ||
				strings.Contains(st.Why, "half of the file watches") != few ||
				strings.Contains(st.Hint, "fs.inotify.max_user_watches=") != few {
				t.Errorf("status %+v", st)
			}
			if c.half < 61 && out.warnings() != 1 {
				t.Errorf("%d warnings:\n%s", out.warnings(), out.b.String())
			}
			saves(s)
			if c.half >= 61 {
				return
			}
			most.Store(10_000) // what the hint says was done
			s.awaitWatched(61)
			saves(s)
			if st := s.w.Status(); st.Partial || st.Polled != 0 || st.Why != "" || st.Hint != "" {
				t.Errorf("status after the limit was raised: %+v", st)
			}
		})
	}
}

// TestHeldWatches: the watches of this process are counted among those of the user, and their number falls with them.
func TestHeldWatches(t *testing.T) {
	if maxUserWatches() <= 0 {
		t.Fatalf("the system allows %d watches", maxUserWatches())
	}
	own := watchesOf("/proc/self")
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		if _, err := unix.InotifyAddWatch(fd, t.TempDir(), unix.IN_CREATE); err != nil {
			t.Fatalf("watch %d: %v", i, err)
		}
	}
	if got := watchesOf("/proc/self"); got != own+7 || usedWatches() < got {
		t.Errorf("%d watches in this process, want %d; %d of the user", got, own+7, usedWatches())
	}
	if err := unix.Close(fd); err != nil {
		t.Fatal(err)
	}
	if got := watchesOf("/proc/self"); got != own {
		t.Errorf("%d watches after the end, want %d", got, own)
	}
}
