package watcher

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// TestScript runs testdata/script: what git and people do in a repository, and what is seen and
// read of it. Beside the commands of package repotest there are these:
//
//	watch              make all files old and watch the folder
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
	"watch": func(_ *testscript.TestScript, s *scene, d *repotest.Repo, _ bool, _ []string) {
		d.Age()
		s.watching = watch(d, WatchOptions{})
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
			if err := r.repo.History(d.Context(), HistoryOptions{Since: r.cursor}, r.take); err == nil {
				ts.Fatalf("read, with %d commits and the cursor %v", len(r.counted), r.cursor)
			} else {
				fmt.Fprintln(ts.Stdout(), err)
			}
			return
		}
		r.again(d)
		told := r.events
		if len(args) > 0 {
			want := strings.Fields(d.Git(append([]string{"rev-list", "--no-merges"}, args...)...))
			slices.Sort(want)
			fault.Same(d, "counted", slices.Sorted(maps.Keys(r.counted)), want)
		}
		r.again(d)
		fault.Same(d, "found by a second run", len(r.events), 0)
		r.events = told
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
