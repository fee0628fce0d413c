package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

func runCalibrate(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("calibrate", flag.ExitOnError)
	traces := flags.String("traces", "", "folder of traces")
	repos := flags.String("repos", "", "folder of clones, called OWNER+NAME")
	weights := flags.String("weights", "",
		"folder of weights fitted without the owner of each repository, called OWNER+NAME.json (fit -left); empty: the "+
			"shipped ones, whose promises are too good on what they have seen")
	out := flags.String("out", "prefetch/confidence.json", "where the result goes")
	_ = flags.Parse(args) // ExitOnError
	return calibrate(ctx, *traces, *repos, *weights, *out)
}

func calibrate(ctx context.Context, traces, repos, weights, out string) error {
	if err := refuseJudges(traces, strings.Fields(histories)...); err != nil {
		return err
	}
	found, err := learnAll(ctx, traces, repos, weights)
	if err != nil {
		return err
	}
	file := prefetch.File{
		About: "Fitted by scripts/train on recorded sessions of agents in public repositories, each ranked with weights that had not seen it, " +
			"on their histories, and on the last quarters of public histories (scripts/train/histories.txt); measured is the log loss, and the calibration error, on " +
			"repositories left out of the fit.",
		Command:    "make train",
		Measured:   measurePromises(found),
		Confidence: confidence(promises(found, nobody)),
	}
	file.Confidence.List = lists(found, &file.Confidence, nobody)
	return write(out, file)
}

func learnAll(ctx context.Context, traces, repos, weights string) ([]lessons, error) {
	sources, err := withHistories(ctx, traces, repos)
	if err != nil {
		return nil, err
	}
	found := make([]lessons, len(sources))
	return found, recorded.Each(ctx, len(sources), func(ctx context.Context, i int) error {
		err := found[i].learn(ctx, sources[i], weights)
		fmt.Fprintf(os.Stderr, "%s: %d promises\n", sources[i].Name, len(found[i].promises))
		return err
	})
}

// withHistories reads the traces with their clones, and the histories of the repositories without one.
func withHistories(ctx context.Context, traces, repos string) ([]eval.Source, error) {
	traced, err := recorded.Sources(ctx, traces, repos)
	if err != nil {
		return nil, err
	}
	var out []eval.Source
	for _, s := range traced {
		out = append(out, s.Source)
	}
	for name := range strings.FieldsSeq(histories) {
		s, err := recorded.History(ctx, repos, name)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// lessons are what one repository teaches.
type lessons struct {
	Name     string
	promises []example
	rights   []example // of lists, see lists
	prompts  []prompted
}

// example is one row of a regression.
type example struct {
	x    []float64
	p    float64 // as ranked
	used bool
}

// learn replays one repository.
func (l *lessons) learn(ctx context.Context, s eval.Source, weights string) error {
	l.Name = s.Name
	o := eval.Options{Contents: true}
	if len(s.Sessions) > 0 {
		o, err := recorded.Weights(o, weights, s.Name)
		if err != nil {
			return err
		}
		best := map[string]float64{} // session and file → its highest score in a top five
		return eval.Sessions(ctx, s, o, func(d *eval.Decision) error {
			l.promise(d, best)
			if d.Query.Task == event.TaskPrompt {
				l.prompt(d)
			}
			return nil
		})
	}
	return recorded.Subjects(ctx, s, o, recorded.LastQuarter, 1, mostTexts,
		func(t *recorded.Localization) error { l.text(t); return nil })
}

// promise keeps files of a top five that never stood as high in their session: what is shown is shown then.
func (l *lessons) promise(d *eval.Decision, best map[string]float64) {
	if d.Query.Task == event.TaskNext && d.AfterPrompt {
		return // the prompt was asked at
	}
	for i, c := range prefetch.FileFeaturesOf(d.Query, d.Ranked[:min(len(d.Ranked), 192)]) {
		if i == prefetch.MaxFiles {
			break
		}
		f := d.Ranked[i]
		key := d.Session + "\x00" + string(f.File)
		if f.Score < .05 || f.Score <= best[key] {
			continue
		}
		best[key] = f.Score
		l.promises = append(l.promises, example{numbers(c), f.Score, d.Used[f.File]})
	}
}

// mostTexts is how many commit messages of a history teach, of its last quarter, which taught no weights.
const mostTexts = 40

// text keeps the files of a top five for a commit message.
func (l *lessons) text(t *recorded.Localization) {
	q := event.Query{Task: event.TaskPrompt, Prompt: t.Text}
	for i, c := range prefetch.FileFeaturesOf(q, t.Ranked) {
		if i == prefetch.MaxFiles {
			break
		}
		l.promises = append(l.promises, example{numbers(c), t.Ranked[i].Score, slices.Contains(t.Files, t.Ranked[i].File)})
	}
}
