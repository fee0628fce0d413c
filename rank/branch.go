package rank

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// AsksBranch reports whether a question says nothing (it has neither text nor files nor session)
// and is asked on a branch that does: by its commits, or by its name.
func AsksBranch(q event.Query) bool {
	return q.Session == "" && q.Prompt == "" && q.Current == "" && len(q.Files)+len(q.Tags) == 0 &&
		TaskOf(q) == event.TaskPrompt &&
		(len(q.Branch.Files) > 0 || branchWords(q.Branch.Name) != "")
}

// aboutBranch asks about the work of the branch: the words of its name are the text, the newest of
// its files are in hand.
func aboutBranch(q event.Query) event.Query {
	q.Task, q.Prompt = event.TaskPrompt, branchWords(q.Branch.Name)
	q.Files = slices.Clone(q.Branch.Files[:min(len(q.Branch.Files), contextFiles)])
	slices.Reverse(q.Files)
	return q
}

// changeWords are words of texts about what was changed last.
var changeWords = regexp.MustCompile(`(?i)\b(my|this|these|our|the|last|latest|recent) (changes?|branch|commits?|diff|pr|pull request|patch)\b`)

// speaksOfChange reports whether a text is about the latest changes. The files that a branch
// changed are answers to no other text; otherwise they would be in every answer.
func speaksOfChange(prompt string) bool { return changeWords.MatchString(prompt) }

// apartCommitted is the signal Committed of a file that is set apart: when it was committed before
// the branch is not known.
const apartCommitted = 0.5

// setApart takes the commits of the branch out of what was committed last.
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

// branchPlaces are the values of OfBranch: 1/√r of the r-th file.
func branchPlaces(b event.Branch) map[event.Path]float64 {
	out := make(map[event.Path]float64, len(b.Files))
	for i, f := range b.Files {
		out[f] = 1 / math.Sqrt(float64(1+i))
	}
	return out
}

// plainBranchWords are words of the names of branches that say nothing of their work, each between
// spaces.
const plainBranchWords = " feature features feat fix fixes bugfix bug hotfix chore patch issue gh pr user users wip " +
	"topic task main master develop dev improve add update refactor release next dependabot renovate "

// branchWords are the words of a branch's name, without those that every name may have and without
// numbers.
func branchWords(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_/.#+@", r) })
	words = slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 2 || strings.Contains(plainBranchWords, " "+strings.ToLower(w)+" ") ||
			strings.Trim(w, "0123456789") == ""
	})
	return strings.Join(words, " ")
}
