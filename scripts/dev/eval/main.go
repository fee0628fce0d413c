// Command eval measures predictions on recorded sessions. It replays them in time order, and
// predicts each step before it learns it.
//
//	go run ./scripts/dev/eval -traces DIR [-repos CLONES] [-weights DIR] [-threshold P] [-json]
//	        [-beside FILE]
//
// It reads traces in the form that package recorded describes, clones of their repositories
// (without them the contents of files are not known), and weights OWNER+NAME.json that were fitted
// without that repository (train fit -left). It prints the table of docs/dev/benchmarks.md: the
// measures that docs/dev/evaluation.md defines, with those of simple rules. -json also prints the
// sums of each session and repository; -beside compares with the output of an earlier -json.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// options are the options of the command line.
type options struct {
	traces, repos, weights, beside string
	json                           bool
	threshold                      float64
}

func main() {
	var o options
	flag.StringVar(&o.traces, "traces", "", "folder with recorded sessions: NAME.jsonl[.gz] and NAME.commits.jsonl[.gz]")
	flag.StringVar(&o.repos, "repos", "", "folder with clones of the repositories")
	flag.StringVar(&o.weights, "weights", "", "folder with weights in place of the shipped ones")
	flag.StringVar(&o.beside, "beside", "", "file that -json printed earlier: print the paired differences")
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.Float64Var(&o.threshold, "threshold", prefetch.Balanced, "probability in (0,1] from which files are shown")
	flag.Parse()
	// A replay allocates much memory and keeps little of it. This saves a seventh of its time.
	debug.SetGCPercent(400)
	if err := o.evaluate(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func (o options) evaluate(ctx context.Context, to io.Writer) error {
	sources, err := recorded.Sources(ctx, o.traces, o.repos)
	if err != nil {
		return err
	}
	t, err := o.run(ctx, sources)
	switch {
	case err != nil:
		return err
	case o.json:
		return t.Write(to)
	case o.beside != "":
		return t.Compare(to, o.beside)
	}
	_, err = io.WriteString(to, page(t, o.weights != ""))
	return err
}

// run evaluates the sessions of every source, several at once.
func (o options) run(ctx context.Context, sources []recorded.Source) (*recorded.Table, error) {
	sources = slices.DeleteFunc(sources, func(s recorded.Source) bool { return len(s.Sessions) == 0 })
	t := &recorded.Table{}
	return t, recorded.Each(ctx, len(sources), func(ctx context.Context, i int) error {
		src := sources[i]
		if src.Unusable > 0 {
			fmt.Fprintf(os.Stderr, "%s: %d lines are not rows of a trace and were left out\n", src.Name, src.Unusable)
		}
		replay, err := recorded.Weights(recorded.Options{Contents: o.repos != ""}, o.weights, src.Name)
		if err != nil {
			return err
		}
		s := &score{Table: t, repo: src.Name, rules: recorded.NewRules(), shown: newShown(o.threshold)}
		replay.Learned = s.rules.Learn
		return recorded.Sessions(ctx, src, replay, s.take)
	})
}

// page returns the table for docs/dev/benchmarks.md.
func page(t *recorded.Table, left bool) string {
	var out strings.Builder
	measures := []string{"T2 hit1", "T2 hit3", "T2 hit5", "T3 hit1", "T3 hit3", "T3 hit5", "T1 any5", "T1 recall10"}
	out.WriteString(recorded.Line("", "not seen yet: @1", "@3", "@5", "seen before: @1", "@3", "@5",
		"at a prompt: any of the first 5", "recall of 10"))
	out.WriteString(recorded.Line(slices.Repeat([]string{"---"}, 1+len(measures))...))
	for _, method := range append([]string{recorded.Own}, recorded.RuleNames...) {
		cells := []string{method}
		for _, m := range measures {
			cell := recorded.Two(t.Mean(method, m))
			if method == recorded.Own {
				cells[0], cell = "**aOa**", t.Cell(method, m)
			}
			cells = append(cells, cell)
		}
		out.WriteString(recorded.Line(cells...))
	}
	own := func(m string) string { return recorded.Two(t.Mean(recorded.Own, m)) }
	n := func(m string) int { return t.N(recorded.Own, m) }
	weights := "the shipped weights, which these sessions may have taught"
	if left {
		weights = "weights that were fitted without the repository"
	}
	fmt.Fprintf(&out, "\nMeans of %d repositories with %d opens of unseen files, %d of seen files and %d prompts, "+
		"with %s.\n\n",
		len(t.Repos(recorded.Own, "T1 any5")), n("T2 hit1"), n("T3 hit1"), n("T1 any5"), weights)
	fmt.Fprintf(&out, "After a search that found no file: @1 %s, @5 %s (%d searches). After one that found more than "+
		"30: @1 %s, @5 %s (%d).\n\n",
		own("T6 hit1"), own("T6 hit5"), n("T6 hit1"), own("T6 much hit1"), own("T6 much hit5"), n("T6 much hit1"))
	fmt.Fprintf(&out, "Of the %[2]d such searches whose turn opens files, %[1]s get a list; %[3]s of these lists have a "+
		"right file (%[4]s of their lines). Of the other searches, %[5]s get a list.\n\n", own("search lists shown"),
		n("search lists shown"), own("search lists right"),
		own("search lists lines"), own("search lists others"))
	fmt.Fprintf(&out, "Of the %[2]d prompts whose turn opens files, %[1]s get a list; %[3]s of these lists have a right "+
		"file (%[4]s of their lines). Of the other prompts, %[5]s get a list. %[6]d single files are shown; %[7]s of them "+
		"are right.\n\n", own("lists shown"), n("lists shown"), own("lists right"),
		own("lists lines"), own("lists others"), n("shown right"), own("shown right"))
	for _, at := range []prefetch.Situation{prefetch.FirstTask, prefetch.Asks, prefetch.Later, prefetch.Agrees} {
		of := "lists at " + string(at)
		fmt.Fprintf(&out, "Lists at prompts of the kind %q: for %s of %d, %s of these lists right; for %s of %d whose "+
			"turn opens nothing.\n\n", at,
			own(of+" shown"), n(of+" shown"), own(of+" right"), own(of+" others"), n(of+" others"))
	}
	fmt.Fprintf(&out, "Promised → came true (how many files): %s. ECE by repository: %.3f.\n\n",
		t.Promises(recorded.Own, ofFiles), t.ECE(recorded.Own, ofFiles))
	for _, m := range measures {
		if strings.HasSuffix(m, "hit5") || strings.HasSuffix(m, "any5") {
			fmt.Fprintf(&out, "Repositories in which a simple rule is better, %s: %s.\n\n", m, t.Losses(m))
		}
	}
	return out.String()
}
