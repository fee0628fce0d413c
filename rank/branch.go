package rank

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// AsksBranch reports whether a question has neither text nor files nor a session but is asked on a
// branch whose commits or name can answer it.
func AsksBranch(q event.Query) bool {
	return q.Session == "" && q.Prompt == "" && q.Current == "" && len(q.Files)+len(q.Tags) == 0 &&
		TaskOf(q) == event.TaskPrompt &&
		(len(q.Branch.Files) > 0 || branchWords(q.Branch.Name) != "")
}

// aboutBranch turns a question into one about the work of the branch: the words of the branch's
// name become its text, and the files of the newest commits its current files.
func aboutBranch(q event.Query) event.Query {
	q.Task, q.Prompt = event.TaskPrompt, branchWords(q.Branch.Name)
	q.Files = slices.Clone(q.Branch.Files[:min(len(q.Branch.Files), contextFiles)])
	slices.Reverse(q.Files)
	return q
}

// changeWords matches texts about what was changed last.
var changeWords = regexp.MustCompile(
	`(?i)\b(my|this|these|our|the|last|latest|recent) (changes?|branch|commits?|diff|pr|pull request|patch)\b`)

// speaksOfChange reports whether a text is about the latest changes. Only then are the files that a
// branch changed among the answers; otherwise they would be in every answer.
func speaksOfChange(prompt string) bool { return changeWords.MatchString(prompt) }

// apartCommitted is the value of the signal Committed for a file that is set apart, because no one
// knows when it was committed before the branch.
const apartCommitted = 0.5

// setApart removes the commits of the branch from what was committed last.
func (x *queryContext) setApart(b event.Branch, committed *hot.Ranked) {
	x.apart = make(map[event.Path]bool, len(b.Files))
	for _, f := range b.Files {
		x.apart[f] = true
	}
	if committed == nil || len(b.Files) == 0 {
		return
	}
	n := 0
	for i, f := range committed.Members {
		if !x.apart[event.Path(f)] {
			committed.Members[n], committed.Values[n] = f, committed.Values[i]
			n++
		}
	}
	committed.Members, committed.Values = committed.Members[:n], committed.Values[:n]
}

// branchPlaces returns the values of OfBranch: 1/√r for the r-th file.
func branchPlaces(b event.Branch) map[event.Path]float64 {
	out := make(map[event.Path]float64, len(b.Files))
	for i, f := range b.Files {
		out[f] = 1 / math.Sqrt(float64(1+i))
	}
	return out
}

// plainBranchWords are words in names of branches that do not tell what the work is, each between
// spaces.
const plainBranchWords = " feature features feat fix fixes bugfix bug hotfix chore patch issue gh pr user users wip " +
	"topic task main master develop dev improve add update refactor release next dependabot renovate "

// branchWords returns the words of a branch's name, without numbers and without words that every
// name may have.
func branchWords(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_/.#+@", r) })
	words = slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 2 || strings.Contains(plainBranchWords, " "+strings.ToLower(w)+" ") ||
			strings.Trim(w, "0123456789") == ""
	})
	return strings.Join(words, " ")
}
