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
	if len(moved) != 1 || moved[0].from != "a/x.go" || moved[0].to != "b/x.go" {
		t.Errorf("moved %v", moved)
	}
	if len(restSaved) != 2 || len(restGone) != 2 {
		t.Errorf("saved %v, gone %v", restSaved, restGone)
	}
	// Without inodes the name must stay.
	moved, _, _ = pairRenames([]fileChange{{path: "b/q.go", now: s(1, 10, 0)}, {path: "b/x.go", now: s(1, 10, 0)}},
		[]fileChange{{path: "a/x.go", old: s(1, 10, 0)}})
	if len(moved) != 1 || moved[0].to != "b/x.go" {
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
//	git AT, moved AT, locked AT  git is seen at work, HEAD moves, a lock is taken
//	look LOCK LAST AT           whether what changes waits, with a lock or without; git's last sign; how long it waits
//	writer AT                   who may have written what changes then
//	round AT                    what is taken, with 100 ms of quiet: the files, and HEAD
//	busy NAME FROM TO           it is touched every 50 ms; when it was taken
//	many N                      as many files, one every 2 ms; how many were taken meanwhile, and at the end
func TestReports(t *testing.T) {
	var in *reports
	by := map[writer]string{maybeGit: "maybe git", either: "either", people: "people"}
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
			in = newReports(&Repo{Root: event.Root(words[1]), GitDir: words[2], CommonDir: words[3]}, 100*time.Millisecond)
		case "saw":
			op := map[string]fsnotify.Op{"write": fsnotify.Write, "create": fsnotify.Create, "chmod": fsnotify.Chmod}[words[1]]
			in.add(fsnotify.Event{Name: words[2], Op: op}, ms(number(3)))
		case "limit":
			in.limit = number(1)
		case "state":
			return []string{fmt.Sprint("HEAD moved: ", ago(in.headAt), ", git at work: ", ago(in.git.at), ", lost: ", ago(in.lostAt),
				", waiting: ", len(in.saves.pending))}
		case "take":
			who := by[in.git.writer(in.saves.oldest(ms(number(1))))]
			files := in.saves.take(ms(number(1)))
			slices.Sort(files)
			return []string{fmt.Sprint(files, " by ", who)}
		case "git":
			in.git.at = ms(number(1))
		case "moved":
			in.headAt = ms(number(1))
		case "locked":
			in.git.locked = ms(number(1))
		case "look":
			waits := in.git.look(words[1] == "lock", ms(number(2)), ms(number(3)))
			return []string{fmt.Sprint("waits: ", waits, ", until ", ago(in.git.until))}
		case "writer":
			return []string{by[in.git.writer(ms(number(1)))]}
		case "round":
			w := &Watcher{in: in}
			w.o.Quiet = 100 * time.Millisecond
			due := w.take(ms(number(1)), false)
			return []string{fmt.Sprint(due.saves, ", reads HEAD: ", due.head)}
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

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ms(n int) time.Time { return noon.Add(time.Duration(n) * time.Millisecond) }

// TestWords says of names in testdata/words.txt what they are (-update writes it).
//
//	files TEXT          those in what git ls-files prints
//	url NAME            the name of a repository by the address of its origin
//	temporary NAME…     those of files that editors and other programs write beside a file
//	status TEXT         the files in what git status prints, and whether they differ from the index
func TestWords(t *testing.T) {
	fault.Replies(t, "testdata/words.txt", func(line string) []string {
		words := fault.Words(line)
		text := strings.Join(words[1:], " ")
		switch words[0] {
		case "files":
			return []string{fmt.Sprintf("%q", parseLsFiles([]byte(text), false))}
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
