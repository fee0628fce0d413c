package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

const (
	newestFirst = "its newest files first"
	mostAsked   = 40 // branches of a repository that are asked about, at most
)

// branches measures which files the next commit of a branch changes, without a text. The branches
// are those that the last quarter of each history merged.
func (in inputs) branches(ctx context.Context) (string, error) {
	names, err := in.names(textHistories)
	if err != nil {
		return "", err
	}
	var t recorded.Table
	err = recorded.EachHistory(ctx, in.repos, names, func(ctx context.Context, _ int, s eval.Source) error {
		return recorded.Branches(ctx, s, recorded.Options{Contents: true}, recorded.LastQuarter, 1, mostAsked,
			func(l *recorded.Localization) error { askBranch(&t, l); return nil })
	})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(recorded.Line("the branch has", "questions", "", "@1", "@3", "@5"))
	out.WriteString(recorded.Line("---", "---:", "---", "---", "---", "---"))
	for _, task := range []string{"no commit yet", "commits"} {
		for _, m := range []string{recorded.Own, newestFirst} {
			if n := t.N(m, task+" hit1"); n > 0 {
				out.WriteString(recorded.Line(task, fmt.Sprint(n), bold(m), t.Cell(m, task+" hit1"),
					recorded.Two(t.Mean(m, task+" hit3")), t.Cell(m, task+" hit5")))
			}
		}
	}
	return out.String(), nil
}

func askBranch(t *recorded.Table, l *recorded.Localization) {
	if l.Text != "" {
		return
	}
	right := func(p event.Path) bool { return slices.Contains(l.Files, p) }
	task := "no commit yet "
	if l.Branch.Commits > 0 {
		task = "commits "
		t.Place(newestFirst, task, l.Repo, l.ID, 1+slices.IndexFunc(l.Branch.Files, right))
	}
	place := 0
	for i, r := range l.Ranked {
		if right(r.File) {
			place = i + 1
			break
		}
	}
	t.Place(recorded.Own, task, l.Repo, l.ID, place)
}
