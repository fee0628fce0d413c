package eval

import (
	"context"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestBranches: a merged branch is asked about before its commits are known, without its name in what the default branch got meanwhile.
func TestBranches(t *testing.T) {
	d := newTestRepo(t)
	for _, name := range []string{"login.go", "form.go", "main.go"} {
		d.write(name, "package x\n")
	}
	d.commit("first")
	d.git("switch", "-q", "-c", "fix-login")
	d.write("login.go", "package x // one\n")
	d.write("form.go", "package x // one\n")
	d.commit("mend the login")
	d.write("login.go", "package x // two\n")
	d.commit("mend the login again")
	d.git("switch", "-q", "main")
	d.write("main.go", "package x // other\n")
	d.commit("something else")
	d.git("merge", "-q", "--no-ff", "-m", "Merge pull request #1 from somebody/fix-login", "fix-login")

	s, err := History(context.Background(), "a/b", d.dir, d.env, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []Localization
	err = Branches(context.Background(), s, Options{}, 0, 1, 10, func(l *Localization) error {
		got = append(got, *l)
		return nil
	})
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %d questions: want one at each commit, and two with the message of the second", err, len(got))
	}
	first, second, message, unknown := got[0], got[1], got[2], got[3]
	if first.Text != "" || first.Branch.Commits != 0 || first.Branch.Name != "fix-login" || len(first.Files) != 2 {
		t.Errorf("before the first commit: %+v", first.Branch)
	}
	want := []event.Path{"form.go", "login.go"}
	if second.Text != "" || second.Branch.Commits != 1 || !slices.Equal(slices.Sorted(slices.Values(second.Branch.Files)), want) ||
		!slices.Equal(second.Files, []event.Path{"login.go"}) {
		t.Errorf("before the second: %+v, means %v", second.Branch, second.Files)
	}
	if message.Text != "mend the login again" || message.Branch.Name == "" || unknown.Text != message.Text || unknown.Branch.Name != "" {
		t.Errorf("with the message: %q %q, %q %q", message.Text, message.Branch.Name, unknown.Text, unknown.Branch.Name)
	}
	if len(second.Ranked) == 0 || !slices.Contains(want, second.Ranked[0].File) {
		t.Errorf("the first answer on the branch: %v", second.Ranked)
	}
}
