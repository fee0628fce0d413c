package eval

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"
)

// The page is printed without html/template: that package calls methods by name, so the linker keeps all exported methods of the
// program, which are 9 MB.

//go:embed page.css
var pageStyle string

// section is one repository, or the mean, as the page shows it.
type section struct {
	Name      string
	Counts    *Counts
	Tasks     Tasks
	Rows      []pageRow
	Reliable  string
	Risk      string
	HitCharts []string
}

// pageRow is aOa or a baseline in the table.
type pageRow struct {
	Name string
	Own  bool
	T    Tasks
}

// Page writes a page that needs nothing else: tables, the reliability diagram, the risk–coverage curve, and hits
// against the baselines.
func (r *Report) Page(w io.Writer) error {
	var all []section
	if len(r.Repos) > 1 {
		all = append(all, newSection(fmt.Sprintf("Mean of %d repositories", len(r.Repos)), nil, r.Macro.Tasks, r.Macro.Baselines))
	}
	for _, repo := range r.Repos {
		all = append(all, newSection(repo.Name, &repo.Counts, repo.Tasks, repo.Baselines))
	}
	b := bufio.NewWriter(w) // Flush returns the first error
	fmt.Fprintf(b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>aOa: evaluation</title>
<style>
%s</style>
</head>
<body>
<h1>How well aOa predicts</h1>
<p>Recorded work, replayed in the order of time: predict, then learn. docs/evaluation.md defines every number.
One ranking took %.2f ms at the median, %.2f ms at the 99th percentile.</p>
`, pageStyle, r.Latency.P50, r.Latency.P99)
	if len(r.Loses) == 0 {
		fmt.Fprint(b, "<p>No baseline is better in T1, T2, T3 or T4.</p>\n")
	} else {
		fmt.Fprint(b, "<h2>Where aOa loses</h2>\n<ul>")
		for _, l := range r.Loses {
			listItem(b, "%s, %s %s: %s against %s of %s", l.Repo, l.Task, l.Metric, two(l.Value), two(l.Best), l.Baseline)
		}
		fmt.Fprint(b, "</ul>\n")
	}
	for _, s := range all {
		s.print(b)
	}
	fmt.Fprint(b, "\n</body>\n</html>\n")
	return b.Flush()
}

// listItem prints an item of a list, escaped.
func listItem(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "<li>%s</li>\n", html.EscapeString(fmt.Sprintf(format, args...)))
}

// columns are the titles of the table; cells has their values.
var columns = []string{"", "T1 any@5", "p@5", "recall@10", "MRR", "T2 hit@1", "@3", "@5", "@10", "T3 hit@1", "@3", "@5", "@10", "T4 hit@1", "@3", "@5", "MRR"}

func (r pageRow) cells() []string {
	out := make([]string, len(columns))
	out[0] = r.Name
	if t := r.T.T1; t != nil {
		copy(out[1:], []string{two(t.Any5), two(t.P5), two(t.Recall10), two(t.MRR)})
	}
	for i, t := range []*Hits{r.T.T2, r.T.T3} {
		if t != nil {
			copy(out[5+4*i:], []string{two(t.Hit1), two(t.Hit3), two(t.Hit5), two(t.Hit10)})
		}
	}
	if t := r.T.T4; t != nil {
		copy(out[13:], []string{two(t.Hit1), two(t.Hit3), two(t.Hit5), two(t.MRR)})
	}
	return out
}

func (s section) print(w io.Writer) {
	fmt.Fprintf(w, "\n<h2>%s</h2>\n", html.EscapeString(s.Name))
	if c := s.Counts; c != nil {
		fmt.Fprintf(w, "<p>%d sessions with %d file events, %d opens of known files (%d named by a prompt or a command and left out of\n"+
			"T2 and T3), %d new files, %d commits.</p>\n", c.Sessions, c.Events, c.Opens, c.LeftOut, c.Created, c.Commits)
	}
	fmt.Fprintf(w, "<table>\n<tr><th>%s</th></tr>\n", strings.Join(columns, "</th><th>"))
	for _, r := range s.Rows {
		class := ""
		if r.Own {
			class = ` class="own"`
		}
		fmt.Fprintf(w, "<tr%s><td>%s</td></tr>\n", class, strings.Join(r.cells(), "</td><td>"))
	}
	fmt.Fprint(w, "</table>\n<ul>\n")
	if t := s.Tasks.T5; t != nil {
		listItem(w, "T5, warnings of a missing file: precision %s, recall %s on %d commits with one file withheld; %.1f false alarms in 100 complete commits",
			two(t.Precision), two(t.Recall), t.N, t.FalsePer100)
	}
	for _, shown := range []struct {
		what string
		t    *Shown
	}{{"shown", s.Tasks.Shown}, {"shown, unseen files only", s.Tasks.ShownUnseen}} {
		if t := shown.t; t != nil {
			listItem(w, "%s: %d files, precision %s, coverage %s, ECE %.3f, Brier %.3f", shown.what, t.N, two(t.Precision), two(t.Coverage), t.ECE, t.Brier)
		}
	}
	if t := s.Tasks.Saved; t != nil {
		listItem(w, "searches between a file shown and its open: %v, %s a session, %.0f %% of all", t.Searches, two(t.PerSession), 100*t.ShareOfAllSearches)
	}
	fmt.Fprintf(w, "</ul>\n<div class=\"charts\">%s%s%s</div>\n", s.Reliable, s.Risk, strings.Join(s.HitCharts, ""))
}

func newSection(name string, c *Counts, t Tasks, baselines map[string]Tasks) section {
	s := section{Name: name, Counts: c, Tasks: t, Rows: []pageRow{{"aOa", true, t}}}
	for _, b := range Baselines {
		if bt, ok := baselines[b]; ok {
			s.Rows = append(s.Rows, pageRow{b, false, bt})
		}
	}
	if t.Shown != nil {
		s.Reliable = reliabilityChart(t.Shown, t.ShownUnseen)
		s.Risk = riskChart(t.Shown, t.ShownUnseen)
	}
	for _, task := range []struct {
		name string
		of   func(Tasks) *Hits
	}{{"T2, next open, unseen", func(t Tasks) *Hits { return t.T2 }}, {"T3, next open, seen", func(t Tasks) *Hits { return t.T3 }},
		{"T4, commit completion", func(t Tasks) *Hits { return t.T4 }}} {
		if task.of(t) != nil {
			s.HitCharts = append(s.HitCharts, hitChart(task.name, s.Rows, task.of))
		}
	}
	return s
}
