package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// aloneCommits is how many commits of a history are asked about. Each is asked about twice, each
// time with one of its files.
const aloneCommits = 120

// alone measures which files change with a file when nothing is known about the change of that
// file.
func (in inputs) alone(ctx context.Context) (string, error) {
	names, err := in.names(changeHistories)
	if err != nil {
		return "", err
	}
	var t recorded.Table
	err = recorded.EachHistory(ctx, in.repos, names, func(ctx context.Context, _ int, s eval.Source) error {
		err := recorded.AloneCommits(ctx, s, recorded.LastQuarter, aloneCommits, func(a *recorded.Alone) error {
			askAlone(ctx, &t, a)
			return nil
		})
		fmt.Fprintf(os.Stderr, "%s: asked\n", s.Name)
		return err
	})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(recorded.Line("", "questions", "**aOa**", counting))
	out.WriteString(recorded.Line("---", "---:", "---", "---"))
	out.WriteString(recorded.Line("all", fmt.Sprint(t.N(recorded.Own, begunFive)), t.Cell(recorded.Own, begunFive),
		t.Cell(counting, begunFive)))
	for _, repo := range slices.Sorted(slices.Values(names)) {
		own, counted := t.Repos(recorded.Own, begunFive)[repo], t.Repos(counting, begunFive)[repo]
		out.WriteString(recorded.Line(repo, fmt.Sprintf("%.0f", own.N), recorded.Two(own.Value()),
			recorded.Two(counted.Value())))
	}
	fmt.Fprintf(&out, "\nPromised for FILE → the next commit of FILE changed it (how many): %s.\n",
		t.Promises(recorded.Own, "FILE"))
	return out.String(), nil
}

// askAlone counts both answers to one question. If a commit has only one file, there is no other
// file to find; only the predictions are counted.
func askAlone(ctx context.Context, t *recorded.Table, a *recorded.Alone) {
	var listed []event.Path
	for i, s := range a.Answer(ctx) {
		listed = append(listed, s.File)
		if i < begunFirst {
			t.Promise(recorded.Own, "FILE", a.Repo, a.ID, s.Score, slices.Contains(a.Others, s.File))
		}
	}
	if n := float64(len(a.Others)); n > 0 {
		t.Add(recorded.Own, begunFive, a.Repo, a.ID, float64(a.Right(listed))/n, 1)
		t.Add(counting, begunFive, a.Repo, a.ID, float64(a.Right(a.Counted))/n, 1)
	}
}
