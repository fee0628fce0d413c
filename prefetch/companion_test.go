package prefetch

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

// archive is an archive in memory: commits, the newest first, edits and users of names.
type archive struct {
	commits [][]event.Path
	edits   map[event.Path][]index.Edit
	users   map[string][]index.User
}

func (a archive) open() Archive {
	of := func(f event.Path) (out []event.ChangeSet) {
		for i, files := range a.commits {
			for _, g := range files {
				if g == f {
					out = append(out, event.ChangeSet{ID: int64(i), Time: epoch.Add(-time.Duration(i) * time.Hour), Files: files})
				}
			}
		}
		return out
	}
	return Archive{
		Changes: func(_ context.Context, f event.Path, most int) ([]event.ChangeSet, error) {
			all := of(f)
			return all[:min(len(all), most)], nil
		},
		Together: func(_ context.Context, f, g event.Path) (both, n int, err error) {
			for _, c := range of(f) {
				for _, h := range c.Files {
					if h == g {
						both++
					}
				}
			}
			return both, len(of(f)), nil
		},
		Edits: func(context.Context, []event.Path) map[event.Path][]index.Edit { return a.edits },
		Users: func(name string, most int) []index.User { return a.users[name] },
	}
}

func weighOne(t *testing.T, a archive, f event.Path, change ...event.Path) Evidence {
	t.Helper()
	found, err := Weigh(t.Context(), []rank.Scored{{File: f}}, change, a.open())
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// TestHistory: the counts are those of the file of the change that changed with it most regularly; a new file of the
// change counts for nothing; commits like the change count more.
func TestHistory(t *testing.T) {
	a := archive{commits: [][]event.Path{{"a", "f"}, {"a", "f"}, {"a", "x"}, {"a", "f", "b"}, {"b"}, {"b", "x"}, {"f"}}}
	e := weighOne(t, a, "f", "a", "b", "new")
	if e.With != "a" || e.Both != 3 || e.Of != 4 || !e.Names() {
		t.Errorf("%+v", e.Lack)
	}
	x := e.Facts
	if x[ShareNext] != .25 || x[ShareMany] != .5 || x[ShareStreak] != math.Log1p(2) || x[ShareNewest] != oddsOf(3, 4) ||
		x[ShareBack] != oddsOf(3, 4) {
		t.Errorf("%v", x)
	}
	if both, one := weighOne(t, a, "f", "a", "b"), weighOne(t, a, "x", "a",
		"b"); both.Facts[Similar] <= one.Facts[Similar] {
		t.Errorf("%v is not above %v: one commit has the whole change", both.Facts[Similar], one.Facts[Similar])
	}
	if e := weighOne(t, a, "never", "a"); e.Names() || e.Facts[ShareNewest] != oddsOf(0, 4) || e.Of != 0 {
		t.Errorf("no commit in common: %+v", e)
	}
}

// TestNames: what still uses a name that the change removes is named with it; not if the name moved within the
// change, or is defined elsewhere, too.
func TestNames(t *testing.T) {
	gone := index.Edit{Name: "parseconfig", Text: "parseConfig", Removed: true, Gone: true, Defined: true}
	a := archive{edits: map[event.Path][]index.Edit{"config.go": {gone}},
		users: map[string][]index.User{"parseconfig": {{Path: "config.go", Defines: true},
			{Path: "main.go"}, {Path: "docs.md"}}}}
	e := weighOne(t, a, "main.go", "config.go")
	if e.Use != (Use{"parseConfig", "config.go"}) || !e.Names() || e.Facts[NameRemoved] != .5 ||
		e.Facts[NameTouched] != .5 || e.Facts[NameTouchedBy] != 1 {
		t.Errorf("%+v", e)
	}
	if e := weighOne(t, a, "main.go", "config.go", "docs.md"); e.Facts[NameRemoved] != 1 {
		t.Errorf("the only user outside of the change: %+v", e)
	}
	a.edits["new.go"] = []index.Edit{{Name: "parseconfig", Text: "parseConfig", Added: true, Defines: true}}
	if e := weighOne(t, a, "main.go", "config.go", "new.go"); e.Use.Name != "" || e.Facts[NameRemoved] != 0 ||
		e.Facts[NameTouched] == 0 {
		t.Errorf("the name has moved: %+v", e)
	}
	delete(a.edits, "new.go")
	a.users["parseconfig"] = append(a.users["parseconfig"], index.User{Path: "other.go", Defines: true})
	if e := weighOne(t, a, "main.go", "config.go"); e.Use.Name != "" || e.Facts[NameGone] == 0 {
		t.Errorf("another file defines it: %+v", e)
	}
}

// TestFactsForm: weights are stored by the names of the facts; one that does not exist is refused.
func TestFactsForm(t *testing.T) {
	var w Facts
	if err := w.UnmarshalJSON([]byte(`{"bias": -1, "similar": 2}`)); err != nil || w[Always] != -1 || w[Similar] != 2 {
		t.Errorf("%v, %v", w, err)
	}
	data, err := w.MarshalJSON()
	var again Facts
	if err != nil || again.UnmarshalJSON(data) != nil || again != w {
		t.Errorf("%s, %v", data, err)
	}
	if err := w.UnmarshalJSON([]byte(`{"share": 1}`)); err == nil {
		t.Error("a fact that does not exist is read")
	}
}
