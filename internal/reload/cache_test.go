package reload

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestRecordFindReplay(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "package a\nvar one = 1\n", "b.go": "package b\n"})
	search := Action{Tool: "Grep", Act: event.ActSearch, Pattern: "one", Mode: "content", Found: 1}
	list := Action{Tool: "Glob", Act: event.ActList, Glob: "*.go", Found: 2}
	d.turn("s1", "explain where the number one is defined", search, list, reads("a.go"))
	id := d.find("please explain where number one gets defined")
	if id == "" {
		t.Fatal("not found")
	}
	if d.find("explain where the number two is defined in the tests of the shell") != "" {
		t.Error("something else was found")
	}
	got := d.replay(Request{ID: id})
	d.states(got, Done, Done, Done)
	if got.Steps[0].Output != "a.go:2:var one = 1\n" || got.Steps[1].Output != "a.go\nb.go\n" ||
		!strings.Contains(got.Steps[2].Output, "     2\tvar one = 1\n") {
		t.Errorf("%+v", got.Steps)
	}
	d.write("a.go", "package a\n\nvar one = 11\n")
	d.states(d.replay(Request{ID: id, Skip: []int{1}}), Done, Skipped, Changed)
	d.write("a.go", "package a\n")
	d.states(d.replay(Request{ID: id}), Changed, Done, Changed)
	d.must(os.Remove(filepath.Join(d.root, "a.go")))
	d.states(d.replay(Request{ID: id, Skip: []int{0}}), Skipped, Done, Diverged)
	for _, none := range []int{3, -1} {
		if _, err := d.cache.Replay(t.Context(), d.w, Request{ID: id, Skip: []int{none}}); !errors.Is(err, ErrIndex) {
			t.Error(err)
		}
	}
	if e, err := d.cache.Get(t.Context(), id); err != nil || e.Uses != 4 || e.Successes != 3 || e.Failures != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestTurnGoesOn: a turn that is under way when the daemon stops is recorded when it ends, with its
// texts, and a turn that was recorded is not recorded again when the log is replayed.
func TestTurnGoesOn(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n"})
	d.begin("s", "make the first number a digit")
	d.did("s", edits("a.go", "one", "1"))
	d.close()
	d.open(Options{})
	d.end("s")
	id := d.find("make the first number a digit")
	d.states(d.replay(Request{ID: id, Edits: true}), Planned)
	prompt := event.Event{ID: "again", Time: d.at, Agent: "claude", Session: "s2",
		Body: event.Prompt{Text: "explain the zebra crossing in full"}}
	call := event.Event{ID: "t:post:", Time: d.at, Agent: "claude", Session: "s2",
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}}
	d.apply(prompt, call)
	d.end("s2")
	d.replayed()
	if all, err := d.cache.List(t.Context()); err != nil || len(all) != 2 || len(all[0].Actions)+len(all[1].Actions) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	d.must(d.cache.ForgetID(t.Context(), id))
	for range 2 {
		d.replayed()
		all := fault.Must(d.cache.List(t.Context()))
		fault.Same(t, "after a replay of the log, without what was forgotten", len(all), 1)
		d.close()
		d.open(Options{})
	}
	d.at = d.at.Add(time.Minute)
	d.turn("s3", "make the first number a digit", edits("a.go", "one", "1"))
	if d.find("make the first number a digit") == "" {
		t.Error("what is done again is not recorded")
	}
}

func TestWhatIsNotRecorded(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "package a\n"})
	d.turn("s1", "go on", reads("a.go"))
	d.turn("s1", "explain the zebra crossing")
	d.begin("s2", "explain the broken zebra crossing")
	d.did("s2", reads("a.go"))
	// without an end
	d.begin("s2", "something else that comes between")
	d.cfg.Off = true
	d.turn("s3", "explain the zebra of the other crossing", reads("a.go"))
	d.cfg.Off = false
	d.turn("s4", "explain the zebra of the third crossing")
	if all, err := d.cache.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	d.turn("s5", "explain the zebra crossing in full", looks("a.go")...)
	if d.find("explain the full zebra crossing") == "" {
		t.Fatal("nothing is recorded at all")
	}
	// Who fails a test does not want it again, until it passes.
	fails := commands("go test ./...")
	fails.Cut = true
	d.turn("s6", "repair the compass needle", reads("a.go"), reads("a.go"), fails)
	fault.Same(t, "a turn whose tests failed is offered", d.find("repair the compass needle"), "")
	d.turn("s6", "repair the compass needle", reads("a.go"), reads("a.go"), commands("go test ./..."))
	if d.find("repair the compass needle") == "" {
		t.Error("a turn whose tests passed is not offered")
	}
}

func TestEvict(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprint(i)
	}
	d := newFixture(t, files)
	word := []string{"apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel"}
	for i, w := range word {
		if i == 3 { // with the five that follow there is no room for the first three
			for n, count := 0, 0; count < maxEntries-2; n++ { // and one more
				count = len(fault.Must(d.cache.List(t.Context())))
				d.turn("s", fmt.Sprintf("describe number%d of the long%d list%d", n, n, n), reads("f7.go"))
			}
		}
		d.turn("s", "explain the "+w+" harvest of "+w, looks(fmt.Sprintf("f%d.go", i))...)
	}
	d.cache.Evict(t.Context(), d.w)
	for i, w := range word {
		fault.Same(t, w+" is there", d.find("explain the "+w+" harvest of "+w) != "", (i >= 3))
	}
	id := d.find("explain the damson harvest of damson")
	d.must(os.Remove(filepath.Join(d.root, "f3.go")))
	d.cache.Evict(t.Context(), d.w)
	if _, err := d.cache.Get(t.Context(), id); !errors.Is(err, ErrNone) {
		t.Errorf("an entry whose only file is gone: %v", err)
	}
	d.at = d.at.Add(25 * time.Hour)
	d.cache.Evict(t.Context(), d.w)
	if all, _ := d.cache.List(t.Context()); len(all) != 0 {
		t.Errorf("%d entries after a day", len(all))
	}
}

// TestOffered: a sequence is offered when it edits a file or has three calls, for a day after its
// last use, while all of its files are there. The others are kept, and may be offered again.
func TestOffered(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n", "b.go": "two\n", "c.go": "three\n"})
	failed := edits("a.go", "one", "1")
	failed.Cut = true
	for prompt, steps := range map[string][]Action{
		"explain the zebra crossing":  {reads("a.go")},
		"describe the compass needle": {reads("a.go"), reads("b.go")},
		"repair the garden fence":     {failed},
		"tune the grand piano":        {reads("a.go"), reads("b.go"), reads("c.go")},
		"paint the wooden ladder":     {edits("b.go", "two", "2")},
	} {
		d.turn("s", prompt, steps...)
		worth := len(steps) == 3 || steps[0].changes() && !steps[0].Cut
		fault.Same(t, prompt, d.find(prompt) != "", worth)
	}
	piano := func(want bool, when string) {
		t.Helper()
		fault.Same(t, "offered "+when, d.find("tune the grand piano") != "", want)
	}
	d.must(os.Remove(filepath.Join(d.root, "c.go")))
	piano(false, "without one of three files")
	d.write("c.go", "four\n")
	piano(true, "with that file again, changed")
	used := d.at
	d.at = used.Add(maxIdle - time.Minute)
	piano(true, "within a day")
	d.at = used.Add(maxIdle + time.Minute)
	piano(false, "after a day, before the sweep")
	if all, err := d.cache.List(t.Context()); err != nil || len(all) != 4 { // a turn that only failed is not recorded
		t.Errorf("%d entries are kept, %v", len(all), err)
	}
}

// TestNothingLeavesTheWorktree: names and links that lead out are neither read nor written, nor is
// what is ignored.
func TestNothingLeavesTheWorktree(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "package a\n", "k.secret": "one"})
	outside := filepath.Join(t.TempDir(), "outside.txt")
	d.must(os.WriteFile(outside, []byte("one"), 0o644))
	steps := []Action{reads("../outside.txt"), reads("k.secret"), edits("k.secret", "one", "two"), reads("a.go")}
	if runtime.GOOS != "windows" {
		d.must(os.Symlink(outside, filepath.Join(d.root, "link")))
		steps = append(steps, reads("link"), edits("link", "one", "two"))
	}
	d.turn("s", "look at what lies outside", steps...)
	id := d.find("look at what lies outside")
	got := d.replay(Request{ID: id})
	for i, s := range got.Steps {
		if i != 3 && (s.Output != "" || s.State == Done) {
			t.Errorf("%+v", s)
		}
	}
	for skip := range steps {
		skips := []int{}
		for i := range steps {
			if i != skip {
				skips = append(skips, i)
			}
		}
		if got := d.replay(Request{ID: id, Edits: true, Skip: skips}); got.Plan != "" {
			t.Errorf("%+v", got)
		}
	}
	if raw, _ := os.ReadFile(outside); string(raw) != "one" || d.read("k.secret") != "one" {
		t.Error("something was written")
	}
}

func TestSecretsAreRefused(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "package a\n"})
	secret := commands("git version")
	secret.Secret = true
	d.turn("s", "call the service with the key", secret, reads("a.go"), reads("a.go"))
	d.states(d.replay(Request{ID: d.find("call the service with the key")}), Refused, Done, Done)
}

// TestUndo: a daemon that was killed while it put files back has put back some, and the next call
// goes on with the rest. Forgetting a file takes the records of replays that changed it.
func TestUndo(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n", "b.go": "two\n"})
	d.turn("s", "swap the numbers in both files", edits("a.go", "one", "1"), edits("b.go", "two", "2"))
	id := d.find("swap the numbers in both files")
	d.replay(Request{ID: id, Plan: d.replay(Request{ID: id, Edits: true}).Plan})
	d.write("a.go", "one\n")
	if _, files, err := d.cache.Undo(t.Context(), d.w, ""); err != nil || len(files) != 2 || d.read("b.go") != "two\n" {
		t.Errorf("%v, %v, b.go is %q", err, files, d.read("b.go"))
	}
	d.replay(Request{ID: id, Plan: d.replay(Request{ID: id, Edits: true}).Plan})
	for i, path := range []event.Path{"a", "a.go"} {
		fault.Must(d.cache.o.Blobs.Forget(t.Context(), cold.ForgetFilter{Path: path}))
		kept, _, err := d.cache.undos.List(t.Context(), cold.Selection{})
		d.must(err)
		fault.Same(t, "records without "+string(path), len(kept), 2-2*i)
	}
	if _, _, err := d.cache.Undo(t.Context(), d.w, ""); !errors.Is(err, ErrNoUndo) || d.read("a.go") != "1\n" {
		t.Errorf("%v, the file says %q", err, d.read("a.go"))
	}
}

// TestDryRun: showing what a replay would do counts as nothing; doing it counts, whether it goes
// well or not.
func TestDryRun(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n"})
	d.turn("s", "make the number a digit", edits("a.go", "one", "1"))
	id := d.find("make the number a digit")
	counts := func(uses, good, bad int) {
		t.Helper()
		e := fault.Must(d.cache.Get(t.Context(), id))
		fault.Same(t, "uses, successes, failures", [3]int{e.Uses, e.Successes, e.Failures}, [3]int{uses, good, bad})
	}
	plan := d.replay(Request{ID: id, Edits: true}).Plan
	d.write("a.go", "two\n")
	d.states(d.replay(Request{ID: id, Edits: true}), Diverged)
	counts(0, 0, 0)
	d.states(d.replay(Request{ID: id, Plan: plan}), Diverged)
	counts(1, 0, 1)
	d.write("a.go", "one\n")
	d.states(d.replay(Request{ID: id, Edits: true, Plan: plan}), Applied)
	counts(2, 1, 1)
}
