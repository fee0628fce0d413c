package eval

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes the table for people.
func (r *Report) Print(w io.Writer) {
	for _, repo := range r.Repos {
		c := repo.Counts
		fmt.Fprintf(w, "%s: %d sessions, %d file events, %d opens (%d named by a prompt or a command, left out of T2 and T3), %d new files, %d commits\n",
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
	fmt.Fprintln(tw, "  \tn\tT1 any@5\trecall@10\tn\tT2 hit@1\thit@5\tn\tT3 hit@1\thit@5\tn\tT4 hit@5\tMRR")
	row := func(name string, t Tasks) {
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\t%s\n", name, turnCells(t.T1), hitCells(t.T2), hitCells(t.T3), changeCells(t.T4))
	}
	row("aOa", t)
	if in != nil {
		cell := func(task, name string) string {
			i, ok := in[task][name]
			if !ok {
				return "–"
			}
			return fmt.Sprintf("%s–%s", two(i[0]), two(i[1]))
		}
		fmt.Fprintf(tw, "  \t\t%s\t%s\t\t%s\t%s\t\t%s\t%s\t\t%s\t%s\n", cell("T1", "any5"), cell("T1", "recall10"), cell("T2", "hit1"), cell("T2", "hit5"),
			cell("T3", "hit1"), cell("T3", "hit5"), cell("T4", "hit5"), cell("T4", "mrr"))
	}
	for _, b := range Baselines {
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
			lines = append(lines, fmt.Sprintf("%s right after the previous file event: hit@1 %s, hit@3 %s, hit@5 %s", h.name, two(h.h.After.Hit1), two(h.h.After.Hit3), two(h.h.After.Hit5)))
		}
		if h.h != nil && h.h.All != nil {
			lines = append(lines, fmt.Sprintf("%s among all files: hit@1 %s, hit@3 %s, hit@5 %s", h.name, two(h.h.All.Hit1), two(h.h.All.Hit3), two(h.h.All.Hit5)))
		}
	}
	if t.T5 != nil {
		lines = append(lines, fmt.Sprintf("T5 warnings of a missing file: precision %s, recall %s (%d commits with one file withheld), %.1f false alarms in 100 complete commits", two(t.T5.Precision), two(t.T5.Recall), t.T5.N, t.T5.FalsePer100))
	}
	for _, s := range []struct {
		name string
		s    *Shown
	}{{"shown", t.Shown}, {"shown, unseen files only", t.ShownUnseen}} {
		if s.s != nil {
			lines = append(lines, fmt.Sprintf("%s: %d files (%.1f a session), precision %s, coverage of opens %s, ECE %.3f, Brier %.3f", s.name, s.s.N, s.s.PerSession, two(s.s.Precision), two(s.s.Coverage), s.s.ECE, s.s.Brier))
		}
	}
	if t.Saved != nil {
		lines = append(lines, fmt.Sprintf("searches that lay between a file shown and its open: %d, %.2f a session, %.0f %% of all", t.Saved.Searches, t.Saved.PerSession, 100*t.Saved.ShareOfAllSearches))
	}
	for _, l := range lines {
		fmt.Fprintln(w, "  "+l)
	}
	fmt.Fprintln(w)
}

func turnCells(t *Turn) string {
	if t == nil {
		return "\t\t"
	}
	return fmt.Sprintf("%d\t%s\t%s", t.N, two(t.Any5), two(t.Recall10))
}

func hitCells(h *Hits) string {
	if h == nil {
		return "\t\t"
	}
	return fmt.Sprintf("%d\t%s\t%s", h.N, two(h.Hit1), two(h.Hit5))
}

func changeCells(h *Hits) string {
	if h == nil {
		return "\t\t"
	}
	return fmt.Sprintf("%d\t%s\t%s", h.N, two(h.Hit5), two(h.MRR))
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
		fmt.Fprintf(w, "  %s, %s %s: %s against %s of %s\n", l.Repo, l.Task, l.Metric, two(l.Value), two(l.Best), l.Baseline)
	}
}
