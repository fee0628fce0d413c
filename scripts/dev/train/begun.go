package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// begunHistories are histories on which other weights were fitted, too.
const begunHistories = `pallets/flask spf13/cobra junegunn/fzf fastapi/fastapi tokio-rs/axum laravel/framework
	psf/requests pytest-dev/pytest square/okhttp psf/black composer/composer sveltejs/svelte libuv/libuv
	serilog/serilog mockito/mockito gin-gonic/gin encode/httpx sharkdp/bat prometheus/prometheus scrapy/scrapy
	jesseduffield/lazygit ktorio/ktor clap-rs/clap restic/restic`

// Limits for the questions.
const (
	begunCommits = 60 // commits of a history that are asked about
	begunFiles   = 40 // of each side, the best files are used for fitting, with all files that are right
)

// begunOf has the questions about one repository.
type begunOf struct {
	name      string
	questions [][]recorded.BegunFile
	others    []int
}

// runBegun fits the weights of changes that have begun.
func runBegun(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("begun", flag.ExitOnError)
	repos := flags.String("repos", "", "folder of clones, called OWNER+NAME")
	out := flags.String("out", "prefetch/begun.json", "where the weights go")
	_ = flags.Parse(args) // ExitOnError
	names := strings.Fields(begunHistories)
	all := make([]begunOf, len(names))
	err := recorded.EachHistory(ctx, *repos, names, func(ctx context.Context, i int, s eval.Source) error {
		all[i].name = names[i]
		err := recorded.BegunCommits(ctx, s, recorded.Options{Contents: true}, begunCommits, func(b *recorded.Begun) error {
			files, err := b.Files(ctx)
			all[i].questions, all[i].others = append(all[i].questions, files), append(all[i].others, len(b.Others))
			return err
		})
		fmt.Fprintf(os.Stderr, "%s: %d questions\n", names[i], len(all[i].questions))
		return err
	})
	if err != nil {
		return err
	}
	var t recorded.Table
	for part := range ownerParts {
		in := func(b *begunOf) bool { return int(hashOfOwner(b.name, "")%ownerParts) == part }
		w := fitBegun(all, func(b *begunOf) bool { return !in(b) })
		for i := range all {
			if in(&all[i]) {
				all[i].measure(&t, w)
			}
		}
	}
	file := struct {
		origin
		Weights map[string]float64 `json:"weights"` // by the names in prefetch.BegunSignals
	}{origin{About: "Fitted by scripts/dev/train on commits of which the message and one source " +
		"are given, each repository counting the same; measured is the share of the other files among the first five: " +
		"of weights fitted without the owner, of the text alone and of the file alone.", Command: "make train",
		Measured: map[string]float64{}}, map[string]float64{}}
	for i, w := range fitBegun(all, func(*begunOf) bool { return true }) {
		file.Weights[prefetch.BegunSignals[i]] = w
	}
	for _, m := range []string{"both", "text", "file"} {
		file.Measured[m] = round(t.Mean(m, "five"))
		fmt.Fprintf(os.Stderr, "%s %s\n", m, t.Cell(m, "five"))
	}
	fmt.Fprintln(os.Stderr, "promised → came true:", t.Promises("both", "work"))
	return write(*out, file)
}

// fitBegun fits the weights on the repositories for which in is true.
func fitBegun(all []begunOf, in func(*begunOf) bool) *prefetch.Begun {
	var rows []row
	for i := range all {
		b := &all[i]
		if !in(b) {
			continue
		}
		for _, files := range b.questions {
			teach := slices.Concat(bestOf(files, byText)[:min(begunFiles, len(files))],
				bestOf(files, byFile)[:min(begunFiles, len(files))])
			seen := map[string]bool{}
			for _, f := range teach {
				if !seen[string(f.File)] {
					seen[string(f.File)] = true
					x := prefetch.BegunValues(f.File, f.Text, f.Beside)
					rows = append(rows, newRow(x[:], f.Used, begunCommits/float64(len(b.questions))))
				}
			}
		}
	}
	var w prefetch.Begun
	for i, fitted := range ridged(len(w), rows) {
		w[i] = round(fitted)
	}
	return &w
}

func byText(f *recorded.BegunFile) float64 { return lowest(f.Text) }
func byFile(f *recorded.BegunFile) float64 { return lowest(f.Beside) }

// lowest orders files that are not known after all others.
func lowest(logit float64) float64 {
	if math.IsNaN(logit) {
		return math.Inf(-1)
	}
	return logit
}

// bestOf returns the files in the order of a score, the best first.
func bestOf(files []recorded.BegunFile, score func(*recorded.BegunFile) float64) []recorded.BegunFile {
	out := slices.Clone(files)
	slices.SortStableFunc(out, func(a, b recorded.BegunFile) int {
		switch x, y := score(&a), score(&b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(string(a.File), string(b.File))
	})
	return out
}

// measure counts the share of the other files among the first five.
func (b *begunOf) measure(t *recorded.Table, w *prefetch.Begun) {
	both := func(f *recorded.BegunFile) float64 { return w.LogOdds(prefetch.BegunValues(f.File, f.Text, f.Beside)) }
	for i, files := range b.questions {
		for m, score := range map[string]func(*recorded.BegunFile) float64{"both": both, "text": byText, "file": byFile} {
			right := 0.0
			for _, f := range bestOf(files, score)[:min(5, len(files))] {
				right += truth(f.Used)
				if m == "both" {
					t.Promise(m, "work", b.name, fmt.Sprint(i), sigmoid(both(&f)), f.Used)
				}
			}
			t.Add(m, "five", b.name, fmt.Sprint(i), right/float64(b.others[i]), 1)
		}
	}
}
