// Command train fits what aOa ships with, from recorded sessions: weights and confidence. `make
// train` runs all of it.
//
//	go run ./scripts/dev/train fit -traces DIR -repos CLONES -out rank/weights.json
//	go run ./scripts/dev/train calibrate -traces DIR -repos CLONES -weights DIR
//	go run ./scripts/dev/train signals -examples FILE -most N
//
// It reads traces in the form that package recorded describes, and clones of their repositories.
// fit writes the weights, their scales, and what was measured with weights that had not seen the
// repository measured on. calibrate writes what turns a ranking into a probability
// (prefetch.Confidence). Both ask the questions of scripts/dev/eval through the same learn, hot and
// rank, so each costs one evaluation and some minutes. signals prints, from what fit kept, what
// each signal is worth. Equal input gives the same file to the digit: nothing is drawn at random,
// and sums are made in a fixed order.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

func main() {
	commands := map[string]func(ctx context.Context, args []string) error{"fit": runFit, "calibrate": runCalibrate,
		"changes": runChanges, "begun": runBegun, "alone": runAlone, "signals": runSignals}
	var name string
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	run, known := commands[name]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: train fit|calibrate|changes|begun|signals [flags]")
		os.Exit(64)
	}
	if err := run(context.Background(), os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func runFit(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("fit", flag.ExitOnError)
	flags.StringVar(&o.traces, "traces", "", "folder of traces")
	flags.StringVar(&o.repos, "repos", "",
		"folder of clones, OWNER+NAME or OWNER/NAME each; empty: contents are not known")
	flags.StringVar(&o.out, "out", "rank/weights.json", "where the weights go")
	flags.StringVar(&o.measured, "measured", "rank/measured.json", "where the results on repositories left out go")
	flags.StringVar(&o.kept, "examples", "",
		"keep the examples in this file, or take them from it: fitting again takes seconds")
	flags.StringVar(&o.issues, "issues", "",
		"file of issues with their files; empty: long commit messages teach alone")
	flags.StringVar(&o.left, "left", "", "folder where the weights fitted without the owner of each repository go, "+
		"for calibrate")
	_ = flags.Parse(args) // ExitOnError
	if err := refuseJudges(o.traces, strings.Fields(histories)...); err != nil {
		return err
	}
	return o.fit(ctx)
}

// options are the options of the command line.
type options struct {
	traces, repos, issues, out, measured, kept, left string
}

func (o options) fit(ctx context.Context) error {
	unfitted := plain()
	asked := recorded.Options{Models: curious(), Texts: &unfitted, Contents: true}
	fits, err := o.keep(".fits", func() (*set, error) { return texts(ctx, o.repos, o.issues, asked, fitsOf) })
	if err != nil {
		return err
	}
	fits.Signals = rank.TextSignalNames()
	words := fitTexts(fits, everything)
	asked.Texts = newTexts(words)
	ranked, err := o.keep(".texts", func() (*set, error) { return texts(ctx, o.repos, o.issues, asked, rankedOf) })
	if err != nil {
		return err
	}
	sessions, err := o.keep(".sessions", func() (*set, error) { return gather(ctx, o.traces, o.repos, asked) })
	if err != nil {
		return err
	}
	ranked.Signals = rank.SignalNames()
	all, fitted := leaveOneOut(sessions)
	file, measured := fileOf(sessions, all), measureLeft(sessions, fitted)
	file.Texts = textWeights(words)
	maps.Copy(file.Tasks, fitMessages(ranked))
	named, err := o.keep(".branches", func() (*set, error) { return branches(ctx, o.repos, asked) })
	if err != nil {
		return err
	}
	maps.Copy(file.Tasks, fitBranches(named))
	weighBranch(named, file.Tasks)
	measureTexts(fits, ranked, measured)
	if err := o.leave(sessions, fitted, file); err != nil {
		return err
	}
	if err := write(o.measured, measured); err != nil {
		return err
	}
	return write(o.out, file)
}

func everything(int) bool { return true }

// keep gathers a set, or reads it from the file of examples.
func (o options) keep(part string, make func() (*set, error)) (*set, error) {
	name := o.kept
	if name != "" {
		name += part
	}
	s, err := keptExamples(name)
	if s != nil && err == nil {
		err = refuseJudges(o.traces, s.Repos...)
	}
	if s != nil || err != nil {
		return s, err
	}
	if s, err = make(); err != nil {
		return nil, err
	}
	return s, keep(name, s)
}

// leave writes the weights that were fitted without each repository.
func (o options) leave(s *set, fitted []*weights, all rankFile) error {
	if o.left == "" {
		return nil
	}
	for repo, name := range s.Repos {
		f := fitted[repo].file(s)
		f.Texts = all.Texts
		for _, task := range []event.Task{taskText, taskIssue, taskBranch, taskName} {
			f.Tasks[task] = all.Tasks[task]
		}
		if err := write(filepath.Join(o.left, strings.ReplaceAll(name, "/", "+")+".json"), f); err != nil {
			return err
		}
	}
	return nil
}

// origin says how a file of weights was made.
type origin struct {
	About    string             `json:"about"`
	Command  string             `json:"command"`
	Measured map[string]float64 `json:"measured,omitempty"`
}

func write(name string, f any) error {
	data, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o644)
}
