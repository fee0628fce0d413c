package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

const (
	bm25     = "BM25"
	ripgrep  = "ripgrep"
	messages = 40 // of a repository
)

// localize measures which files a text means.
func (in inputs) localize(ctx context.Context) (string, error) {
	var out strings.Builder
	out.WriteString(row("texts", "", "@1", "@3", "@5", "@10", "MRR"))
	out.WriteString(row("---", "---", "---", "---", "---", "---", "---"))
	var losses strings.Builder
	if in.issues != "" {
		issues, err := recorded.Instances(in.issues)
		if err != nil {
			return "", err
		}
		byRepo := map[string][]recorded.Instance{}
		for _, i := range issues {
			byRepo[i.Repo] = append(byRepo[i.Repo], i)
		}
		a := texts{inputs: in, published: true}
		err = a.each(ctx, slices.Sorted(maps.Keys(byRepo)), func(ctx context.Context, s eval.Source, o eval.Options,
			take func(*recorded.Localization) error) error {
			return recorded.Localize(ctx, s, byRepo[s.Name], o, take)
		})
		if err != nil {
			return "", err
		}
		a.print(&out, &losses, fmt.Sprintf("%d issues", a.asked(aoa, "@1")))
	}
	a := texts{inputs: in}
	err := a.each(ctx, textHistories, func(ctx context.Context, s eval.Source, o eval.Options,
		take func(*recorded.Localization) error) error {
		return recorded.Subjects(ctx, s, o, recorded.LastQuarter, 1, messages, take)
	})
	if err != nil {
		return "", err
	}
	a.print(&out, &losses, fmt.Sprintf("%d messages", a.asked(aoa, "@1")))
	return out.String() + "\n" + losses.String(), nil
}

// texts are the answers about one kind of texts.
type texts struct {
	inputs
	table
	published bool // as published tables count: sources alone, all right files, and each text the same

	lists               sync.Mutex
	prompts, shown, hit int
}

type askTexts func(context.Context, eval.Source, eval.Options, func(*recorded.Localization) error) error

func (a *texts) each(ctx context.Context, names []string, ask askTexts) error {
	return recorded.Each(ctx, len(names), func(ctx context.Context, i int) error {
		s, err := recorded.History(ctx, a.repos, names[i])
		if err != nil {
			return err
		}
		c, err := openContents(ctx, s.Clone.Dir)
		if err != nil {
			return err
		}
		defer c.blobs.Close()
		o := eval.Options{Contents: true}
		if a.published && a.weights != "" {
			if err := without(&o, a.weights, s.Name); err != nil {
				return err
			}
		}
		err = ask(ctx, s, o, func(l *recorded.Localization) error { return a.take(ctx, c, l) })
		fmt.Fprintf(os.Stderr, "%s: %d texts\n", s.Name, a.prompts)
		return err
	})
}

// without sets weights that were fitted without a repository.
func without(o *eval.Options, dir, name string) error {
	data, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "+")+".json"))
	if err != nil {
		return err
	}
	texts, err := rank.ParseTexts(data)
	if err != nil {
		return err
	}
	o.Texts = &texts
	o.Models, err = rank.Parse(data)
	return err
}

// take asks all about one text.
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
	byTerms, byWords, err := c.found(ctx, l.Base, l.Text, counts)
	if err != nil {
		return err
	}
	repo := l.Repo
	if a.published {
		repo = "" // each issue counts the same
	}
	a.place(aoa, repo, a.at(ranked, truth))
	a.place(bm25, repo, a.at(byTerms, truth))
	a.place(ripgrep, repo, a.at(byWords, truth))
	return a.list(l)
}

// at is the place from 1 of the first right file, of the last one where all must be found; 0: not found.
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
func (a *texts) list(l *recorded.Localization) error {
	first, err := l.First()
	if err != nil {
		return err
	}
	q, c := recorded.FirstPrompt(l.Text, time.Time{}), prefetch.Shipped()
	predictions := c.Predictions(q, first, prefetch.Calibration{})
	named := slices.ContainsFunc(predictions, func(f prefetch.Prediction) bool { return f.Named })
	files, e := c.List.Choose(q, prefetch.Turn{Named: named}, predictions, nil)
	a.lists.Lock()
	defer a.lists.Unlock()
	a.prompts++
	if e.Says(prefetch.ListThreshold, prefetch.ListTokens, prefetch.Searching{}) {
		a.shown++
		if slices.ContainsFunc(files, func(f prefetch.Prediction) bool { return slices.Contains(l.Files, f.File) }) {
			a.hit++
		}
	}
	return nil
}

func (a *texts) print(out, losses *strings.Builder, name string) {
	for _, m := range []string{aoa, bm25, ripgrep} {
		out.WriteString(row(name, m, a.cell(m, "@1"), two(a.mean(m, "@3")), a.cell(m, "@5"), two(a.mean(m, "@10")),
			two(a.mean(m, "MRR"))))
	}
	if !a.published {
		fmt.Fprintf(losses, "Losses at @1: %s.\n\nLosses at @5: %s.\n\n", a.losses("@1", []string{bm25, ripgrep}),
			a.losses("@5", []string{bm25, ripgrep}))
	}
	fmt.Fprintf(losses, "As the first prompt of a session, of %s: a list at %d, with a right file in %d of these (%d %%).\n\n",
		name, a.shown, a.hit, 100*a.hit/max(a.shown, 1))
}
