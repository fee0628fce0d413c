package reload

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestRecipe: a sequence that edits is offered with what it edited and ran. Its edits apply while
// the files are as they were, and only for the same numbers, versions and names.
func TestRecipe(t *testing.T) {
	lines := strings.Repeat("line\n", 9)
	d := newFixture(t, map[string]string{"install": lines + "version=0.74.0\n" + lines, "main.go": "const v = \"0.74.0\"\n"})
	d.turn("s", "bump the version to 0.74.1", edits("install", "0.74.0", "0.74.1"), edits("main.go", "0.74.0", "0.74.1"),
		commands("make docs"), commands("make docs"))
	const recipe = "edited install:10, main.go:1; ran make docs"
	check := func(prompt string, applies bool, differs index.Difference) {
		t.Helper()
		found := fault.Must(d.cache.Find(t.Context(), d.w, asked(prompt)))
		if len(found) != 1 {
			t.Fatalf("%q finds %d", prompt, len(found))
		}
		got := found[0]
		fault.Same(t, prompt, fmt.Sprint(got.Recipe, " ", got.Applies, " ", got.Differs), fmt.Sprint(recipe, " ", applies, " ", differs))
	}
	check("bump the version to 0.74.1", true, "")
	check("bump the version to v0.75.0-rc1", false, index.OtherNumber)
	if d.find("bump the copyright year to 2027") != "" {
		t.Error("it is offered for another task")
	}
	d.write("main.go", "package main\n\nconst v = \"0.74.1\"\n")
	check("bump the version to 0.74.1", false, "")
	d.write("main.go", "const v = \"0.74.1\" // by hand\n")
	d.write("install", "version=0.74.1\n")
	if d.find("bump the version to 0.74.1") != "" {
		t.Error("it is offered although others have changed all of its files")
	}
}

// TestRecipeOfNames: the same task for another name has a recipe, and what only a number tells
// apart has none.
func TestRecipeOfNames(t *testing.T) {
	d := newFixture(t, map[string]string{"a_test.go": "package a\n", "b.go": "package b\n"})
	d.turn("s", "add a test for parseQuery", edits("a_test.go", "package a", "package a\n\nfunc TestQuery() {}"))
	d.turn("s", "fix issue #12", edits("b.go", "package b", "package b // fixed"))
	if found, err := d.cache.Find(t.Context(), d.w, asked("add a test for parseHeader")); err != nil || len(found) != 1 ||
		found[0].Recipe != "edited a_test.go:2" || found[0].Applies || !strings.HasSuffix(found[0].Reason, "another name") {
		t.Errorf("%+v, %v", found, err)
	}
	for _, prompt := range []string{"fix issue #13", "remove the test for parseHeader", "do not add a test for parseHeader"} {
		if id := d.find(prompt); id != "" {
			t.Errorf("%q finds %s", prompt, id)
		}
	}
}

// TestReplayIsNotRecorded: a turn that repeats a sequence, by the tool or in a shell, leaves the
// sequence as it is.
func TestReplayIsNotRecorded(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n", "b.go": "one\n"})
	d.turn("s", "make the first number a digit", edits("a.go", "one", "1"), edits("b.go", "one", "1"))
	id := d.find("make the first number a digit")
	before := fault.Must(d.cache.Get(t.Context(), id))
	tool := func(name string) Action { return Action{Tool: name, Act: event.ActOther} }
	for i, how := range [][]Action{{commands("aoa reload run " + id)}, {commands("cd x && /usr/bin/aoa reload run " + id + " --edits")},
		{tool("mcp__aoa__reload_cached"), reads("a.go")}, {reads("a.go"), tool(ReplayTool)}} {
		d.turn(fmt.Sprint("s", i), "make the first number a digit", append(how, edits("a.go", "one", "2"))...)
	}
	after := fault.Must(d.cache.Get(t.Context(), id))
	before.request, after.request = index.Request{}, index.Request{}
	fault.Same(t, "the entry", fmt.Sprintf("%+v", after), fmt.Sprintf("%+v", before))
	d.turn("s9", "make the first number a digit", commands("grep 'reload run' aoa.md"), edits("a.go", "one", "3"))
	if now, err := d.cache.Get(t.Context(), id); err != nil || len(now.Actions) != 2 || now.Actions[0].Command == "" {
		t.Errorf("what speaks of a replay is taken for one: %+v, %v", now, err)
	}
}

// body stands in functions that look alike.
const body = "  open\n  read\n  check\n  return nil\n  write\n  flush\n  close\n"

// TestPlaces: a change of one of several places that look alike is never made, nor taken back, at
// another one.
func TestPlaces(t *testing.T) {
	d := newFixture(t, nil)
	pad := strings.Repeat("\n", 4)
	one, two := "one:\n"+body+pad, "two:\n"+body+pad
	fixed := strings.Replace(one, "nil", "err", 1)
	for _, end := range []string{"end\n", "end", ""} {
		before, after := pad+one+two+end, pad+fixed+two+end
		patch := patchOf("f", []byte(before), []byte(after))
		d.write("f", before)
		d.must(d.gitApply(t.Context(), patch))
		fault.Same(t, "made", d.read("f"), after)
		d.must(d.gitApply(t.Context(), patch, "-R"))
		fault.Same(t, "taken back", d.read("f"), before)
		d.write("f", "head\n"+before)
		d.must(d.gitApply(t.Context(), patch))
		fault.Same(t, "made below a new line", d.read("f"), "head\n"+after)
		d.write("f", pad+two+end)
		if d.gitApply(t.Context(), patch) == nil {
			t.Errorf("made in the other function: %q", d.read("f"))
		}
	}
	same := strings.Repeat("same\n", 300)
	patch := patchOf("f", []byte(same+same), []byte(same+"new\n"+same))
	d.write("f", same+same)
	d.must(d.gitApply(t.Context(), patch))
	fault.Same(t, "between lines that are all the same", d.read("f"), same+"new\n"+same)
}

// TestReplayElsewhere: a replay whose edit fits at two places of the file now, or was made at
// another place already, makes none, and is not said to apply.
func TestReplayElsewhere(t *testing.T) {
	pad := strings.Repeat("\n", 4)
	fixed := strings.Replace(body, "nil", "err", 1)
	for what, now := range map[string]string{"a copy": pad + body + pad + "copy:\n" + body + pad,
		"made by others": pad + fixed + pad + body + pad} {
		d := newFixture(t, map[string]string{"f": pad + body + pad, "g": "one\n"})
		d.turn("s", "return the error of the check", edits("f", "nil", "err"), edits("g", "one", "two"))
		const asks = "return the error of the check"
		found := fault.Must(d.cache.Find(t.Context(), d.w, asked(asks)))
		if len(found) != 1 || !found[0].Applies {
			t.Fatalf("before: %+v", found)
		}
		d.write("f", now)
		if found, err := d.cache.Find(t.Context(), d.w, asked(asks)); err != nil || len(found) == 1 && found[0].Applies {
			t.Errorf("%s: it applies, %v", what, err)
		}
		r, err := d.cache.Replay(t.Context(), d.w, Request{ID: found[0].ID, Edits: true})
		if err != nil || r.Plan != "" || !strings.Contains(r.Diverged, string(event.Path("f"))) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
}

// TestFormatted: a command that formats what the turn has edited is a part of the turn, not work of
// others. What only looks is no part of the recipe, and a long command is seen to be cut.
func TestFormatted(t *testing.T) {
	before := "a\nversion=1\nb\n"
	d := newFixture(t, map[string]string{"conf": before})
	d.w.Blob = func(_ context.Context, id string) []byte {
		if id == index.BlobID([]byte(before)) {
			return []byte(before)
		}
		return nil
	}
	long := "make fmt " + strings.Repeat("x", maxCommand)
	d.begin("s", "bump the version to 2")
	d.did("s", edits("conf", "version=1", "version=2"))
	d.write("conf", "a\nversion = 2\nb\n")
	d.did("s", commands(long), commands("git diff --stat | cat"), commands("git log -1 && make x"), commands("git status; make all"))
	d.end("s")
	found, err := d.cache.Find(t.Context(), d.w, asked("bump the version to 2"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	fault.Same(t, "recipe", found[0].Recipe, "edited conf:2; ran "+long[:maxCommand]+"…, git log -1 && make x, git status; make all")
	r := d.replay(Request{ID: found[0].ID, Edits: true})
	if !found[0].Applies || !strings.Contains(r.Diff, "\n-version=1\n+version = 2\n") {
		t.Errorf("%v, %+v", found[0].Applies, r)
	}
	d.write("conf", "a\nversion = 3\nb\n")
	if d.find("bump the version to 2") != "" {
		t.Error("it is offered although others have changed its file")
	}
}

// TestReplayOfRename: the searches of a replay are made before its edits, which take away what they
// find. One that finds nothing now, as that of the old version, is told and stops nothing.
func TestReplayOfRename(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "package a\n\nfunc oldName() {}\n"})
	search := Action{Tool: "Grep", Act: event.ActSearch, Pattern: "oldName", Mode: "content", Found: 1}
	d.turn("s", "rename oldName to newName", search, edits("a.go", "oldName", "newName"))
	id := d.find("rename oldName to newName")
	plan := d.replay(Request{ID: id, Edits: true}).Plan
	d.states(d.replay(Request{ID: id, Plan: plan}), Done, Applied)
	fault.Same(t, "made", d.read("a.go"), "package a\n\nfunc newName() {}\n")
	e := fault.Must(d.cache.Get(t.Context(), id))
	fault.Same(t, "counts", fmt.Sprint(e.Successes, " ", e.Failures), "1 0")
	r := d.replay(Request{ID: id, Plan: plan})
	fault.Same(t, "made twice", fmt.Sprint(states(r), " ", r.Undo), "[changed diverged] ")
}
