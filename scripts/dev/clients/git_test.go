//go:build unix

package clients

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// movements are what an agent does with git, in a repository where a branch "theirs" has other
// contents, and what is true of the session's edits of sched/plan.go and sched/queue.go afterwards.
var movements = []struct{ name, command, said string }{
	{"pull", "git commit -qam mine && git pull -q --no-rebase --no-edit . theirs", "Edited earlier: sched/queue.go, sched/plan.go."},
	{"pull --rebase", "git commit -qam mine && git pull -q --rebase . theirs", "Edited earlier: sched/queue.go, sched/plan.go."},
	{"merge", "git merge -q --no-edit theirs", "Changed and not committed: sched/queue.go:1, sched/plan.go:1."},
	{"checkout of a branch", "git checkout -q theirs", "Changed and not committed: sched/queue.go:1, sched/plan.go:1."},
	{"checkout of a file", "git checkout -q theirs -- docs/guide.md && git checkout -q -- sched/plan.go",
		"Changed and not committed: sched/queue.go:1.\nEdited earlier: sched/plan.go."},
	{"stash", "git stash -q", "Edited earlier: sched/queue.go, sched/plan.go."},
	{"stash pop", "git stash -q && git merge -q theirs && git stash pop -q", "Changed and not committed: sched/queue.go:1, sched/plan.go:1."},
	{"restore", "git restore sched/plan.go", "Changed and not committed: sched/queue.go:1.\nEdited earlier: sched/plan.go."},
	{"reset --hard", "git reset -q --hard theirs", "Edited earlier: sched/queue.go, sched/plan.go."},
	{"cherry-pick", "git cherry-pick theirs", "Changed and not committed: sched/queue.go:1, sched/plan.go:1."},
}

// TestClientClaudeGit: what git brings into the worktree under the real client is no edit of its
// session, and what is said after a compaction is true.
func TestClientClaudeGit(t *testing.T) {
	program := realClient(t, "claude")
	for _, m := range movements {
		t.Run(m.name, func(t *testing.T) {
			c := newClaude(t, program)
			c.must("sh", "-c", `git config user.name a && git config user.email a@example.com && git checkout -q -b theirs &&
echo theirs >docs/guide.md && echo theirs >other/new.go && git add -A . && git commit -qm theirs && git checkout -q main`)
			c.write(filepath.Join(c.home, ".claude", "settings.json"), `{"bashEditDiffEnabled": true}`)
			full := uses(bash("true"))
			full.tokens = 990_000 // the client compacts before it goes on
			mine := toolUse{"Bash", object{"command": "sed -i s/queue/queues/ sched/queue.go", "description": "edit"}}
			model, _ := c.ask(firstSession, "rename it", uses(c.read("sched/plan.go")), uses(c.edit("sched/plan.go", "plan", "plans"), mine),
				uses(bash(m.command)), full, turn{text: "<summary>It was renamed.</summary>"}, uses(bash("true")))
			var edits []string
			for _, e := range c.log("--session", firstSession) {
				if e.Edits() {
					edits = append(edits, event.Strings(e.Paths())...)
				}
			}
			slices.Sort(edits)
			fault.Same(t, "edits", slices.Compact(edits), []string{"sched/plan.go", "sched/queue.go"})
			for _, e := range c.log("--kind", "save") {
				if !slices.Contains(edits, string(e.Paths()[0])) { // its own edits are saved, too
					t.Errorf("git's own write is a save: %v", e.Paths())
				}
			}
			if model.first(m.said) < 0 {
				for _, r := range model.requests() {
					if _, text, found := strings.Cut(r.text, "Recorded by aOa"); found {
						t.Errorf("no %q in %.600s", m.said, text)
					}
				}
				t.Errorf("%q is in no request of %d", m.said, len(model.requests()))
			}
		})
	}
}
