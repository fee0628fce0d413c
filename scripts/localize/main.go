// Command localize measures how well the ranking finds the files that a text means, without a session.
//
//	go run ./scripts/localize -repos CLONES [-issues FILE] [-histories FILE] [-branches FILE] [-most N]
//
// In come clones (OWNER+NAME or OWNER/NAME), a file of issues (one JSON object a line: id, repo, base, text, files), or
// a file of names of repositories, of which the commit messages of the last quarter of the history are asked. Out goes
// a table: of how many texts one of the right files was among the first 1, 3, 5 and 10. Each text is asked at its
// commit, with the files of that commit and the history before it. Of an issue only sources that are no tests count, in
// the answer and in the truth. The last line is about the list that aOa would show if the text were the first prompt of
// a session.
//
// Of a file of -branches, the branches that the last quarter of each history merged are asked, before their first
// commit and before a later one: which files will the next commit change? Then the table is about questions that say
// nothing (`aoa suggest` in a clean checkout), beside the rule "the newest files of the branch first", with what was
// promised and what came true; and about the message of the commit, as a text and as the first prompt of a session,
// with and without knowing the branch.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

func main() {
	repos := flag.String("repos", "", "folder of clones")
	issues := flag.String("issues", "", "file of issues")
	histories := flag.String("histories", "", "file of names of repositories")
	branches := flag.String("branches", "", "file of names of repositories, of which branches are asked")
	most := flag.Int("most", 40, "commit messages, or branches, of a repository")
	flag.Parse()
	run := func(ctx context.Context) error { return run(ctx, *repos, *issues, *histories, *most) }
	if *branches != "" {
		run = func(ctx context.Context) error { return runBranches(ctx, *repos, *branches, *most) }
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "localize:", err)
		os.Exit(1)
	}
}

// job is a repository to be measured.
type job struct {
	name    string
	sources bool // only programs that are no tests count
	ask     func(ctx context.Context, s eval.Source, take func(*recorded.Localization) error) error
}

func run(ctx context.Context, repos, issues, histories string, most int) error {
	var jobs []job
	if issues != "" {
		all, err := recorded.Instances(issues)
		if err != nil {
			return err
		}
		by := map[string][]recorded.Instance{}
		for _, i := range all {
			by[i.Repo] = append(by[i.Repo], i)
		}
		for name, some := range by {
			jobs = append(jobs, job{name, true, func(ctx context.Context, s eval.Source,
				take func(*recorded.Localization) error) error {
				return recorded.Localize(ctx, s, some, eval.Options{Contents: true}, take)
			}})
		}
	}
	if histories != "" {
		names, err := os.ReadFile(histories)
		if err != nil {
			return err
		}
		for name := range strings.FieldsSeq(string(names)) {
			jobs = append(jobs, job{name, false, func(ctx context.Context, s eval.Source,
				take func(*recorded.Localization) error) error {
				return recorded.Subjects(ctx, s, eval.Options{Contents: true}, recorded.LastQuarter, 1, most, take)
			}})
		}
	}
	t := table{repos: map[string]*hits{}, langs: map[string]*hits{}}
	err := recorded.Each(ctx, len(jobs), func(ctx context.Context, i int) error {
		s, err := recorded.History(ctx, repos, jobs[i].name)
		if err != nil {
			return err
		}
		return jobs[i].ask(ctx, s, func(l *recorded.Localization) error { return t.take(l, jobs[i].sources) })
	})
	t.print()
	return err
}

// hits counts texts and those with a right file among the first.
type hits struct {
	n  int
	at [4]int
}

var firsts = [4]int{1, 3, 5, 10}

// table adds up by repository and by language. It may be shared.
type table struct {
	mu    sync.Mutex
	repos map[string]*hits
	langs map[string]*hits
	all   hits

	prompts, shown, right int // of lists at first prompts
}

// take counts one text. sources: only programs that are no tests count.
func (t *table) take(l *recorded.Localization, sources bool) error {
	counts := func(p event.Path) bool { return !sources || index.KindOf(p) == index.KindSource }
	truth := slices.DeleteFunc(slices.Clone(l.Files), func(p event.Path) bool { return !counts(p) })
	if len(truth) == 0 {
		return nil
	}
	place, at := 0, 0
	for _, r := range l.Ranked {
		if counts(r.File) {
			if place++; slices.Contains(truth, r.File) {
				at = place
				break
			}
		}
	}
	shown, right, err := list(l)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prompts++
	if shown {
		t.shown++
	}
	if shown && right {
		t.right++
	}
	for _, h := range []*hits{&t.all, counter(t.repos, l.Repo), counter(t.langs, truth[0].Ext())} {
		h.add(at)
	}
	return nil
}

// add counts a question whose first right file stands at a place from 1, 0 if none does.
func (h *hits) add(at int) {
	h.n++
	for i, first := range firsts {
		if at > 0 && at <= first {
			h.at[i]++
		}
	}
}

// list says whether a list is shown at the text as a session's first prompt, and whether it names a right file.
func list(l *recorded.Localization) (shown, right bool, err error) {
	first, err := l.First()
	if err != nil {
		return false, false, err
	}
	q, c := recorded.FirstPrompt(l.Text, time.Time{}), prefetch.Shipped()
	predictions := c.Predictions(q, first, prefetch.Calibration{})
	named := slices.ContainsFunc(predictions, func(f prefetch.Prediction) bool { return f.Named })
	files, e := c.List.Choose(q, prefetch.Turn{Named: named}, predictions, nil)
	right = slices.ContainsFunc(files, func(f prefetch.Prediction) bool { return slices.Contains(l.Files, f.File) })
	return e.Says(prefetch.ListThreshold, prefetch.ListTokens, prefetch.Searching{}), right, nil
}

func counter(m map[string]*hits, key string) *hits {
	if m[key] == nil {
		m[key] = &hits{}
	}
	return m[key]
}

func (t *table) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	line := func(name string, h *hits) {
		fmt.Fprintf(w, "%s\t%d", name, h.n)
		for _, k := range h.at {
			fmt.Fprintf(w, "\t%.3f", float64(k)/float64(max(h.n, 1)))
		}
		fmt.Fprintln(w)
	}
	part := func(title string, m map[string]*hits) {
		fmt.Fprintf(w, "%s\ttexts\t@1\t@3\t@5\t@10\n", title)
		names := make([]string, 0, len(m))
		for name := range m {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			line(name, m[name])
		}
		fmt.Fprintln(w, "\t\t\t\t\t")
	}
	part("repository", t.repos)
	part("language", t.langs)
	line("all", &t.all)
	w.Flush()
	fmt.Printf("as the first prompt of a session: a list at %d of %d, with a right file in %d\n", t.shown, t.prompts,
		t.right)
}
