package prefetch

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestRescue: testdata/rescue.txt has a repository, and what failed accesses to it meant.
func TestRescue(t *testing.T) {
	r := Rescuer{Tree: index.NewTree(nil), Renamed: func(p event.Path) (event.Path, bool) {
		to, ok := map[event.Path]event.Path{"old/name.go": "new/name.go", "old/gone.go": "nowhere.go"}[p]
		return to, ok
	}}
	for line := range strings.Lines(string(fault.Must(os.ReadFile("testdata/rescue.txt")))) {
		text, _, _ := strings.Cut(line, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if words[0] == "files" {
			r.Tree.Add(eventtest.Paths(words[1:])...)
			continue
		}
		wrong, want := event.Path(strings.TrimPrefix(words[1], "-")), event.Path(strings.TrimPrefix(words[2], "-"))
		s, ok := r.Rescue(wrong, event.Failure(words[0]))
		if s.File != want || ok != (want != "") {
			t.Errorf("%s (%s): got %q, want %q", wrong, words[0], s.File, want)
		}
		if ok && (!strings.Contains(s.Reasons[0].Text, wrong.Display()) || s.Reasons[0].With != wrong || s.Reasons[0].Value != 1 ||
			s.Reasons[0].Weight != 1 || s.Score != 1) {
			t.Errorf("%s: the reason does not say what was wrong: %s", wrong, s.Reasons[0].Text)
		}
	}
}

// TestRescueMisspelled guesses paths of this repository wrong, in the ways in which agents do. A
// wrong answer is worse than none.
func TestRescueMisspelled(t *testing.T) {
	var files []event.Path
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if rel, ok := strings.CutPrefix(filepath.ToSlash(name), "../"); ok && err == nil && d.Type().IsRegular() &&
			!strings.HasPrefix(rel, ".git/") {
			files = append(files, event.Path(rel))
		}
		return err
	})
	if err != nil || len(files) < 500 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	r := Rescuer{Tree: index.NewTree(files)}
	right, wrong, silent := 0, 0, 0
	for i, f := range files {
		dir, base := f.Dir(), f.Base()
		trunk := strings.TrimSuffix(base, path.Ext(base))
		at := 1 + i%max(1, len(trunk)-2) // a letter within the name
		for _, guess := range []string{"src/" + string(f), strings.TrimPrefix(string(f), strings.SplitN(string(f), "/", 2)[0]+"/"),
			path.Join(dir, base[:at]+base[min(at+1, len(base)):]), path.Join(dir, base[:at]+"x"+base[at:]),
			path.Join(path.Dir(dir), base), path.Join(dir+"s", base), path.Join(dir, strings.ToUpper(base[:1])+base[1:]),
			path.Join(dir, trunk+"s"+path.Ext(base)), path.Join("internal", dir, base)} {
			p := event.Path(guess)
			if r.Tree.Has(p) {
				continue
			}
			switch s, ok := r.Rescue(p, event.FailMissing); {
			case !ok:
				silent++
			case s.File == f:
				right++
			default:
				wrong++
				if wrong%20 == 0 {
					t.Logf("%s for %s: %s", p, f, s.File)
				}
			}
		}
	}
	t.Logf("%d right, %d wrong, %d silent", right, wrong, silent)
	if 100*wrong > right+wrong+silent || 2*right < right+wrong+silent {
		t.Errorf("%d right, %d wrong, %d silent", right, wrong, silent)
	}
}
