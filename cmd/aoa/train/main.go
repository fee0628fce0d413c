// Command train fits the weights that aOa ships with, from recorded sessions.
//
//	go run ./cmd/aoa/train -traces DIR -repos CLONES -out rank/weights.json
//
// In come traces in the form of docs/evaluation.md and clones of their repositories, out goes rank/weights.json: the
// weights, the calibration, and what was measured with weights that had not seen the repository measured on. It asks
// the questions of `aoa eval` through the same learn, hot and rank, so it costs one evaluation and some minutes. Equal
// input gives the same file to the digit: nothing is drawn at random, and sums are made in a fixed order.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/aoa-dev/aoa/cmd/aoa/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

func main() {
	traces := flag.String("traces", "", "folder of traces")
	repos := flag.String("repos", "", "folder of clones, OWNER+NAME or OWNER/NAME each; empty: contents are not known")
	out := flag.String("out", "rank/weights.json", "where the weights go")
	kept := flag.String("examples", "", "keep the examples in this file, or take them from it: fitting again takes seconds")
	change := flag.Bool("change", false, "fit the weights of changes too; else those of -out stay as they are")
	ablate := flag.Bool("ablate", false, "print what the table loses without each group of signals, and write nothing")
	flag.Parse()
	if err := train(context.Background(), *traces, *repos, *out, *kept, *change, *ablate); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func train(ctx context.Context, traces, repos, out, kept string, change, ablate bool) error {
	set, err := keptExamples(kept)
	if err != nil {
		return err
	}
	if set == nil {
		if set, err = gather(ctx, traces, repos); err != nil {
			return err
		}
		if err := keep(kept, set); err != nil {
			return err
		}
	}
	if !change {
		if set.change, err = before(out); err != nil {
			return err
		}
	}
	if ablate {
		return ablation(set)
	}
	file := fitAll(set)
	data, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(data, '\n'), 0o644)
}

// before returns the weights of changes in a file of weights.
func before(name string) (*rank.FileModel, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%w: with -change no file of weights is needed", err)
	}
	var f rank.File
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	m, known := f.Tasks[event.TaskChange]
	if !known {
		return nil, fmt.Errorf("%s: no weights of changes", name)
	}
	return &m, nil
}

// sources reads the traces and completes them from the clones that are there.
func sources(ctx context.Context, traces, repos string) ([]eval.Source, error) {
	all, err := eval.Traces(traces)
	if err != nil || repos == "" {
		return all, err
	}
	for i, s := range all {
		if dir := eval.CloneOf(repos, s.Name); dir != "" {
			if err := all[i].Clone(ctx, dir, os.Environ()); err != nil {
				return nil, fmt.Errorf("read %s: %w", dir, err)
			}
		}
	}
	return all, nil
}
