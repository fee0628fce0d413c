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
		t.Error("a lock is not a move")
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
				t.Errorf("%q is not a clean path", s.path)
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

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ms(n int) time.Time { return noon.Add(time.Duration(n) * time.Millisecond) }

func taken(b *debouncer, at time.Time) string {
	got := b.take(at)
	slices.Sort(got)
	return fmt.Sprint(got)
}

func testBurst() debouncer { return newDebouncer(100*time.Millisecond, 2*time.Second) }

func TestBurstWaitsForQuiet(t *testing.T) {
	b := testBurst()
	if !b.touch("a", ms(0)) || b.touch("b", ms(40)) || b.touch("a", ms(90)) {
		t.Error("only the first touch begins a burst")
	}
	fault.Same(t, "taken", taken(&b, ms(189)), "[]")
	if at, ok := b.due(); !ok || !at.Equal(ms(190)) {
		t.Errorf("due %v, want 100 ms after the last touch", at)
	}
	fault.Same(t, "taken", taken(&b, ms(190)), "[a b]")
	if _, ok := b.due(); ok {
		t.Error("an empty burst is due")
	}
}

func TestBurstWaitsAtMost(t *testing.T) {
	b := testBurst()
	b.touch("resting", ms(0))
	for at := 0; at < 2000; at += 50 {
		b.touch("busy", ms(at))
	}
	b.touch("young", ms(1990))
	fault.Same(t, "taken", taken(&b, ms(1999)), "[]")
	fault.Same(t, "taken", taken(&b, ms(2000)), "[busy resting]")
	fault.Same(t, "taken", taken(&b, ms(2090)), "[young]")
}

func TestBurstLimitsBusyFiles(t *testing.T) {
	b := testBurst()
	var at []int
	for now := 0; now < 60_000; now += 50 {
		b.touch("log", ms(now))
		if len(b.take(ms(now))) > 0 {
			at = append(at, now)
		}
	}
	fault.Same(t, "taken at", at, []int{2000, 4000, 8000, 16000, 32000})
	b.touch("other", ms(60_000))
	b.touch("log", ms(60_050))
	fault.Same(t, "taken", taken(&b, ms(60_100)), "[other]")
	fault.Same(t, "taken", taken(&b, ms(64_000)), "[log]")
	fault.Same(t, "taken", taken(&b, ms(500_000)), "[]")
	b.touch("log", ms(600_000))
	fault.Same(t, "taken", taken(&b, ms(600_100)), "[log]")
}

func TestBurstKeepsManyFilesTogether(t *testing.T) {
	b := testBurst()
	took := 0
	for i := range 5000 {
		b.touch(event.Path(fmt.Sprintf("f%d", i)), ms(i*2))
		took += len(b.take(ms(i * 2)))
	}
	fault.Same(t, "a formatter's run of 10 s was cut", took, 0)
	fault.Same(t, "taken", len(b.take(ms(4999*2+499))), 0)
	fault.Same(t, "taken", len(b.take(ms(4999*2+500))), 5000)
}

// TestGitWork: what changes while git is at work waits, and who may have written it depends on when.
func TestGitWork(t *testing.T) {
	var g gitWork
	if g.look(false, ms(0), ms(0)) || g.writer(ms(0)) != people {
		t.Error("git is at work without a sign")
	}
	g.at = ms(100) // the lock was reported
	if !g.look(true, ms(90), ms(150)) || !g.until.Equal(ms(250)) {
		t.Errorf("nothing waits for the lock, or until %v", g.until)
	}
	if !g.look(false, ms(90), ms(249)) || g.look(false, ms(90), ms(250)) {
		t.Error("what changed must wait until 100 ms after the lock, and no longer") // a rebase takes it again
	}
	for at, want := range map[int]writer{90: maybeGit, 250: maybeGit, 251: either, 2150: either, 2151: people} {
		if got := g.writer(ms(at)); got != want {
			t.Errorf("what changed after %d ms: %d, want %d", at, got, want)
		}
	}
	for _, c := range []struct {
		last, at int
		wait     bool
	}{{39_000, 10_000, true}, {39_000, 39_999, true}, {39_000, 40_000, true}, {39_000, 41_000, false},
		{69_999, 69_999, true}, {70_000, 70_000, false}} { // a lock that was left behind, and a log that goes on
		g := gitWork{locked: ms(10_000)}
		if got := g.look(true, ms(c.last), ms(c.at)); got != c.wait {
			t.Errorf("after %d ms in a lock that does not end: waits %v", c.at, got)
		}
	}
}

func TestTemporary(t *testing.T) {
	for _, name := range []string{".main.go.swp", ".main.go.swx", "4913", "main.go~", "a___jb_tmp___", "a___jb_old___",
		".#main.go", "#main.go#", "x.tmp", "sedAb12Zz", ".goutputstream-X1", "a.go.tmp.1234.1700000000"} {
		if !temporary.MatchString(name) {
			t.Errorf("%s is not a temporary name", name)
		}
	}
	for _, name := range []string{"main.go", "sedan.txt", "sed", "#", "tmp", "tmp.go", "template.tmpl", "a.tmp.go",
		"49130"} {
		if temporary.MatchString(name) {
			t.Errorf("%s is a temporary name", name)
		}
	}
}
