package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"two": two, "three": func(x float64) string { return fmt.Sprintf("%.3f", x) },
	"pct": func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }}).Parse(pageText))

// colours of aOa and the baselines, told apart by most eyes.
var colours = []template.CSS{"#0969da", "#d1242f", "#bf8700", "#1a7f37", "#8250df", "#e16f24", "#0e8a8a", "#bf3989", "#6e7781"}

// section is one repository, or the mean, as the page shows it.
type section struct {
	Name      string
	Counts    *Counts
	Tasks     Tasks
	Rows      []pageRow
	Reliable  template.HTML
	Risk      template.HTML
	HitCharts []template.HTML
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
	return page.Execute(w, map[string]any{"Sections": all, "Loses": r.Loses, "Latency": r.Latency, "Colours": colours})
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
