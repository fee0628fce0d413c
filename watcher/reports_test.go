package watcher

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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

// TestReports plays the stories of testdata/reports.txt, with times in milliseconds. The line with a
// tab below another is the answer (-update writes it).
//
//	in ROOT GITDIR COMMONDIR    a story begins
//	saw OP NAME AT              what the system reports
//	limit N                     at most so many files wait
//	state                       when HEAD moved, git was at work, and reports were lost; how many files wait
//	take AT                     the files that are saved now, and who may have written them
//	touch NAME AT, due
//	busy NAME FROM TO           it is touched every 50 ms; when it was taken
//	many N                      as many files, one every 2 ms; how many were taken meanwhile, and at the end
func TestReports(t *testing.T) {
	var in *reports
	fault.Replies(t, "testdata/reports.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		words := strings.Fields(line)
		number := func(i int) int { return fault.Must(strconv.Atoi(words[i])) }
		ago := func(at time.Time) any {
			if at.IsZero() {
				return "never"
			}
			return at.Sub(noon).Milliseconds()
		}
		switch words[0] {
		case "in":
			in = newReports(&Repo{Root: event.Root(words[1]), GitDir: words[2], CommonDir: words[3]}, 100*time.Millisecond, 2*time.Second)
		case "saw":
			op := map[string]fsnotify.Op{"write": fsnotify.Write, "create": fsnotify.Create, "chmod": fsnotify.Chmod}[words[1]]
			in.add(fsnotify.Event{Name: words[2], Op: op}, ms(number(3)))
		case "limit":
			in.limit = number(1)
		case "state":
			return []string{fmt.Sprint("HEAD moved: ", ago(in.headAt), ", git at work: ", ago(in.git.at), ", lost: ", ago(in.lostAt),
				", waiting: ", len(in.saves.pending))}
		case "take":
			by := map[writer]string{maybeGit: "maybe git", either: "either", people: "people"}[in.git.writer(in.saves.oldest(ms(number(1))))]
			files := in.saves.take(ms(number(1)))
			slices.Sort(files)
			return []string{fmt.Sprint(files, " by ", by)}
		case "touch":
			return []string{fmt.Sprint("begins a burst: ", in.saves.touch(event.Path(words[1]), ms(number(2))))}
		case "due":
			at, ok := in.saves.due()
			return []string{fmt.Sprint(ago(at), " ", ok)}
		case "busy":
			var taken []int
			for at := number(2); at < number(3); at += 50 {
				in.saves.touch(event.Path(words[1]), ms(at))
				if len(in.saves.take(ms(at))) > 0 {
					taken = append(taken, at)
				}
			}
			return []string{fmt.Sprint("taken at ", taken)}
		case "many":
			took, n := 0, number(1)
			for i := range n {
				in.saves.touch(event.Path(fmt.Sprint("f", i)), ms(2*i))
				took += len(in.saves.take(ms(2 * i)))
			}
			last := 2 * (n - 1)
			return []string{fmt.Sprint(took, " meanwhile, ", len(in.saves.take(ms(last+499))), " after 499 ms, ",
				len(in.saves.take(ms(last+500))), " after 500 ms")}
		}
		return nil
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

// TestWords says of names in testdata/words.txt what they are (-update writes it).
//
//	url NAME            the name of a repository by the address of its origin
//	temporary NAME…     those of files that editors and other programs write beside a file
//	status TEXT         the files in what git status prints, and whether they differ from the index
func TestWords(t *testing.T) {
	fault.Replies(t, "testdata/words.txt", func(line string) []string {
		words := fault.Words(line)
		text := strings.Join(words[1:], " ")
		switch words[0] {
		case "url":
			return []string{fmt.Sprintf("%q", normalizeURL(text))}
		case "temporary":
			return []string{fmt.Sprintf("%q", slices.DeleteFunc(words[1:], func(name string) bool { return !temporary.MatchString(name) }))}
		case "status":
			files, err := parseStatus([]byte(text))
			if err != nil {
				return []string{err.Error()}
			}
			var said []string
			for _, f := range files {
				said = append(said, fmt.Sprintf("%q %v", f.path, f.disk))
			}
			return said
		}
		return nil
	})
}
