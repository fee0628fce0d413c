package watcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// desk is a repository that somebody works in.
type desk struct {
	t    testing.TB
	root string
	env  []string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	home := t.TempDir()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, root: root, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_EDITOR=true", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}}
	d.git("init", "-q", "-b", "main")
	return d
}

func (d *desk) git(args ...string) {
	d.t.Helper()
	if out, err := d.tryGit(args...); err != nil {
		d.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (d *desk) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = d.root, d.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (d *desk) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

func (d *desk) write(name, content string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) rename(from, to string) {
	d.t.Helper()
	if err := os.Rename(d.path(from), d.path(to)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) remove(name string) {
	d.t.Helper()
	if err := os.RemoveAll(d.path(name)); err != nil {
		d.t.Fatal(err)
	}
}

// commit commits everything, dated back so that nothing looks like work of this second.
func (d *desk) commit(subject string) {
	d.t.Helper()
	d.git("add", "-A")
	d.git("commit", "-q", "--allow-empty", "-m", subject)
}

// age makes all files old, as in a clone of last week.
func (d *desk) age() {
	old := time.Now().Add(-7 * 24 * time.Hour)
	_ = filepath.WalkDir(d.root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && e.Type().IsRegular() {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	d.git("update-index", "-q", "--refresh")
}

// watching is a running watcher and what it said so far.
type watching struct {
	t      testing.TB
	d      *desk
	w      *Watcher
	events chan []aoa.Event
	heads  chan struct{}
	done   chan error
	cancel context.CancelFunc
	seen   []aoa.Event
	marks  int
}

func (d *desk) watch(o WatchOptions, with ...func(*Watcher)) *watching {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := OpenRepo(ctx, d.root, d.env)
	if err != nil {
		d.t.Fatal(err)
	}
	o.Now = time.Now
	w := NewWatcher(r, o)
	for _, set := range with {
		set(w)
	}
	s := &watching{t: d.t, d: d, w: w, cancel: cancel, events: make(chan []aoa.Event, 100_000),
		heads: make(chan struct{}, 100_000), done: make(chan error, 1)}
	go func() {
		s.done <- w.Run(ctx, func(b []aoa.Event) { s.events <- b }, func() { s.heads <- struct{}{} })
	}()
	d.t.Cleanup(func() {
		cancel()
		<-s.done
		close(s.done)
	})
	select {
	case <-w.Ready():
	case err := <-s.done:
		d.t.Fatalf("Run ended at once: %v", err)
	case <-time.After(20 * time.Second):
		d.t.Fatal("not ready in 20 s")
	}
	return s
}

// until collects events until enough says so.
func (s *watching) until(what string, enough func() bool) {
	s.t.Helper()
	deadline := time.After(20 * time.Second)
	for !enough() {
		select {
		case batch := <-s.events:
			s.seen = append(s.seen, batch...)
		case <-deadline:
			s.t.Fatalf("no %s in 20 s; seen: %s", what, strings.Join(s.told(), ", "))
		}
	}
}

// mark saves one more file and waits until it is reported: what came before it has been reported as well.
func (s *watching) mark() {
	s.t.Helper()
	s.marks++
	name := fmt.Sprintf("mark%d.txt", s.marks)
	s.d.write(name, name)
	s.until(name, func() bool { return slices.Contains(s.told(), "save "+name) })
	s.seen = slices.DeleteFunc(s.seen, func(e aoa.Event) bool { return e.Kind == aoa.KindSave && string(e.Paths[0]) == name })
}

// told lists what was seen as "kind path".
func (s *watching) told() []string {
	var out []string
	for _, e := range s.seen {
		switch {
		case e.Kind == aoa.KindBranch:
			out = append(out, "branch "+e.Text)
		case e.Tool == "bulk":
			out = append(out, fmt.Sprintf("bulk %s of %d", e.Kind, len(e.Paths)))
		case e.Kind == aoa.KindRename:
			for i := range e.Paths {
				out = append(out, fmt.Sprintf("rename %s %s", e.From[i], e.Paths[i]))
			}
		default:
			out = append(out, string(e.Kind)+" "+string(e.Paths[0]))
		}
	}
	slices.Sort(out)
	return out
}

// expect compares all that was seen since the last time, after a mark.
func (s *watching) expect(want ...string) {
	s.t.Helper()
	s.mark()
	slices.Sort(want)
	if got := s.told(); !slices.Equal(got, want) {
		s.t.Errorf("saw  %q\nwant %q", got, want)
	}
	s.seen = nil
}

func (s *watching) awaitHead() {
	s.t.Helper()
	select {
	case <-s.heads:
	case <-time.After(20 * time.Second):
		s.t.Fatal("nobody was told to look at HEAD")
	}
}

func TestSaveIsOneEvent(t *testing.T) {
	d := newDesk(t)
	d.write("a.go", "one")
	d.write("sub/b.go", "one")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	d.write("a.go", "two!")
	s.until("save", func() bool { return len(s.seen) > 0 })
	e := s.seen[0]
	fi, err := os.Stat(d.path("a.go"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("save:a.go:%d:4", fi.ModTime().UnixNano()); e.ID != want {
		t.Errorf("ID %s, want %s", e.ID, want)
	}
	if e.Agent != "watch" || !e.Time.Equal(fi.ModTime()) || e.Kind != aoa.KindSave || e.Tool != "" {
		t.Errorf("event %+v", e)
	}
	s.seen = nil
	for i := range 30 { // one file, many writes
		d.write("sub/b.go", strings.Repeat("x", i))
	}
	if err := os.Chmod(d.path("a.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.expect("save sub/b.go")
	d.remove("a.go")
	d.write("sub/new.go", "")
	s.expect("delete a.go", "save sub/new.go")
	if err := os.Symlink("nowhere", d.path("link.go")); err != nil {
		t.Skip("no symlinks here")
	}
	if err := os.Symlink("..", d.path("sub/loop")); err != nil {
		t.Fatal(err)
	}
	d.write("sub/loop/through.go", "x") // is through.go
	s.expect("save through.go")
}

func TestIgnoredIsNeverReported(t *testing.T) {
	d := newDesk(t)
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
	d.write("gen2/x.go", "x")
	s.expect("save gen2/x.go")
	d.write(".gitignore", "gen2/\n")
	s.expect("save .gitignore")
	d.write("gen2/x.go", "xx")
	d.write("gen2/y.go", "xx")
	d.write("x.log", "not ignored now")
	d.write("build/late.go", "x")
	s.mark()
	got := s.told()
	if !slices.Contains(got, "save x.log") || !slices.Contains(got, "save build/late.go") || slices.Contains(got, "save gen2/y.go") {
		t.Errorf("after a change of rules: %q", got)
	}
}

func TestGlobalExcludesAreHonoured(t *testing.T) {
	d := newDesk(t)
	global := filepath.Join(t.TempDir(), "excludes")
	if err := os.WriteFile(global, []byte("*.mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.git("config", "core.excludesFile", global)
	d.write("a.go", "x")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	d.write("b.mine", "x")
	d.write("b.yours", "x")
	s.expect("save b.yours")
}

func TestEditors(t *testing.T) {
	sed, _ := exec.LookPath("sed")
	for name, save := range map[string]func(d *desk){
		"in place": func(d *desk) { d.write("main.go", "changed") },
		"vim": func(d *desk) {
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
		"vim keeps swap and backup": func(d *desk) {
			d.write(".main.go.swp", "b0VIM")
			d.rename("main.go", "main.go~")
			d.write("main.go", "changed")
		},
		"JetBrains": func(d *desk) {
			d.write("main.go___jb_tmp___", "changed")
			d.rename("main.go", "main.go___jb_old___")
			d.rename("main.go___jb_tmp___", "main.go")
			d.remove("main.go___jb_old___")
		},
		"write beside and rename": func(d *desk) {
			d.write("main.go.tmp.4711.1700000000000", "changed")
			d.rename("main.go.tmp.4711.1700000000000", "main.go")
		},
		"sed -i": func(d *desk) {
			if sed == "" {
				d.write("sedXy12Zq", "changed")
				d.rename("sedXy12Zq", "main.go")
				return
			}
			if out, err := exec.Command(sed, "-i", "-e", "s/package/PACKAGE/", d.path("main.go")).CombinedOutput(); err != nil {
				d.t.Skipf("this sed has another -i: %s", out)
			}
		},
		"Emacs": func(d *desk) {
			_ = os.Symlink("user@host.1:2", d.path(".#main.go"))
			d.write("#main.go#", "autosave")
			d.write("main.go", "changed")
			d.remove("#main.go#")
			_ = os.Remove(d.path(".#main.go"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
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
	d := newDesk(t)
	d.write("a.go", "x")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{Bulk: 100_000})
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
	d := newDesk(t)
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
	d := newDesk(t)
	const n = 10_000
	for i := range n {
		d.write(fmt.Sprintf("d%d/f%d.go", i%100, i), "x")
	}
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	for i := range n {
		d.write(fmt.Sprintf("d%d/f%d.go", i%100, i), "formatted")
	}
	s.until("bulk", func() bool { return len(s.seen) > 0 })
	if e := s.seen[0]; e.Tool != "bulk" || e.Text != "10000 files" || len(e.Paths) != aoa.MaxPaths {
		t.Errorf("tool %q, text %q, %d paths", e.Tool, e.Text, len(e.Paths))
	}
	s.seen = nil
	d.write("d1/f1.go", "by hand")
	s.expect("save d1/f1.go")
}

func TestNestedRepositoryIsOpaque(t *testing.T) {
	d := newDesk(t)
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
	d := newDesk(t)
	d.write("a.go", "x")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	name := "caf\xe9 \n.go"
	if err := os.WriteFile(d.path(name), []byte("x"), 0o644); err != nil {
		t.Skip("this file system wants UTF-8")
	}
	s.expect("save " + name)
}

func TestRepositoryGone(t *testing.T) {
	d := newDesk(t)
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
	case <-time.After(20 * time.Second):
		t.Fatal("Run goes on without a repository")
	}
	s.done <- nil
}

func TestRunNeedsAClock(t *testing.T) {
	if err := NewWatcher(&Repo{Root: "/r"}, WatchOptions{}).Run(context.Background(), nil, nil); err == nil {
		t.Error("ran without Now")
	}
}
