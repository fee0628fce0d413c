package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

const (
	bm25     = "BM25"
	ripgrep  = "ripgrep"
	messages = 40 // messages of a repository that are asked about, at most
)

// localize measures which files a text means.
func (in inputs) localize(ctx context.Context) (string, error) {
	var out, said strings.Builder
	out.WriteString(recorded.Line("texts", "", "@1", "@3", "@5", "@10", "MRR"))
	out.WriteString(recorded.Line("---", "---", "---", "---", "---", "---", "---"))
	a := texts{inputs: in, published: true}
	if in.issues != "" {
		issues, err := recorded.Instances(in.issues)
		if err != nil {
			return "", err
		}
		byRepo := map[string][]recorded.Instance{}
		for _, i := range issues {
			byRepo[i.Repo] = append(byRepo[i.Repo], i)
		}
		err = a.each(ctx, slices.Sorted(maps.Keys(byRepo)), func(ctx context.Context, s eval.Source, o recorded.Options,
			take func(*recorded.Localization) error) error {
			return recorded.Localize(ctx, s, byRepo[s.Name], o, take)
		})
		if err != nil {
			return "", err
		}
		a.print(&out, &said, "issues")
	}
	names, err := in.names(textHistories)
	if err != nil {
		return "", err
	}
	a = texts{inputs: in}
	err = a.each(ctx, names, func(ctx context.Context, s eval.Source, o recorded.Options,
		take func(*recorded.Localization) error) error {
		return recorded.Subjects(ctx, s, o, recorded.LastQuarter, 1, messages, take)
	})
	if err != nil {
		return "", err
	}
	a.print(&out, &said, "messages")
	return out.String() + "\n" + said.String(), nil
}

// texts are the answers about one kind of texts.
type texts struct {
	inputs
	recorded.Table
	// count as published tables do: only sources are right, all of them must be found, and each text
	// has the same weight
	published bool
}

type askTexts func(context.Context, eval.Source, recorded.Options, func(*recorded.Localization) error) error

func (a *texts) each(ctx context.Context, names []string, ask askTexts) error {
	return recorded.EachHistory(ctx, a.repos, names, func(ctx context.Context, _ int, s eval.Source) error {
		c, err := openContents(ctx, s.Clone.Dir)
		if err != nil {
			return err
		}
		defer c.blobs.Close()
		weights := a.weights
		if !a.published { // the shipped weights were not fitted on texts of these repositories
			weights = ""
		}
		o, err := recorded.Weights(recorded.Options{Contents: true}, weights, s.Name)
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, s.Name)
		return ask(ctx, s, o, func(l *recorded.Localization) error { return a.take(ctx, c, l) })
	})
}

// take asks all methods about one text, and counts their answers.
func (a *texts) take(ctx context.Context, c *contents, l *recorded.Localization) error {
	counts := func(p event.Path) bool { return !a.published || index.KindOf(p) == index.KindSource }
	var truth, ranked []event.Path
	for _, p := range l.Files {
		if counts(p) {
			truth = append(truth, p)
		}
	}
	if len(truth) == 0 {
		return nil
	}
	for _, r := range l.Ranked {
		if counts(r.File) {
			ranked = append(ranked, r.File)
		}
	}
	repo := l.Repo
	if a.published {
		repo = "" // each issue counts the same
	}
	a.Place(recorded.Own, "", repo, l.ID, a.at(ranked, truth))
	all := prefetch.Shipped().Candidates(event.Query{Prompt: l.Text}, l.Ranked, nil)
	for _, x := range all[:min(promised, len(l.Ranked))] {
		a.Promise(recorded.Own, "text", repo, l.ID, x.P, slices.Contains(l.Files, x.File))
	}
	if err := a.list(l, repo); err != nil {
		return err
	}
	byTerms, byWords, err := c.found(ctx, l.Base, l.Text, counts)
	a.Place(bm25, "", repo, l.ID, a.at(byTerms, truth))
	a.Place(ripgrep, "", repo, l.ID, a.at(byWords, truth))
	return err
}

// promised is how many files of an answer about a text are shown to people.
const promised = 5

// at returns the position, from 1, of the first right file, or of the last one if all must be
// found; 0 if it is not found.
func (a *texts) at(ranked, truth []event.Path) (place int) {
	for i, p := range truth {
		at := 1 + slices.Index(ranked, p)
		switch {
		case a.published && at == 0:
			return 0
		case i == 0 || place == 0 || a.published && at > place || !a.published && at > 0 && at < place:
			place = at
		}
	}
	return place
}

// list counts the list that is shown if the text is the first prompt of a session.
func (a *texts) list(l *recorded.Localization, repo string) error {
	first, err := l.First()
	if err != nil {
		return err
	}
	q, c := recorded.FirstPrompt(l.Text, time.Time{}), prefetch.Shipped()
	predictions := c.Candidates(q, first, nil)
	named := slices.ContainsFunc(predictions, func(f prefetch.Candidate) bool { return f.Named })
	files, e := c.List.Choose(q, prefetch.Turn{Named: named}, predictions, nil)
	says := e.Says(prefetch.ListThreshold)
	right := slices.ContainsFunc(files, func(f prefetch.Candidate) bool { return slices.Contains(l.Files, f.File) })
	a.Add(recorded.Own, "lists shown", repo, l.ID, share(says), 1)
	a.Add(recorded.Own, "lists right", repo, l.ID, share(says && right), share(says))
	return nil
}

// share returns 1 for true and 0 for false.
func share(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (a *texts) print(out, said *strings.Builder, kind string) {
	name := fmt.Sprintf("%d %s", a.N(recorded.Own, "hit1"), kind)
	for _, m := range []string{recorded.Own, bm25, ripgrep} {
		if a.N(m, "hit1") > 0 {
			out.WriteString(recorded.Line(name, bold(m), a.Cell(m, "hit1"), recorded.Two(a.Mean(m, "hit3")), a.Cell(m, "hit5"),
				recorded.Two(a.Mean(m, "hit10")), recorded.Two(a.Mean(m, "mrr"))))
		}
	}
	if !a.published {
		fmt.Fprintf(said, "Repositories in which another method is better at @1: %s.\n\nAt @5: %s.\n\n",
			a.Losses("hit1"), a.Losses("hit5"))
	}
	fmt.Fprintf(said, "Promised → the work touched the file, of %s: %s.\n\n", name, a.Promises(recorded.Own, "text"))
	var right recorded.Ratio
	for _, r := range a.Repos(recorded.Own, "lists right") {
		right = recorded.Ratio{Sum: right.Sum + r.Sum, N: right.N + r.N}
	}
	fmt.Fprintf(said, "With each of the %s as the first prompt of a session, aOa shows a list for %.0f of them; "+
		"%.0f of these lists (%.0f %%) contain a right file.\n\n", name, right.N, right.Sum, 100*right.Value())
}

// bold returns the name of a method as the first cell of a row.
func bold(method string) string {
	if method == recorded.Own {
		return "**aOa**"
	}
	return method
}
