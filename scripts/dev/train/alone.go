package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// aloneHistories are histories on which other weights were fitted, too.
const aloneHistories = begunHistories + ` App-vNext/Polly charmbracelet/bubbletea google/gson jekyll/jekyll axios/axios
	serde-rs/serde urfave/cli`

// Limits for the questions.
const (
	aloneCommits = 120 // commits that are asked about, of the second half of a history
	aloneLikely  = 30  // files of a question that come first by the weights without links
	// files that come first by commits in which few files changed, and files that come first by links
	aloneBy = 25
)

// aloneFacts are the facts of the weights for a single file. Fresh and Folder add nothing to Keeps
// and Sibling, and Small adds nothing to Sized.
var aloneFacts = []history.Fact{
	history.Always, history.Common, history.Lately, history.Name, history.Number, history.Sized,
	history.Keeps, history.Stem, history.Sibling, history.Calls, history.Path, history.Linked,
	history.Chance, history.Prose, history.Data,
}

// mostChance is the largest weight of the fact Chance. The fitted weight is higher (−.4), because
// files on which everybody works this week do change with any file now and then. But people ask for
// the files that belong to theirs. The limit costs .003 of the share among the first five.
const mostChance = -1.2

// aloneOf has the questions about one repository.
type aloneOf struct {
	Name      string
	Questions []aloneQuestion
}

// aloneQuestion asks which files change with one file of a commit.
type aloneQuestion struct {
	ID      string
	Others  int // number of the other files of the commit
	Counted int // how many of them are among the first five by counting
	Files   []aloneFile
}

type aloneFile struct {
	File  event.Path
	Used  bool
	Facts []float64 // the values of aloneFacts
	Plain float64   // log odds by the weights without links
}

// runAlone fits the weights for one file whose diff is not known. With -drop it fits them without
// some facts, to see what these are worth.
func runAlone(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("alone", flag.ExitOnError)
	repos := flags.String("repos", "", "folder of clones, called OWNER+NAME")
	out := flags.String("out", "internal/history/weights.json", "where the weights go; empty: nowhere")
	kept := flags.String("examples", "", "keep the questions in this file, or take them from it")
	drop := flags.String("drop", "", "facts that are left out, separated by spaces")
	_ = flags.Parse(args) // ExitOnError
	all, err := keptAlone(ctx, *kept, *repos, strings.Fields(aloneHistories))
	if err != nil {
		return err
	}
	var t recorded.Table
	dropped := strings.Fields(*drop)
	for part := range ownerParts {
		in := func(a *aloneOf) bool { return int(hashOfOwner(a.Name, "")%ownerParts) == part }
		w := fitAlone(all, dropped, func(a *aloneOf) bool { return !in(a) })
		for i := range all {
			if in(&all[i]) {
				all[i].measure(&t, w)
			}
		}
	}
	var file historyFile
	if *out != "" {
		if file, err = readHistoryFile(*out); err != nil {
			return err
		}
	}
	file.MeasuredAlone = map[string]float64{}
	for _, m := range []string{recorded.Own, "without links", "counting"} {
		file.MeasuredAlone[m] = round(t.Mean(m, "five"))
		fmt.Fprintln(os.Stderr, m, t.Cell(m, "five"), "log loss", round(t.Mean(m, "loss")))
	}
	fmt.Fprintln(os.Stderr, "promised → came true:", t.Promises(recorded.Own, "file"))
	file.Alone = *fitAlone(all, dropped, func(*aloneOf) bool { return true })
	if *out == "" {
		return nil
	}
	return write(*out, file)
}

// keptAlone asks about all histories, or takes the questions from a file.
func keptAlone(ctx context.Context, name, repos string, names []string) (all []aloneOf, err error) {
	if f, err := os.Open(name); err == nil {
		defer f.Close()
		return all, gob.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&all)
	}
	all = make([]aloneOf, len(names))
	err = recorded.EachHistory(ctx, repos, names, func(ctx context.Context, i int, s eval.Source) error {
		all[i].Name = names[i]
		err := recorded.AloneCommits(ctx, s, .5, aloneCommits, func(a *recorded.Alone) error {
			all[i].Questions = append(all[i].Questions, newAlone(a))
			return nil
		})
		fmt.Fprintf(os.Stderr, "%s: %d questions\n", names[i], len(all[i].Questions))
		return err
	})
	if err != nil || name == "" {
		return all, err
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return all, errors.Join(gob.NewEncoder(f).Encode(all), f.Close())
}

// newAlone makes a question of the files that come first by one of several orders.
func newAlone(a *recorded.Alone) aloneQuestion {
	q := aloneQuestion{ID: a.ID, Others: len(a.Others), Counted: a.Right(a.Counted)}
	plain := history.Shipped()
	found := a.Past.Evidence(a.Given)
	slices.SortFunc(found, func(a, b history.Evidence) int { return cmp.Compare(a.File, b.File) })
	by := func(most int, score func(*history.Facts) float64) {
		slices.SortStableFunc(found, func(a, b history.Evidence) int {
			return cmp.Compare(score(&b.Facts), score(&a.Facts))
		})
		for _, e := range found[:min(most, len(found))] {
			if slices.ContainsFunc(q.Files, func(f aloneFile) bool { return f.File == e.File }) {
				continue
			}
			f := aloneFile{File: e.File, Used: slices.Contains(a.Others, e.File)}
			x := e.Facts
			for _, k := range aloneFacts {
				f.Facts = append(f.Facts, x[k])
			}
			x[history.Alone] = history.AloneOf(true, plain.Z(&x))
			f.Plain = plain.LogOdds(&x)
			q.Files = append(q.Files, f)
		}
	}
	by(aloneLikely, plain.Z)
	by(aloneBy, func(x *history.Facts) float64 { return x[history.Common] + x[history.Sized] })
	by(aloneBy, func(x *history.Facts) float64 {
		return x[history.Stem] + x[history.Sibling] + x[history.Calls] + x[history.Path] + x[history.Linked] + x[history.Name]
	})
	return q
}

func (f *aloneFile) facts() (x history.Facts) {
	for i, k := range aloneFacts {
		x[k] = f.Facts[i]
	}
	return x
}

// fitAlone fits the weights on the repositories for which in is true, each counting the same.
func fitAlone(all []aloneOf, drop []string, in func(*aloneOf) bool) *history.Weights {
	w := &history.Weights{Best: 1}
	each := func(features func(*history.Facts) []float64) (rows []row) {
		for i := range all {
			for _, q := range all[i].Questions {
				for _, f := range q.Files {
					if x := f.facts(); in(&all[i]) {
						rows = append(rows, newRow(features(&x), f.Used, 2*aloneCommits/float64(len(all[i].Questions))))
					}
				}
			}
		}
		return rows
	}
	for k, v := range ridged(int(history.Others), each(func(x *history.Facts) []float64 {
		out := slices.Clone(x[:history.Others])
		for _, k := range aloneFacts {
			if slices.Contains(drop, k.String()) {
				out[k] = 0
			}
		}
		return out
	})) {
		w.Pair[k] = round(v)
	}
	w.Pair[history.Chance] = min(w.Pair[history.Chance], mostChance)
	t := ridged(4, each(func(x *history.Facts) []float64 {
		z := w.Z(x)
		return []float64{1, z, max(0, z-history.Bends[0]), max(0, z-history.Bends[1])}
	}))
	w.Bias, w.Best, w.Low, w.High = round(t[0]), round(t[1]), round(t[2]), round(t[3])
	return w
}

// measure counts the share of the other files among the first five.
func (a *aloneOf) measure(t *recorded.Table, w *history.Weights) {
	for i := range a.Questions {
		q := &a.Questions[i]
		add := func(m string, right int) {
			if q.Others > 0 {
				t.Add(m, "five", a.Name, q.ID, float64(right)/float64(q.Others), 1)
			}
		}
		add("counting", q.Counted)
		for m, score := range map[string]func(*aloneFile) float64{
			recorded.Own:    func(f *aloneFile) float64 { x := f.facts(); return w.LogOdds(&x) },
			"without links": func(f *aloneFile) float64 { return f.Plain }} {
			files := slices.Clone(q.Files)
			slices.SortStableFunc(files, func(a, b aloneFile) int { return cmp.Compare(score(&b), score(&a)) })
			right := 0
			for k, f := range files {
				p := sigmoid(score(&f))
				t.Add(m, "loss", a.Name, q.ID, loss(p, f.Used), 1)
				if k < 5 {
					t.Promise(m, "file", a.Name, q.ID, p, f.Used)
					right += int(truth(f.Used))
				}
			}
			add(m, right)
		}
	}
}
