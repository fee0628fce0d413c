// Command eval measures predictions on recorded sessions: in time order it predicts, then it learns.
//
//	go run ./scripts/eval -traces DIR [-repos CLONES] [-weights DIR] [-threshold P] [-commits] [-dump FILE] [-json]
//
// In come traces in the form that package recorded describes and, with -repos, clones of their repositories. Out goes the table
// of the measures that docs/evaluation.md defines, beside simple baselines: with -repos once without the contents of
// files, once with them.
package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// options are what the command line says.
type options struct {
	traces, repos, weights, dump string
	commits, json                bool
	threshold                    float64
}

func main() {
	var o options
	flag.StringVar(&o.traces, "traces", "",
		"folder with recorded sessions: NAME.jsonl[.gz] and NAME.commits.jsonl[.gz]")
	flag.StringVar(&o.repos, "repos", "", "folder with clones of the repositories; empty: contents are not known")
	flag.StringVar(&o.weights, "weights", "",
		"folder with weights in place of the shipped ones: OWNER+NAME.json, fitted without that repository (train fit -left)")
	flag.StringVar(&o.dump, "dump", "",
		"write every decision to this file, one JSON object a line (compressed if it ends in .gz)")
	flag.BoolVar(&o.commits, "commits", false, "histories only, without contents")
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.Float64Var(&o.threshold, "threshold", prefetch.Balanced, "probability in (0,1] from which files are shown")
	flag.Parse()
	if err := o.evaluate(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// answer is what -json prints: with contents if clones are there, and once more without.
type answer struct {
	*Report
	Without *Report `json:"without_contents,omitempty"`
}

func (o options) evaluate(ctx context.Context, to io.Writer) (err error) {
	if o.commits {
		o.repos = ""
	}
	sources, err := recorded.Sources(ctx, o.traces, o.repos)
	if err != nil {
		return err
	}
	for i, s := range sources {
		if s.Unusable > 0 {
			fmt.Fprintf(os.Stderr, "%s: %d lines are no rows of a trace, left out\n", s.Name, s.Unusable)
		}
		if o.commits {
			sources[i].Sessions = nil
		}
	}
	debug.SetGCPercent(400) // a replay makes much and keeps little: a seventh of its time
	with := settings{threshold: o.threshold, now: time.Now}
	if with.weights, err = weightsIn(o.weights, sources); err != nil {
		return err
	}
	var ans answer
	if o.repos != "" {
		if ans.Without, err = run(ctx, sources, with); err != nil {
			return err
		}
		with.contents = true
	}
	closeDump := func() error { return nil }
	if o.dump != "" {
		if with.dump, closeDump, err = createDump(o.dump); err != nil {
			return err
		}
	}
	ans.Report, err = run(ctx, sources, with)
	if err = errors.Join(err, closeDump()); err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(to)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(ans)
	}
	if ans.Without != nil {
		fmt.Fprintln(to, "without the contents of files:")
		ans.Without.Print(to)
		fmt.Fprintln(to, "\nwith the contents of files as of the last commit known at the time:")
	}
	ans.Print(to)
	return nil
}

// weightsIn reads the weights that a folder has for the sources, nil without a folder.
func weightsIn(dir string, sources []recorded.Source) (func(string) map[event.Task]rank.Model, error) {
	if dir == "" {
		return nil, nil
	}
	weights := map[string]map[event.Task]rank.Model{}
	for _, s := range sources {
		data, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(s.Name, "/", "+")+".json"))
		if err == nil {
			weights[s.Name], err = rank.Parse(data)
		}
		if err != nil {
			return nil, fmt.Errorf("read the weights of %s: %w", s.Name, err)
		}
	}
	return func(repo string) map[event.Task]rank.Model { return weights[repo] }, nil
}

// createDump makes the file for decisions. Paths and sessions are private.
func createDump(name string) (*dump, func() error, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(f)
		d := newDump(z)
		return d, func() error { return errors.Join(d.flush(), z.Close(), f.Close()) }, nil
	}
	d := newDump(f)
	return d, func() error { return errors.Join(d.flush(), f.Close()) }, nil
}
