package watcher

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// readAgain runs History from the cursor, moves the cursor on and returns all events.
func readAgain(t *testing.T, r *Repo, cursor map[string]string) []event.Event {
	t.Helper()
	var out []event.Event
	var last map[string]string
	err := r.History(context.Background(), HistoryOptions{Since: maps.Clone(cursor)},
		func(batch []event.Event, c map[string]string) error {
			out, last = append(out, batch...), c
			return nil
		})
	fault.Check(t, err)
	if last != nil {
		clear(cursor)
		maps.Copy(cursor, last)
	}
	return out
}

// counted is what a store would hold: commits added once and taken away once, by the events' IDs.
type counted map[string][]event.Path

func (c counted) apply(events []event.Event) {
	for _, e := range events {
		id := strings.Split(e.ID, ":")
		switch e.Kind() {
		case event.KindCommit:
			c[id[1]] = e.Paths()
		case event.KindUncommit:
			delete(c, id[1])
		}
	}
}

func (c counted) ids() []string { return slices.Sorted(maps.Keys(c)) }

// wantCounted compares with the non-merge commits that git reaches from the given revisions.
func wantCounted(t *testing.T, what string, c counted, g *repository, revs ...string) {
	t.Helper()
	want := strings.Fields(g.git(append([]string{"rev-list", "--no-merges"}, revs...)...))
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(c.ids(), want) {
		t.Errorf("%s: counted %d %q, git reaches %d %q", what, len(c), c.ids(), len(want), want)
	}
}

func TestRewrittenHistory(t *testing.T) {
	g := newRepository(t)
	plain(g)
	r, cursor, c := g.open(), map[string]string{}, counted{}
	step := func(what string, revs ...string) []event.Event {
		t.Helper()
		events := readAgain(t, r, cursor)
		c.apply(events)
		wantCounted(t, what, c, g, revs...)
		if again := readAgain(t, r, cursor); len(again) != 0 {
			t.Errorf("%s: a second run found %d events", what, len(again))
		}
		return events
	}
	step("import", "main")

	old := g.commit("to be amended", "x.go")
	step("commit", "main")
	g.write("y.go", "y")
	g.git("add", "-A")
	g.git("commit", "-q", "--amend", "-m", "amended")
	events := step("amend", "main")
	tip := g.git("rev-parse", "HEAD")
	if events[0].ID != "uncommit:"+old+":"+tip || !slices.Equal(events[0].Paths(), []event.Path{"x.go"}) {
		t.Errorf("amend began with %v", events[0])
	}

	g.commit("one more", "z.go")
	step("commit", "main")
	g.git("reset", "-q", "--hard", "HEAD~2")
	step("reset", "main")
	g.git("reset", "-q", "--hard", tip)
	step("reset forward again", "main")

	g.git("checkout", "-q", "-b", "side", "HEAD~1")
	g.commit("side 1", "s1.go")
	g.commit("side 2", "s2.go")
	step("a branch switch takes nothing back", "main", "side")
	g.git("rebase", "-q", "main")
	step("rebase", "main", "side")
	g.git("checkout", "-q", "main")
	step("back", "main", "side")
	g.commit("other", "o.go")
	g.git("cherry-pick", "side~1")
	step("cherry-pick", "main", "side")
	g.git("merge", "-q", "--no-edit", "side")
	step("merge", "main")
}

func TestOctopusAndWorktrees(t *testing.T) {
	g := newRepository(t)
	plain(g)
	for _, b := range []string{"b1", "b2", "b3"} {
		g.git("checkout", "-q", "-b", b, "main")
		g.commit(b, b+".go")
	}
	g.git("checkout", "-q", "main")
	g.git("merge", "-q", "--no-edit", "b1", "b2", "b3")
	linked := filepath.Join(t.TempDir(), "linked")
	g.git("worktree", "add", "-q", "-b", "far", linked, "HEAD~1")
	g.at(linked).commit("in the other worktree", "far.go")
	r, cursor, c := g.open(), map[string]string{}, counted{}
	c.apply(readAgain(t, r, cursor))
	wantCounted(t, "import", c, g, "main", "far")
	fault.Same(t, "the other worktree's commit", c[g.git("rev-parse", "far")], []event.Path{"far.go"})
	g.at(linked).git("commit", "-q", "--amend", "-m", "again")
	c.apply(readAgain(t, r, cursor))
	wantCounted(t, "amended elsewhere", c, g, "main", "far")
}

func TestOriginHead(t *testing.T) {
	up := newRepository(t)
	plain(up)
	up.commit("published", "p.go")
	dir := filepath.Join(t.TempDir(), "clone")
	up.git("clone", "-q", "file://"+up.dir, dir)
	g := up.at(dir)
	r, cursor, c := g.open(), map[string]string{}, counted{}
	c.apply(readAgain(t, r, cursor))
	wantCounted(t, "import", c, g, "main")
	g.git("reset", "-q", "--hard", "HEAD~1")
	c.apply(readAgain(t, r, cursor))
	wantCounted(t, "what was published stays", c, g, "origin/main")
	up.git("commit", "-q", "--amend", "-m", "force-pushed")
	g.git("fetch", "-q")
	c.apply(readAgain(t, r, cursor))
	wantCounted(t, "force-pushed", c, g, "origin/main", "main")
}

func TestRebaseInProgress(t *testing.T) {
	g := newRepository(t)
	plain(g)
	g.git("checkout", "-q", "-b", "side", "HEAD~1")
	g.commit("side 1", "s.go")
	g.commit("conflict", "a.go", "dir/c.go")
	r, cursor, c := g.open(), map[string]string{}, counted{}
	c.apply(readAgain(t, r, cursor))
	before := c.ids()
	if _, err := g.try("rebase", "main"); err == nil {
		t.Fatal("the rebase should have stopped at a conflict")
	}
	if got := readAgain(t, r, cursor); len(got) != 0 {
		t.Errorf("during the rebase: %v", got)
	}
	g.git("rebase", "--abort")
	c.apply(readAgain(t, r, cursor))
	fault.Same(t, "an aborted rebase changed what is counted", before, c.ids())
}

func TestForgottenCommits(t *testing.T) {
	g := newRepository(t)
	plain(g)
	g.git("mv", "a.go", "moved.go")
	g.commit("lost", "l.go")
	r, cursor, c := g.open(), map[string]string{}, counted{}
	c.apply(readAgain(t, r, cursor))
	lost := g.git("rev-parse", "HEAD")
	g.git("reset", "-q", "--hard", "HEAD~1")
	g.commit("kept", "k.go")
	g.git("reflog", "expire", "--expire=now", "--all")
	g.git("gc", "-q", "--prune=now")
	if _, err := g.try("cat-file", "-e", lost); err == nil {
		t.Fatal("gc kept the commit")
	}
	events := readAgain(t, r, cursor)
	if len(events) == 0 || events[0].Text() != "kept" {
		t.Errorf("after gc: %v", events)
	}
	for _, e := range events {
		if e.Kind() != event.KindCommit {
			t.Errorf("after gc nothing is known about what was lost, yet: %v", e)
		}
	}
	if again := readAgain(t, r, cursor); len(again) != 0 {
		t.Errorf("a second run found %d events", len(again))
	}
}

func TestShallow(t *testing.T) {
	up := newRepository(t)
	plain(up)
	up.commit("fourth", "a.go")
	dir := filepath.Join(t.TempDir(), "shallow")
	up.git("clone", "-q", "--depth", "2", "file://"+up.dir, dir)
	g := up.at(dir)
	r, cursor, c := g.open(), map[string]string{}, counted{}
	c.apply(readAgain(t, r, cursor))
	fault.Same(t, "a clone of depth 2 counts", c.ids(), []string{g.git("rev-parse", "HEAD")})
	g.git("fetch", "-q", "--unshallow")
	c.apply(readAgain(t, r, cursor))
	wantCounted(t, "deepened", c, g, "main")
}

func TestTreelessClone(t *testing.T) {
	up := newRepository(t)
	plain(up)
	up.git("config", "uploadpack.allowFilter", "true")
	dir := filepath.Join(t.TempDir(), "treeless")
	up.git("clone", "-q", "--no-checkout", "--filter=tree:0", "file://"+up.dir, dir)
	g := up.at(dir)
	err := g.open().History(context.Background(), HistoryOptions{},
		func([]event.Event, map[string]string) error { return nil })
	if !errors.Is(err, ErrNoTrees) {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "git config remote.origin.partialclonefilter blob:none && git fetch --refetch") {
		t.Fatalf("no way out in %q", err)
	}
	g.git("config", "remote.origin.partialclonefilter", "blob:none")
	if out, err := g.try("fetch", "-q", "--refetch"); err != nil {
		fault.Lacking(t, "git", "this git cannot refetch: %s", out)
	}
	c := counted{}
	c.apply(readAgain(t, g.open(), map[string]string{}))
	wantCounted(t, "after the advice was followed", c, g, "main")
}

// TestPartialCloneFetchesNothing: the remote is gone, and it is not missed.
func TestPartialCloneFetchesNothing(t *testing.T) {
	up := newRepository(t)
	plain(up)
	up.git("config", "uploadpack.allowFilter", "true")
	dir := filepath.Join(t.TempDir(), "partial")
	up.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+up.dir, dir)
	g := up.at(dir)
	if missing := g.git("rev-list", "--objects", "--missing=print", "main"); !strings.Contains(missing, "?") {
		t.Fatal("this git made a whole clone")
	}
	fault.Check(t, os.RemoveAll(up.dir))
	c := counted{}
	c.apply(readAgain(t, g.open(), map[string]string{}))
	wantCounted(t, "import", c, g, "main")
}

func TestBatches(t *testing.T) {
	g := newRepository(t)
	g.dir = generated(t, 2500)
	total := len(strings.Fields(g.git("rev-list", "--no-merges", "main")))
	r := g.open()
	var sizes []int
	commits := 0
	var cursors []map[string]string
	var progress []string
	var newest, oldest event.Event
	err := r.History(context.Background(), HistoryOptions{Progress: func(done, total int) {
		progress = append(progress, fmt.Sprint(done, "/", total))
	}}, func(batch []event.Event, c map[string]string) error {
		for _, e := range batch {
			if e.Kind() == event.KindCommit {
				commits++
			}
		}
		if len(sizes) == 0 {
			newest = batch[0]
		}
		oldest = batch[len(batch)-1]
		sizes, cursors = append(sizes, len(batch)), append(cursors, c)
		return nil
	})
	fault.Check(t, err)
	if len(sizes) != 2 || sizes[0] != 1000 || commits != total {
		t.Errorf("batches of %v with %d commits, %d in all", sizes, commits, total)
	}
	if len(cursors[0]) != 0 || cursors[1]["refs/heads/main"] != g.git("rev-parse", "main") {
		t.Errorf("cursors %v: only the last batch may move it", cursors)
	}
	if newest.Text() != "change 2499" && newest.Text() != "change 2498" || oldest.Text() != "change 0" ||
		!oldest.Time.Before(newest.Time) {
		t.Errorf("from %q to %q", newest.Text(), oldest.Text())
	}
	if want := fmt.Sprint(total, "/", total); len(progress) == 0 || progress[len(progress)-1] != want {
		t.Errorf("progress %q, want %s at the end", progress, want)
	}

	stop := errors.New("stop")
	if err := r.History(context.Background(), HistoryOptions{},
		func([]event.Event, map[string]string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("yield's error became %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = r.History(ctx, HistoryOptions{}, func([]event.Event, map[string]string) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOddNamesAndContents(t *testing.T) {
	g := newRepository(t)
	names := []string{"ünïcode/文件.go", "new\nline.go", "tab\t\"quote\".go", ":colon", " lead and trail ",
		"back\\slash",
		"not-utf8-\xff\xfe.go", "-dash", "\x01ctrl"}
	g.commit("odd\x01subject :100644 100644 "+strings.Repeat("long ", 20000), names...)
	g.git("update-index", "--chmod=+x", ":colon")
	g.git("commit", "-q", "-m", "mode")
	fault.Check(t, os.Remove(filepath.Join(g.dir, "-dash")))
	if err := os.Symlink("target", filepath.Join(g.dir, "-dash")); err != nil {
		t.Skip(err)
	}
	g.git("add", "-A")
	g.git("commit", "-q", "-m", "file becomes symlink")
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf("many/%d/f%d.go", i%40, i)
	}
	g.commit("five thousand", many...)
	r := g.open()
	files, err := r.Files(context.Background())
	fault.Check(t, err)
	for _, n := range names {
		if !slices.Contains(files, event.Path(n)) {
			t.Errorf("Files lacks %q", n)
		}
	}
	bySubject := map[string]event.Event{}
	for _, e := range historyOf(t, r) {
		bySubject[e.Text()[:min(4, len(e.Text()))]] = e
	}
	want := eventtest.Paths(slices.Sorted(slices.Values(names)))
	if got := bySubject["odd\x01"]; !slices.Equal(got.Paths(), want) || len(got.Text()) > maxSubject {
		t.Errorf("paths %q, want %q", got.Paths(), want)
	}
	if got := len(bySubject["five"].Paths()); got != 5000 {
		t.Errorf("%d paths of 5000", got)
	}
}

// TestMissingAlternates: commits that the clone borrows are not there, so its history is not read. What is there
// counts, nothing is noted as done, and all of it is read when they are back.
func TestMissingAlternates(t *testing.T) {
	source := newRepository(t)
	plain(source)
	dir := filepath.Join(t.TempDir(), "shared")
	source.git("clone", "-q", "--shared", source.dir, dir)
	for name, change := range map[string]func(g *repository){
		"nothing of its own": func(*repository) {},
		"an orphan branch": func(g *repository) {
			g.git("checkout", "-q", "--orphan", "own")
			g.git("commit", "-q", "-m", "own", "--allow-empty")
		},
		"a commit on top": func(g *repository) {
			g.git("checkout", "-q", "-f", "main")
			g.commit("on top", "top.go")
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := source.at(dir)
			change(g)
			r, cursor, c := g.open(), map[string]string{}, counted{}
			away := source.dir + ".away"
			fault.Check(t, os.Rename(source.dir, away))
			for range 2 {
				err := r.History(t.Context(), HistoryOptions{Since: cursor},
					func(batch []event.Event, next map[string]string) error {
						c.apply(batch)
						cursor = next
						return nil
					})
				if err == nil {
					t.Errorf("read, with %d commits and the cursor %v", len(c), cursor)
				}
			}
			fault.Check(t, os.Rename(away, source.dir))
			c.apply(readAgain(t, r, cursor))
			wantCounted(t, "when they are back", c, g, "HEAD", "origin/HEAD")
		})
	}
}
