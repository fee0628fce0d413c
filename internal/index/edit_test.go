package index

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestEdits: names of removed and added lines, what is gone and what was defined; lines that only moved, or got other
// space around them, are no edits.
func TestEdits(t *testing.T) {
	before := "package a\n\nfunc parseConfig() { readFile() }\n\nfunc keepName() {}\n\nfunc moved() { otherThing() }\n"
	after := "package a\n\nfunc moved() { otherThing() }\n\n\tfunc keepName() {}\n\nfunc loadConfig() { readFile() }\n"
	want := []Edit{
		{Name: "parseconfig", Text: "parseConfig", Removed: true, Gone: true, Defined: true},
		{Name: "readfile", Text: "readFile", Removed: true, Added: true},
		{Name: "loadconfig", Text: "loadConfig", Added: true, Defines: true},
	}
	if d := cmp.Diff(want, Edits("a.go", []byte(before), []byte(after))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := Edits("a.go", nil, []byte(after)); len(got) == 0 || got[0].Removed || got[0].Gone {
		t.Errorf("a new file: %+v", got)
	}
	for _, e := range Edits("a.go", []byte(before), nil) {
		if !e.Removed || !e.Gone {
			t.Errorf("a deleted file: %+v", e)
		}
	}
	if got := Edits("a.go", []byte("x\x00"), []byte(after)); got != nil {
		t.Errorf("a binary file: %+v", got)
	}
	if got := Edits("a.go", bytes.Repeat([]byte("someName()\n"), MaxEdited/10), nil); got != nil {
		t.Errorf("a file of too many bytes: %d edits", len(got))
	}
}

// TestUsers: who has a name, and who defines it; a name of too many files has none.
func TestUsers(t *testing.T) {
	c := NewContents()
	c.Set("def.go", []byte("package a\n\nfunc ParseConfig() {}\n"))
	c.Set("use.go", []byte("package a\n\nfunc run() { ParseConfig() }\n"))
	want := []User{{"def.go", true}, {"use.go", false}}
	if d := cmp.Diff(want, c.Users("parseconfig", 2)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := c.Users("parseconfig", 1); got != nil {
		t.Errorf("more than one file has it: %+v", got)
	}
}

func FuzzEdits(f *testing.F) {
	f.Add([]byte("func a() {}\n"), []byte("func b() {}\n"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		for _, e := range Edits(event.Path("a.go"), before, after) {
			if !e.Removed && !e.Added || e.Gone && e.Defines || e.Name == "" || e.Text == "" {
				t.Errorf("%+v", e)
			}
		}
	})
}
