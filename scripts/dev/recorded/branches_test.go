package recorded

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBranches: a merged branch is asked about before its commits are known, without its name in
// what the default branch got meanwhile.
func TestBranches(t *testing.T) {
	dir := newRepo(t, `
for f in login form main; do echo 'package x' > $f.go; done; save first
git switch -q -c fix-login
for f in login form; do echo 'package x // one' > $f.go; done; save mend the login
echo 'package x // two' > login.go; save mend the login again
git switch -q main
echo 'package x // other' > main.go; save something else
git merge -q --no-ff -m 'Merge pull request #1 from somebody/fix-login' fix-login`)
	s, err := eval.History(context.Background(), "a/b", dir, os.Environ(), nil)
	fault.Check(t, err)
	var got []Localization
	err = Branches(context.Background(), s, Options{}, 0, 1, 10, func(l *Localization) error {
		got = append(got, *l)
		return nil
	})
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %d questions: want one at each commit, and one with the message of the second", err, len(got))
	}
	first, second, message := got[0], got[1], got[2]
	if first.Text != "" || first.Branch.Commits != 0 || first.Branch.Name != "fix-login" || len(first.Files) != 2 {
		t.Errorf("before the first commit: %+v", first.Branch)
	}
	want := []event.Path{"form.go", "login.go"}
	if second.Text != "" || second.Branch.Commits != 1 ||
		!slices.Equal(slices.Sorted(slices.Values(second.Branch.Files)), want) ||
		!slices.Equal(second.Files, []event.Path{"login.go"}) {
		t.Errorf("before the second: %+v, means %v", second.Branch, second.Files)
	}
	if !strings.HasPrefix(message.Text, "mend the login again\n") || message.Branch.Name == "" {
		t.Errorf("with the message: %q %q", message.Text, message.Branch.Name)
	}
	if len(second.Ranked) == 0 || !slices.Contains(want, second.Ranked[0].File) {
		t.Errorf("the first answer on the branch: %v", second.Ranked)
	}
}
