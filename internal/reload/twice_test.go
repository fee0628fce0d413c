package reload

import (
	"errors"
	"testing"
)

// TestTwice: a call that arrives twice edits once, and puts back once: not what an earlier replay has changed as well.
func TestTwice(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n", "b.go": "two\n"})
	d.turn("s", "make the first number a digit", edits("a.go", "one", "1"))
	d.turn("s", "write the second number as a figure please", edits("b.go", "two", "2"))
	first, second := d.find("make the first number a digit"), d.find("write the second number as a figure please")
	apply := func(id, call string) Report {
		t.Helper()
		got, err := d.cache.Replay(t.Context(), d.w, Request{ID: id, Plan: d.replay(Request{ID: id, Edits: true}).Plan,
			Call: call})
		d.must(err)
		return got
	}
	apply(first, "call 1")
	plan := d.replay(Request{ID: second, Edits: true}).Plan
	for i := range 2 {
		got, err := d.cache.Replay(t.Context(), d.w, Request{ID: second, Plan: plan, Call: "call 2"})
		if err != nil || got.Undo == "" || got.Plan != plan || d.read("b.go") != "2\n" {
			t.Errorf("time %d: %v, %+v, b.go is %q", i+1, err, got, d.read("b.go"))
		}
		d.states(got, Applied)
		d.close()
		d.open(Options{})
	}
	for i := range 2 {
		_, files, err := d.cache.Undo(t.Context(), d.w, "", "call 3")
		if err != nil || len(files) != 1 || files[0] != "b.go" || d.read("a.go") != "1\n" || d.read("b.go") != "two\n" {
			t.Errorf("time %d: %v, %v; a.go is %q, b.go %q", i+1, err, files, d.read("a.go"), d.read("b.go"))
		}
	}
	if _, files, err := d.cache.Undo(t.Context(), d.w, "", "call 4"); err != nil || files[0] != "a.go" ||
		d.read("a.go") != "one\n" {
		t.Errorf("another call: %v, %v", files, err)
	}
	if _, _, err := d.cache.Undo(t.Context(), d.w, "", "call 5"); !errors.Is(err, ErrNone) {
		t.Errorf("nothing is left to put back: %v", err)
	}
}

// TestUndoGoesOn: a daemon that was killed while it put files back has put back some: the same call goes on with the
// rest.
func TestUndoGoesOn(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n", "b.go": "two\n"})
	d.turn("s", "swap the numbers in both files", edits("a.go", "one", "1"), edits("b.go", "two", "2"))
	id := d.find("swap the numbers in both files")
	d.replay(Request{ID: id, Plan: d.replay(Request{ID: id, Edits: true}).Plan})
	d.write("a.go", "one\n")
	if _, files, err := d.cache.Undo(t.Context(), d.w, "", "call"); err != nil || len(files) != 2 ||
		d.read("b.go") != "two\n" {
		t.Errorf("%v, %v, b.go is %q", err, files, d.read("b.go"))
	}
}
