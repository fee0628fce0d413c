package watcher

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestSaveIsOneEvent(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "one")
	d.write("sub/b.go", "one")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	d.write("a.go", "two!")
	s.until("save", func() bool { return len(s.seen) > 0 })
	e := s.seen[0]
	fi, err := os.Stat(d.abs("a.go"))
	fault.Check(t, err)
	if want := fmt.Sprintf("save:a.go:%d:4", fi.ModTime().UnixNano()); e.ID != want {
		t.Errorf("ID %s, want %s", e.ID, want)
	}
	if e.Agent != "watch" || !e.Time.Equal(fi.ModTime()) || e.Kind() != event.KindSave || many(e) != 0 {
		t.Errorf("event %+v", e)
	}
	s.seen = nil
	d.write("sub/b.go", "two!")
	fault.Check(t, os.Chmod(d.abs("a.go"), 0o755))
	s.expect("save sub/b.go")
	d.remove("a.go")
	d.write("sub/new.go", "")
	s.expect("delete a.go", "save sub/new.go")
	if err := os.Symlink("nowhere", d.abs("link.go")); err != nil {
		t.Skip("no symlinks here")
	}
	fault.Check(t, os.Symlink("..", d.abs("sub/loop")))
	d.write("sub/loop/through.go", "x") // is through.go
	s.expect("save through.go")
}

func TestUnbornBranch(t *testing.T) {
	d := newRepository(t)
	s := d.watch(WatchOptions{})
	d.write("a/b/c.go", "first file ever")
	s.expect("save a/b/c.go")
	d.commit("first")
	s.awaitHead()
	s.expect()
}

func TestIgnoredIsNeverReported(t *testing.T) {
	d := newRepository(t)
	d.write(".gitignore", "build/\n*.log\n")
	d.write("pkg/.gitignore", "gen\n!keep.log\n")
	d.write("pkg/a.go", "x")
	d.write("build/forced.go", "x")
	d.commit("first")
	d.git("add", "-f", "build/forced.go")
	d.commit("forced")
	d.write("build/out/o.go", "x")
	d.age()
	s := d.watch(WatchOptions{})
	d.write("build/out/o.go", "xx")
	d.write("build/new/p.go", "xx")
	d.write("pkg/gen/q.go", "xx")
	d.write("pkg/gen/deep/er/q.go", "xx")
	d.write("x.log", "xx")
	d.write("new/x.log", "xx")
	d.write("pkg/keep.log", "xx")
	d.write("pkg/sibling.go", "xx")
	s.expect("save pkg/keep.log", "save pkg/sibling.go")
	d.write("build/forced.go", "tracked all the same")
	s.expect("save build/forced.go")
	d.write("gen2/x.go", "generated")
	s.expect("save gen2/x.go")
	d.write(".gitignore", "gen2/\n")
	s.expect("save .gitignore")
	d.write("gen2/x.go", "xx")
	d.write("gen2/y.go", "xx")
	d.write("x.log", "not ignored now")
	d.write("build/late.go", "late") // what git has, git may have written
	s.mark()
	got := s.summary()
	if !slices.Contains(got, "save x.log") || !slices.Contains(got, "save build/late.go") ||
		slices.Contains(got, "save gen2/y.go") {
		t.Errorf("after a change of rules: %q", got)
	}
}

func TestEditors(t *testing.T) {
	sed, _ := exec.LookPath("sed")
	for name, save := range map[string]func(d *repository){
		"in place": func(d *repository) { d.write("main.go", "changed") },
		"vim": func(d *repository) {
			d.write(".main.go.swp", "b0VIM")
			d.write(".main.go.swx", "")
			d.remove(".main.go.swx")
			d.write("4913", "")
			d.remove("4913")
			d.rename("main.go", "main.go~")
			d.write("main.go", strings.Repeat("changed", 30_000))
			d.remove("main.go~")
			d.remove(".main.go.swp")
		},
		"vim keeps swap and backup": func(d *repository) {
			d.write(".main.go.swp", "b0VIM")
			d.rename("main.go", "main.go~")
			d.write("main.go", "changed")
		},
		"JetBrains": func(d *repository) {
			d.write("main.go___jb_tmp___", "changed")
			d.rename("main.go", "main.go___jb_old___")
			d.rename("main.go___jb_tmp___", "main.go")
			d.remove("main.go___jb_old___")
		},
		"write beside and rename": func(d *repository) {
			d.write("main.go.tmp.4711.1700000000000", "changed")
			d.rename("main.go.tmp.4711.1700000000000", "main.go")
		},
		"sed -i": func(d *repository) {
			if sed == "" {
				d.write("sedXy12Zq", "changed")
				d.rename("sedXy12Zq", "main.go")
				return
			}
			if out, err := exec.Command(sed, "-i", "-e", "s/package/PACKAGE/", d.abs("main.go")).CombinedOutput(); err != nil {
				d.tb.Skipf("this sed has another -i: %s", out)
			}
		},
		"Emacs": func(d *repository) {
			_ = os.Symlink("user@host.1:2", d.abs(".#main.go"))
			d.write("#main.go#", "autosave")
			d.write("main.go", "changed")
			d.remove("#main.go#")
			_ = os.Remove(d.abs(".#main.go"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newRepository(t)
			d.write("main.go", "package main")
			d.commit("first")
			d.age()
			s := d.watch(WatchOptions{})
			save(d)
			s.expect("save main.go")
		})
	}
}

func TestNewFoldersLoseNothing(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "x")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{}, func(w *Watcher) { w.bulk = 100_000 })
	var want []string
	for i := range 500 {
		name := fmt.Sprintf("new%d/b/c/f.go", i)
		d.write(name, "x")
		want = append(want, "save "+name)
	}
	s.until("500 saves", func() bool { return len(s.seen) >= 500 })
	s.expect(want...)
}

func TestFolderRename(t *testing.T) {
	d := newRepository(t)
	d.write("x/a.go", "a")
	d.write("x/y/b.go", "bb")
	d.write("x/y/c.go", "ccc")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	d.rename("x", "x2")
	d.write("x2/y/b.go", "changed")
	s.expect("rename x/a.go x2/a.go", "rename x/y/c.go x2/y/c.go", "delete x/y/b.go", "save x2/y/b.go")
	d.write("x2/y/c.go", "later")
	s.expect("save x2/y/c.go")
	d.write("x/y/d.go", "the old name again")
	s.expect("save x/y/d.go")
	d.rename("x2", "../"+filepath.Base(t.TempDir())+"-away")
	s.expect("delete x2/a.go", "delete x2/y/b.go", "delete x2/y/c.go")
}

func TestFormatterIsOneEvent(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("kqueue would open 10,000 files")
	}
	d := newRepository(t)
	n := fault.Size(2_000, 10_000)
	for i := range n {
		d.write(fmt.Sprintf("d%d/f%d.go", i%100, i), "x")
	}
	d.age()
	s := d.watch(WatchOptions{})
	begin := time.Now()
	for i := range n {
		d.write(fmt.Sprintf("d%d/f%d.go", i%100, i), "formatted")
	}
	took := time.Since(begin)
	sum := func() (files int) {
		for _, e := range s.seen {
			if many(e) == 0 {
				t.Fatalf("a formatter's run emitted as %+v", e)
			}
			files += many(e)
		}
		return files
	}
	s.until("all files", func() bool { return sum() >= n })
	// A machine that needs longer than manyAtMost may cut the run.
	if len(s.seen) != 1 && took < manyAtMost/2 {
		t.Errorf("%d events of a run of %v, want one", len(s.seen), took)
	}
	if e := s.seen[0]; len(s.seen) == 1 && len(e.Paths()) != min(n, event.MaxPaths) {
		t.Errorf("%d paths", len(e.Paths()))
	}
	s.seen = nil
	d.write("d1/f1.go", "by hand")
	s.expect("save d1/f1.go")
}

func TestNestedRepositoryIsOpaque(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "x")
	d.commit("first")
	d.git("init", "-q", "old")
	d.write("old/b.go", "x")
	d.age()
	s := d.watch(WatchOptions{})
	d.write("old/b.go", "xx")
	d.git("init", "-q", "new")
	d.write("new/b.go", "xx")
	d.git("worktree", "add", "-q", "tree", "-b", "other")
	d.write("tree/a.go", "xx")
	s.expect()
}

func TestNamesByteByByte(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "x")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	name := "caf\xe9 \n.go"
	if err := os.WriteFile(d.abs(name), []byte("x"), 0o644); err != nil {
		t.Skip("this file system wants UTF-8")
	}
	s.expect("save " + name)
}

func TestRepositoryGone(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "x")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	d.write("a.go", "xx")
	s.expect("save a.go")
	d.remove(".")
	select {
	case err := <-s.done:
		if !errors.Is(err, ErrRepoGone) {
			t.Errorf("Run: %v, want ErrRepoGone", err)
		}
	case <-time.After(patience):
		t.Fatal("Run goes on without a repository")
	}
	s.done <- nil
}

// TestImpossibleTimes: a save is as old as its file, unless the file's time is before 1970 or after now.
func TestImpossibleTimes(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	for mtime, want := range map[int64]time.Time{-1: at, 0: at, math.MinInt64: at, math.MaxInt64: at,
		int64(time.Hour): time.Unix(3600, 0)} {
		got := (&Watcher{bulk: 9}).events(event.KindSave, []fileChange{{path: "a.go", now: stamp{mtime: mtime}}}, at)
		if len(got) != 1 || !got[0].Time.Equal(want) {
			t.Errorf("modified at %d: %v", mtime, got)
		}
	}
}
