package watcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// reading is a repository whose history is read again and again, and what a store would hold of it:
// commits that are added once and taken away once, by the ids of the events.
type reading struct {
	repo    *Repo
	cursor  map[string]string
	counted map[string]bool
	events  []event.Event // that were read last
}

// scene is the state of a script.
type scene struct {
	*watching
	read map[string]*reading // by the folder
}

// unseen is progress that no one looks at.
func unseen(int, int) {}

// TestScript runs testdata/script: what git and people do in a repository, and what is seen and
// read of it. Beside the commands of package repotest there are these:
//
//	watch [poll] [LINE]  make all files old and watch the folder, or poll it: then only the tracked files are listed at first;
//	                   after each git status of the watcher a shell runs LINE; if LINE fails, so does git status
//	expect [LINE…]     exactly that was seen since the last time
//	saw [LINE…]        that was seen, among others; !LINE was not
//	quiet ARG…         run git, of which nothing may be seen
//	head               wait until the watcher says that HEAD has moved
//	read [REV…]        read what is new in the history: as counted as what git reaches from REV; a second run finds nothing
//	told [LINE…]       what the last read gave
//	credited SUBJECT [FILE…]  the files that a commit counts for in a first import; -FILE is gone
//	same [FOLDER]      root, common folder, HEAD, files and history are as git says in FOLDER
//	branch, changed    print them
func TestScript(t *testing.T) {
	cmds := repotest.Commands(t)
	for name, do := range commands {
		cmds[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			do(ts, ts.Value("scene").(*scene), repotest.In(t, ts), neg, args)
		}
	}
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true, Cmds: cmds,
		Setup: func(e *testscript.Env) error {
			e.Values["scene"] = &scene{read: map[string]*reading{}}
			return repotest.Setup(e)
		}})
}

var commands = map[string]func(ts *testscript.TestScript, s *scene, d *repotest.Repo, neg bool, args []string){
	"watch": func(_ *testscript.TestScript, s *scene, d *repotest.Repo, _ bool, args []string) {
		d.Age()
		s.watching = watch(d, WatchOptions{Poll: slices.Contains(args, "poll")}, func(w *Watcher) {
			all := w.o.Files
			if w.o.Poll {
				w.o.Files = func() []event.Path {
					w.o.Files = all
					return fault.Must(w.repo.Tracked(context.Background()))
				}
			}
			for _, line := range slices.DeleteFunc(args, func(s string) bool { return s == "poll" }) {
				w.differing = func(ctx context.Context) (map[event.Path]bool, error) {
					differ, err := w.repo.differing(ctx)
					return differ, errors.Join(err, d.Command("sh", "-ec", line).Run())
				}
			}
		})
	},
	"expect": func(_ *testscript.TestScript, s *scene, _ *repotest.Repo, _ bool, args []string) {
		s.expect(args...)
	},
	"saw": func(ts *testscript.TestScript, s *scene, _ *repotest.Repo, _ bool, args []string) {
		s.mark()
		for _, want := range args {
			want, not := strings.CutPrefix(want, "!")
			if slices.Contains(s.summary(), want) == not {
				ts.Fatalf("saw %q", s.summary())
			}
		}
		s.seen = nil
	},
	"quiet": func(_ *testscript.TestScript, s *scene, d *repotest.Repo, _ bool, args []string) {
		d.Git(args...)
		s.expect()
	},
	"head": func(_ *testscript.TestScript, s *scene, _ *repotest.Repo, _ bool, _ []string) {
		s.awaitHead()
		for len(s.heads) > 0 {
			<-s.heads
		}
	},
	"read": func(ts *testscript.TestScript, s *scene, d *repotest.Repo, neg bool, args []string) {
		r := s.reading(d)
		if neg {
			if err := r.repo.History(d.Context(), r.cursor, unseen, r.take); err == nil {
				ts.Fatalf("read, with %d commits and the cursor %v", len(r.counted), r.cursor)
			} else {
				fmt.Fprintln(ts.Stdout(), err)
			}
			return
		}
		r.again(d)
		before := r.events
		if len(args) > 0 {
			want := strings.Fields(d.Git(append([]string{"rev-list", "--no-merges"}, args...)...))
			slices.Sort(want)
			fault.Same(d, "counted", slices.Sorted(maps.Keys(r.counted)), want)
		}
		r.again(d)
		fault.Same(d, "found by a second run", len(r.events), 0)
		r.events = before
	},
	"told": func(_ *testscript.TestScript, s *scene, d *repotest.Repo, _ bool, args []string) {
		var got []string
		for _, e := range s.reading(d).events {
			got = append(got, strings.Join(append([]string{string(e.Kind())}, event.Strings(slices.Concat(e.From(), e.Paths()))...), " "))
		}
		fault.Same(d, "read", strings.Join(got, "\n"), strings.Join(args, "\n"))
	},
	"credited": func(_ *testscript.TestScript, _ *scene, d *repotest.Repo, _ bool, args []string) {
		var got []string
		for _, e := range readAgain(d, open(d), map[string]string{}) {
			switch {
			case e.Kind() == event.KindCommit && e.Text() == args[0]:
				got = event.Strings(e.Paths())
				for _, gone := range event.Strings(e.Gone()) {
					got = append(got, "-"+gone)
				}
			case e.Kind() == event.KindRename && !e.Body.(event.Rename).Past:
				d.Errorf("an import moves what was learned: %v", e)
			case e.Kind() == event.KindRename && args[0] == "rename":
				got = append(got, fmt.Sprintf("%s>%s", e.From()[0], e.Paths()[0]))
			}
		}
		fault.Same(d, args[0], strings.Join(got, " "), strings.Join(args[1:], " "))
	},
	"same": func(ts *testscript.TestScript, _ *scene, d *repotest.Repo, _ bool, args []string) {
		r := open(d)
		if len(args) > 0 {
			d = d.At(ts.MkAbs(args[0]))
		}
		fault.Same(d, "root", string(r.Root), real(d, d.Git("rev-parse", "--show-toplevel")))
		fault.Same(d, "common folder", r.CommonDir, real(d, d.Git("rev-parse", "--path-format=absolute", "--git-common-dir")))
		ref, oid, err := r.Head(d.Context())
		fault.Check(d, err)
		want, _ := d.Try("symbolic-ref", "-q", "HEAD")
		fault.Same(d, "HEAD", ref+" "+oid, want+" "+d.Git("rev-parse", "HEAD"))
		got, err := r.Files(d.Context())
		fault.Check(d, err)
		files := slices.DeleteFunc(strings.Split(d.At(string(r.Root)).Git("ls-files", "-z"), "\x00"), func(f string) bool {
			st, err := os.Lstat(r.Root.Abs(event.Path(f)))
			return err != nil || st.IsDir()
		})
		fault.Same(d, "files", event.Strings(got), files)
		if n := len(historyOf(d, r)); n < 2 || len(files) == 0 {
			d.Errorf("%d files, %d commits", len(files), n)
		}
	},
	"branch": func(ts *testscript.TestScript, _ *scene, d *repotest.Repo, _ bool, _ []string) {
		b, err := open(d).Branch(d.Context())
		fault.Check(d, err)
		fmt.Fprintln(ts.Stdout(), b.Name, b.Base, b.Commits, strings.Join(event.Strings(b.Files), " "))
	},
	"changed": func(ts *testscript.TestScript, _ *scene, d *repotest.Repo, _ bool, _ []string) {
		files, err := open(d).Changed(d.Context())
		fault.Check(d, err)
		fmt.Fprintln(ts.Stdout(), strings.Join(event.Strings(files), "|"))
	},
}

// reading is the state of reading the history of a repository.
func (s *scene) reading(d *repotest.Repo) *reading {
	if s.read[d.Dir] == nil {
		s.read[d.Dir] = &reading{repo: open(d), cursor: map[string]string{}, counted: map[string]bool{}}
	}
	return s.read[d.Dir]
}

// again reads what is new.
func (r *reading) again(d *repotest.Repo) {
	d.Helper()
	r.events = readAgain(d, r.repo, r.cursor)
	fault.Check(d, r.take(r.events, r.cursor))
}

// take counts what was read.
func (r *reading) take(events []event.Event, cursor map[string]string) error {
	r.cursor = cursor
	for _, e := range events {
		id := strings.Split(e.ID, ":")
		switch e.Kind() {
		case event.KindCommit:
			r.counted[id[1]] = true
		case event.KindUncommit:
			delete(r.counted, id[1])
		}
	}
	return nil
}

// real is a path without links.
func real(t testing.TB, p string) string {
	t.Helper()
	return fault.Must(filepath.EvalSymlinks(p))
}

// patience is how long a test waits for what must come; a loaded machine needs most of it.
const patience = time.Minute

// testOptions fills in what a test does not set.
func testOptions(r *Repo, o WatchOptions) WatchOptions {
	o.Quiet, o.Now = 100*time.Millisecond, time.Now
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Files == nil {
		o.Files = func() []event.Path {
			files, _ := r.Files(context.Background())
			return files
		}
	}
	return o
}

// watching is a running watcher and what it emitted so far.
type watching struct {
	t      testing.TB
	d      *repotest.Repo
	w      *Watcher
	events chan []event.Event
	heads  chan struct{}
	done   chan error
	cancel context.CancelFunc
	seen   []event.Event
	ids    map[string]bool
	marks  int
}

// open is the repository as the program has it.
func open(d *repotest.Repo) *Repo {
	d.Helper()
	return fault.Must(OpenRepo(context.Background(), d.Dir, d.Env))
}

// watch starts a watcher that ends with the test.
func watch(d *repotest.Repo, o WatchOptions, with ...func(*Watcher)) *watching {
	d.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := open(d)
	w := NewWatcher(r, testOptions(r, o))
	for _, set := range with {
		set(w)
	}
	s := &watching{t: d, d: d, w: w, cancel: cancel, ids: map[string]bool{}, events: make(chan []event.Event, 100_000),
		heads: make(chan struct{}, 100_000), done: make(chan error, 1)}
	go func() {
		s.done <- w.Run(ctx, func(b []event.Event) { s.events <- b }, func() { s.heads <- struct{}{} })
	}()
	d.Cleanup(func() {
		cancel()
		<-s.done
		close(s.done)
	})
	select {
	case <-w.ready:
	case err := <-s.done:
		d.Fatalf("Run ended at once: %v", err)
	case <-time.After(patience):
		d.Fatal("not ready in time")
	}
	return s
}

// until collects events until enough is true. It nudges the watcher, as hooks do.
func (s *watching) until(what string, enough func() bool) {
	s.t.Helper()
	nudge := time.NewTicker(100 * time.Millisecond) // load
	deadline := time.After(patience)
	defer nudge.Stop()
	for !enough() {
		select {
		case batch := <-s.events:
			s.seen = append(s.seen, batch...)
			for _, e := range batch {
				if s.ids[e.ID] || e.Time.Before(s.w.start) {
					s.t.Errorf("the log drops %+v or counts it as old", e)
				}
				s.ids[e.ID] = true
			}
		case <-nudge.C:
			s.w.Nudge()
		case <-deadline:
			s.t.Fatalf("no %s in time; seen: %s", what, strings.Join(s.summary(), ", "))
		}
	}
}

// mark saves one more file and waits until it is reported: what came before it has been reported as
// well.
func (s *watching) mark() {
	s.t.Helper()
	s.marks++
	name := fmt.Sprintf("mark%d.txt", s.marks)
	s.d.Write(name, name)
	s.until(name, func() bool { return slices.Contains(s.summary(), "save "+name) })
	// A busy machine reports a mark twice, when it was made and when it was written.
	s.seen = slices.DeleteFunc(s.seen, func(e event.Event) bool {
		return e.Kind() == event.KindSave && strings.HasPrefix(string(e.Paths()[0]), "mark")
	})
}

// summary lists what was seen as "kind path".
func (s *watching) summary() []string {
	var out []string
	for _, e := range s.seen {
		switch {
		case e.Kind() == event.KindCheckout:
			name := e.Body.(event.Checkout).Name
			if len(name) == 40 {
				name = "of a commit"
			}
			out = append(out, "checkout "+name)
		case many(e) > 0:
			out = append(out, fmt.Sprintf("bulk %s of %d", e.Kind(), len(e.Paths())))
		case e.Kind() == event.KindRename:
			for i := range e.Paths() {
				out = append(out, fmt.Sprintf("rename %s %s", e.From()[i], e.Paths()[i]))
			}
		default:
			out = append(out, string(e.Kind())+" "+string(e.Paths()[0]))
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
	fault.Same(s.t, "saw", strings.Join(s.summary(), "\n"), strings.Join(want, "\n"))
	s.seen = nil
}

func (s *watching) awaitHead() {
	s.t.Helper()
	select {
	case <-s.heads:
	case <-time.After(patience):
		s.t.Fatal("head was not called")
	}
}

// many is how many files an event about many is about.
func many(e event.Event) int {
	switch b := e.Body.(type) {
	case event.Save:
		return b.Files
	case event.Delete:
		return b.Files
	}
	return 0
}
