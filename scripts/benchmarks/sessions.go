package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// evaluation is what is read of the JSON of scripts/eval.
type evaluation struct {
	Macro struct {
		Repos     int
		Tasks     nextTasks
		Baselines map[string]nextTasks
		Intervals map[string]map[string][2]float64
	}
	Loses []struct {
		Repo, Task, Metric, Baseline string
		Value, Best                  float64
	}
}

type nextTasks struct{ T1, T2, T3 *hits }

type hits struct {
	N                           int
	Hit1, Hit3, Hit5, Any5, MRR float64
}

// nextNames are the baselines in the order of the table.
var nextNames = []string{"recent", "frequent", "zoxide", "frecency", "cochange", "coaccess", "successor", "seed"}

// sessions measures the next file of recorded sessions, by scripts/eval.
func (in inputs) sessions(ctx context.Context) (string, error) {
	args := []string{"run", "./scripts/eval", "-json", "-traces", in.traces}
	if in.repos != "" {
		args = append(args, "-repos", in.repos)
	}
	if in.weights != "" {
		args = append(args, "-weights", in.weights)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("scripts/eval: %w", err)
	}
	var e evaluation
	if err := json.Unmarshal(data, &e); err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(row("", "not seen yet: @1", "@3", "@5", "seen before: @1", "@3", "@5", "at a prompt: any of the first 5"))
	out.WriteString(row("---", "---", "---", "---", "---", "---", "---", "---"))
	line := func(name string, t nextTasks, in map[string]map[string][2]float64) {
		cell := func(task, metric string, value float64) string {
			if i, has := in[task][metric]; has {
				return fmt.Sprintf("%s (%s–%s)", two(value), two(i[0]), two(i[1]))
			}
			return two(value)
		}
		cells := []string{name}
		for i, h := range []*hits{t.T2, t.T3} {
			if h == nil {
				cells = append(cells, "–", "–", "–")
				continue
			}
			task := []string{"T2", "T3"}[i]
			cells = append(cells, cell(task, "hit1", h.Hit1), cell(task, "hit3", h.Hit3), cell(task, "hit5", h.Hit5))
		}
		if t.T1 == nil {
			cells = append(cells, "–")
		} else {
			cells = append(cells, cell("T1", "any5", t.T1.Any5))
		}
		out.WriteString(row(cells...))
	}
	line(aoa, e.Macro.Tasks, e.Macro.Intervals)
	for _, name := range nextNames {
		if t, has := e.Macro.Baselines[name]; has {
			line(name, t, nil)
		}
	}
	asked := func(h *hits) int {
		if h == nil {
			return 0
		}
		return h.N
	}
	weights := "the shipped weights, which these sessions may have taught"
	if in.weights != "" {
		weights = "weights that were fitted without the repository"
	}
	fmt.Fprintf(&out, "\nMeans of %d repositories, %d and %d opens and %d prompts, with %s.\n\nLosses:", e.Macro.Repos,
		asked(e.Macro.Tasks.T2), asked(e.Macro.Tasks.T3), asked(e.Macro.Tasks.T1), weights)
	lost := 0
	for _, l := range e.Loses {
		if l.Task != "T4" {
			fmt.Fprintf(&out, "%s %s %s %s %s against %s of %s", []string{"", ";"}[min(lost, 1)], l.Repo, l.Task, l.Metric,
				two(l.Value), two(l.Best), l.Baseline)
			lost++
		}
	}
	if lost == 0 {
		out.WriteString(" none")
	}
	out.WriteString(".\n")
	return out.String(), nil
}
