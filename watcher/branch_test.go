package watcher

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBranch: a branch is its commits since the default branch; merges from the default branch add nothing.
func TestBranch(t *testing.T) {
	d := newRepository(t)
	d.write("main.go", "one")
	d.write("gone.go", "one")
	d.commit("first")
	d.git("switch", "-q", "-c", "fix/login")
	is := func(want event.Branch) {
		t.Helper()
		r, err := OpenRepo(context.Background(), d.dir, d.env)
		fault.Check(t, err)
		got, err := r.Branch(context.Background())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	is(event.Branch{Name: "fix/login", Base: "main", Files: []event.Path{}})
	d.write("login.go", "one")
	d.write("api.go", "one")
	d.remove("gone.go")
	d.commit("login")
	d.write("login.go", "two")
	d.commit("redirect")
	d.git("switch", "-q", "main")
	is(event.Branch{})
	d.write("main.go", "two")
	d.commit("second")
	d.git("switch", "-q", "fix/login")
	d.git("merge", "-q", "--no-edit", "main")
	two := event.Branch{Name: "fix/login", Base: "main", Commits: 2, Files: []event.Path{"login.go", "api.go"}}
	is(two)
	d.git("switch", "-q", "--detach")
	is(event.Branch{})

	// The default branch is that of origin, where there is one.
	d.git("switch", "-q", "fix/login")
	d.git("update-ref", "refs/remotes/origin/trunk", "fix/login~1")
	d.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	is(event.Branch{Name: "fix/login", Base: "trunk", Files: []event.Path{"main.go"}, Commits: 1})
	d.git("symbolic-ref", "-d", "refs/remotes/origin/HEAD")

	// A branch that changes everything is no piece of work.
	for i := range maxBranchFiles + 1 {
		d.write(fmt.Sprintf("many/%d.go", i), "one")
	}
	d.commit("everything")
	is(event.Branch{})
}
