package watcher

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func testReports(r *Repo) *reports { return newReports(r, 100*time.Millisecond, 2*time.Second) }

// TestInboxSeesGit: the lock of the index and the index say that git is at work. kqueue may miss the lock.
func TestInboxSeesGit(t *testing.T) {
	for _, name := range []string{"index.lock", "index"} {
		in := testReports(&Repo{Root: "/r", GitDir: "/r/.git", CommonDir: "/r/.git"})
		in.add(fsnotify.Event{Name: "/r/before.go", Op: fsnotify.Write}, ms(0))
		in.add(fsnotify.Event{Name: "/r/.git/" + name, Op: fsnotify.Create}, ms(1))
		in.add(fsnotify.Event{Name: "/r/chmod.go", Op: fsnotify.Chmod}, ms(104))
		if by := in.git.writer(in.saves.oldest(ms(104))); by != maybeGit || !in.headAt.Equal(ms(1)) {
			t.Errorf("%s: written by %d, HEAD moved at %v", name, by, in.headAt)
		}
		fault.Same(t, "saves", taken(&in.saves, ms(300)), "[before.go]")
	}
}

func TestInboxRoots(t *testing.T) {
	// A linked worktree that lies inside the bare repository it belongs to.
	in := testReports(&Repo{Root: "/b.git/wt", GitDir: "/b.git/worktrees/wt", CommonDir: "/b.git"})
	in.add(fsnotify.Event{Name: "/b.git/wt/a.go", Op: fsnotify.Write}, ms(0))
	in.add(fsnotify.Event{Name: "/b.git/aoa/aoa.db", Op: fsnotify.Write}, ms(0))
	in.add(fsnotify.Event{Name: "/b.git/index.lock", Op: fsnotify.Create}, ms(0))
	fault.Same(t, "saves", taken(&in.saves, ms(300)), "[a.go]")
	if !in.git.at.IsZero() || !in.headAt.IsZero() {
		t.Error("another index says that git is at work, or the store moved HEAD")
	}
	in.add(fsnotify.Event{Name: "/b.git/refs/heads/main.lock", Op: fsnotify.Create}, ms(1))
	if !in.headAt.IsZero() {
		t.Error("a lock is no move")
	}
	for _, name := range []string{"/b.git/refs/heads/x/y", "/b.git/packed-refs", "/b.git/worktrees/wt/HEAD",
		"/b.git/worktrees/other/HEAD"} {
		in.headAt = time.Time{}
		in.add(fsnotify.Event{Name: name, Op: fsnotify.Create}, ms(2))
		if in.headAt.IsZero() {
			t.Errorf("%s moved without a sign", name)
		}
	}
	in.add(fsnotify.Event{Name: "/b.git/worktrees/wt/index.lock", Op: fsnotify.Create}, ms(3))
	if !in.git.at.Equal(ms(3)) {
		t.Error("the worktree's lock says nothing")
	}
}

func TestInboxIsBounded(t *testing.T) {
	in := testReports(&Repo{Root: "/r", GitDir: "/r/.git", CommonDir: "/r/.git"})
	in.limit = 3
	for i := range 5 {
		in.add(fsnotify.Event{Name: fmt.Sprintf("/r/%d", i), Op: fsnotify.Write}, ms(i))
	}
	if len(in.saves.pending) != 3 || !in.lostAt.Equal(ms(3)) {
		t.Errorf("%d pending, lost at %v", len(in.saves.pending), in.lostAt)
	}
}

func TestPairMoves(t *testing.T) {
	s := func(size, mtime int64, inode uint64) stamp { return stamp{size, mtime, inode} }
	gone := []fileChange{{path: "a/x.go", old: s(1, 10, 7)}, {path: "a/y.go", old: s(2, 10, 8)},
		{path: "a/z.go", old: stamp{size: unknownSize}}}
	saved := []fileChange{{path: "b/x.go", now: s(1, 10, 7)}, {path: "b/y.go", now: s(2, 11, 8)},
		{path: "old.go", had: true, now: s(1, 10, 7)}}
	moved, restSaved, restGone := pairRenames(saved, gone)
	if len(moved) != 1 || moved[0][0].path != "a/x.go" || moved[0][1].path != "b/x.go" {
		t.Errorf("moved %v", moved)
	}
	if len(restSaved) != 2 || len(restGone) != 2 {
		t.Errorf("saved %v, gone %v", restSaved, restGone)
	}
	// Without inodes the name must stay.
	moved, _, _ = pairRenames([]fileChange{{path: "b/q.go", now: s(1, 10, 0)}, {path: "b/x.go", now: s(1, 10, 0)}},
		[]fileChange{{path: "a/x.go", old: s(1, 10, 0)}})
	if len(moved) != 1 || moved[0][1].path != "b/x.go" {
		t.Errorf("moved %v without inodes", moved)
	}
}

func TestParseStatus(t *testing.T) {
	got, err := parseStatus([]byte(" M a b.go\x00M  staged.go\x00 D gone.go\x00UU conflict.go\x00AA both.go\x00" +
		"?? \xff\n.go\x00?? nested/\x00")) // nested is another repository
	want := []fileStatus{{"a b.go", true}, {"staged.go", false}, {"gone.go", true}, {"conflict.go", false},
		{"both.go", false}, {"\xff\n.go", true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{" M\x00", "M a.go\x00", "?? a.go"} {
		if _, err := parseStatus([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte(" M a b.go\x00?? x\x00"))
	f.Add([]byte("UU conflict.go\x00"))
	f.Add([]byte("RM N... 1"))
	f.Fuzz(func(t *testing.T, out []byte) {
		got, err := parseStatus(out)
		if err != nil && got != nil {
			t.Error("an error and an answer")
		}
		for _, s := range got {
			if q, err := event.NewPath(string(s.path)); err != nil || q != s.path {
				t.Errorf("%q is no clean path", s.path)
			}
		}
	})
}

// TestHeadIsReadWithGitsFiles: the report of HEAD may come before those of the files that git wrote,
// or after them.
func TestHeadIsReadWithGitsFiles(t *testing.T) {
	quiet := 100 * time.Millisecond
	for _, c := range []struct {
		name         string
		saved, moved int // when, in ms; -1: never
		at           int
		saves, head  bool
	}{{"after the files", 0, 50, 120, true, true}, {"before the files", 50, 0, 120, false, false},
		{"before the files, which are due", 50, 0, 150, true, true}, {"without files", -1, 0, 100, false, true},
		{"without files, too early", -1, 50, 120, false, false}} {
		w := &Watcher{in: newReports(&Repo{Root: "/a", GitDir: "/a/.git", CommonDir: "/a/.git"}, quiet, time.Second)}
		w.o.Quiet, w.in.git.at, w.in.headAt = quiet, ms(0), ms(c.moved)
		if c.saved >= 0 {
			w.in.touch("a.go", false, ms(c.saved))
		}
		saves, head, _ := w.take(ms(c.at))
		if len(saves) > 0 != c.saves || head != c.head {
			t.Errorf("%s: took %v, read HEAD: %v", c.name, saves, head)
		}
	}
}
