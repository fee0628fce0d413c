package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes the table for people.
func (r *Report) Print(w io.Writer) {
	for _, repo := range r.Repos {
		c := repo.Counts
		if c.Sessions == 0 {
			fmt.Fprintf(w, "%s: %d commits\n", repo.Name, c.Commits)
			printTasks(w, repo.Tasks, repo.Baselines, nil)
			continue
		}
		fmt.Fprintf(w, "%s: %d sessions, %d file events, %d opens (%d named by a prompt or a command, "+
			"left out of T2 and T3), %d new files, %d commits\n",
			repo.Name, c.Sessions, c.Events, c.Opens, c.LeftOut, c.Created, c.Commits)
		printTasks(w, repo.Tasks, repo.Baselines, nil)
	}
	if len(r.Repos) > 1 {
		fmt.Fprintf(w, "mean of %d repositories, with 95 %% intervals\n", len(r.Repos))
		printTasks(w, r.Macro.Tasks, r.Macro.Baselines, r.Macro.Intervals)
	}
	r.printLosses(w)
	fmt.Fprintf(w, "one ranking: median %.2f ms, 99 %% within %.2f ms\n", r.Latency.P50, r.Latency.P99)
}

func printTasks(w io.Writer, t Tasks, baselines map[string]Tasks, in map[string]map[string][2]float64) {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	columns := columnsOf(t)
	line := func(name string, cells func(column) []string) {
		fmt.Fprint(tw, "  "+name)
		for _, c := range columns {
			for _, cell := range cells(c) {
				fmt.Fprint(tw, "\t"+cell)
			}
		}
		fmt.Fprintln(tw)
	}
	row := func(name string, t Tasks) { line(name, func(c column) []string { return c.cells(t) }) }
	line("", func(c column) []string { return c.head })
	row("aOa", t)
	if in != nil {
		line("", func(c column) []string {
			out := []string{""}
			for _, name := range c.metrics {
				if i, ok := in[c.task][name]; ok {
					out = append(out, fmt.Sprintf("%s–%s", two(i[0]), two(i[1])))
				} else {
					out = append(out, "–")
				}
			}
			return out
		})
	}
	for _, b := range names {
		if bt, ok := baselines[b]; ok {
			row(b, bt)
		}
	}
	tw.Flush()
	var lines []string
	for _, h := range []struct {
		name string
		h    *Hits
	}{{"T2", t.T2}, {"T3", t.T3}} {
		if h.h != nil && h.h.After != nil {
			lines = append(lines, fmt.Sprintf("%s right after the previous file event: hit@1 %s, hit@3 %s, hit@5 %s",
				h.name, two(h.h.After.Hit1), two(h.h.After.Hit3), two(h.h.After.Hit5)))
		}
		if h.h != nil && h.h.All != nil {
			lines = append(lines, fmt.Sprintf("%s among all files: hit@1 %s, hit@3 %s, hit@5 %s", h.name,
				two(h.h.All.Hit1), two(h.h.All.Hit3), two(h.h.All.Hit5)))
		}
	}
	for _, h := range []struct {
		name string
		h    *Hits
	}{{"named no file", t.T6}, {"named more than 30", t.T6Much}} {
		if h.h != nil {
			lines = append(lines, fmt.Sprintf("T6 after a search that %s: hit@1 %s, hit@5 %s (%d)", h.name,
				two(h.h.Hit1), two(h.h.Hit5), h.h.N))
		}
	}
	if t.T5 != nil {
		lines = append(lines,
			fmt.Sprintf("T5 warnings of a missing file: precision %s, recall %s (%d commits with one file withheld), "+
				"%.1f false alarms in 100 complete commits", two(t.T5.Precision), two(t.T5.Recall), t.T5.N, t.T5.FalsePer100))
	}
	for _, s := range []struct {
		name string
		s    *Shown
	}{{"shown", t.Shown}, {"shown, unseen files only", t.ShownUnseen}} {
		if s.s != nil {
			lines = append(lines,
				fmt.Sprintf("%s: %d files (%.1f a session), precision %s, coverage of opens %s, ECE %.3f, Brier %.3f",
					s.name, s.s.N, s.s.PerSession, two(s.s.Precision), two(s.s.Coverage), s.s.ECE, s.s.Brier))
		}
	}
	if t.Shown != nil && t.Shown.Ranked != nil {
		lines = append(lines, fmt.Sprintf("promised, and kept (ECE %.3f): %s", t.Shown.ECE,
			barCells(t.Shown.Reliability)),
			fmt.Sprintf("the same as ranked (ECE %.3f): %s", t.Shown.Ranked.ECE, barCells(t.Shown.Ranked.Reliability)))
	}
	if t.Lists != nil {
		lines = append(lines,
			fmt.Sprintf("lists at prompts: at %s of the %d prompts whose turn opens files, right at %s of these "+
				"(%s of their lines); at %s of the others", two(t.Lists.Shown), t.Lists.Prompts, two(t.Lists.Right),
				two(t.Lists.Lines), two(t.Lists.Others)))
	}
	if t.Saved != nil {
		lines = append(lines,
			fmt.Sprintf("searches that lay between a file shown and its open: %d, %.2f a session, %.0f %% of all",
				t.Saved.Searches, t.Saved.PerSession, 100*t.Saved.ShareOfAllSearches))
	}
	for _, l := range lines {
		fmt.Fprintln(w, "  "+l)
	}
	fmt.Fprintln(w)
}

// column is what the table says of a task: its number of questions and two measures.
type column struct {
	task    string
	head    []string
	metrics [2]string
	there   func(Tasks) bool
	cells   func(Tasks) []string
}

// columnsOf are the columns of the tasks that had questions.
func columnsOf(t Tasks) []column {
	hits := func(task string, of func(Tasks) *Hits, names, metrics [2]string, second func(*Hits) float64,
		first func(*Hits) float64) column {
		return column{task, []string{"n", task + " " + names[0], names[1]}, metrics,
			func(t Tasks) bool { return of(t) != nil }, func(t Tasks) []string {
				if h := of(t); h != nil {
					return []string{fmt.Sprint(h.N), two(first(h)), two(second(h))}
				}
				return []string{"", "", ""}
			}}
	}
	one, five, mrr := func(h *Hits) float64 { return h.Hit1 }, func(h *Hits) float64 { return h.Hit5 }, func(h *Hits) float64 { return h.MRR }
	all := []column{
		{"T1", []string{"n", "T1 any@5", "recall@10"}, [2]string{"any5", "recall10"},
			func(t Tasks) bool { return t.T1 != nil }, func(t Tasks) []string {
				if t.T1 == nil {
					return []string{"", "", ""}
				}
				return []string{fmt.Sprint(t.T1.N), two(t.T1.Any5), two(t.T1.Recall10)}
			}},
		hits("T2", func(t Tasks) *Hits { return t.T2 }, [2]string{"hit@1", "hit@5"}, [2]string{"hit1", "hit5"}, five,
			one),
		hits("T3", func(t Tasks) *Hits { return t.T3 }, [2]string{"hit@1", "hit@5"}, [2]string{"hit1", "hit5"}, five,
			one),
		hits("T4", func(t Tasks) *Hits { return t.T4 }, [2]string{"hit@5", "MRR"}, [2]string{"hit5", "mrr"}, mrr, five),
	}
	return slices.DeleteFunc(all, func(c column) bool { return !c.there(t) })
}

// barCells are the bars of a reliability diagram as "promised kept".
func barCells(bars []Bar) string {
	var out []string
	for _, b := range bars {
		if b.N > 0 {
			out = append(out, two(b.P)+" "+two(b.Used))
		}
	}
	return strings.Join(out, ", ")
}

// two digits, without the zero that all begin with.
func two(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0") }

// printLosses says where aOa is not the best.
func (r *Report) printLosses(w io.Writer) {
	if len(r.Loses) == 0 {
		fmt.Fprintln(w, "aOa loses nowhere: no baseline is better in T1, T2, T3 or T4")
		return
	}
	fmt.Fprintln(w, "aOa loses:")
	for _, l := range r.Loses {
		fmt.Fprintf(w, "  %s, %s %s: %s against %s of %s\n", l.Repo, l.Task, l.Metric, two(l.Value), two(l.Best),
			l.Baseline)
	}
}
