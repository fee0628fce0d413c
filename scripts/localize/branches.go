package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// runBranches asks on branches.
func runBranches(ctx context.Context, repos, file string, most int) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	names := strings.Fields(string(data))
	t := branchTable{rows: map[string]map[string]*hits{}, promised: map[string]*[10]promises{}}
	err = recorded.Each(ctx, len(names), func(ctx context.Context, i int) error {
		s, err := recorded.History(ctx, repos, names[i])
		if err != nil {
			return err
		}
		return recorded.Branches(ctx, s, eval.Options{Contents: true}, recorded.LastQuarter, 1, most, t.take)
	})
	t.print()
	return err
}

// branchTable adds up by question and repository. It may be shared.
type branchTable struct {
	mu       sync.Mutex
	rows     map[string]map[string]*hits // question → repository
	promised map[string]*[10]promises
}

// promises are files by the probability that they got.
type promises struct {
	n, came int
	sum     float64
}

func (t *branchTable) take(l *recorded.Localization) error {
	var ranked, first []event.Path
	for _, r := range l.Ranked {
		ranked = append(ranked, r.File)
	}
	if l.Text != "" {
		asked, err := l.First()
		if err != nil {
			return err
		}
		for _, r := range asked {
			first = append(first, r.File)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.Text != "" {
		known := ""
		if l.Branch.Name == "" {
			known = ", branch unknown"
		}
		t.count("message"+known, l, ranked)
		t.count("first prompt"+known, l, first)
		return nil
	}
	row := "no commit yet"
	if l.Branch.Commits > 0 {
		row = "with commits"
		t.count("newest first", l, l.Branch.Files)
	}
	t.count(row, l, ranked)
	if t.promised[row] == nil {
		t.promised[row] = &[10]promises{}
	}
	for _, r := range l.Ranked[:min(len(l.Ranked), 5)] {
		p := &t.promised[row][min(int(10*r.Score), 9)]
		p.n++
		p.sum += r.Score
		if slices.Contains(l.Files, r.File) {
			p.came++
		}
	}
	return nil
}

func (t *branchTable) count(row string, l *recorded.Localization, ranked []event.Path) {
	if t.rows[row] == nil {
		t.rows[row] = map[string]*hits{}
	}
	counter(t.rows[row], l.Repo).add(1 + slices.IndexFunc(ranked,
		func(p event.Path) bool { return slices.Contains(l.Files, p) }))
}

// print prints means over repositories.
func (t *branchTable) print() {
	fmt.Printf("%-28s %9s %6s %6s %6s %6s %6s\n", "on a branch", "questions", "repos", "@1", "@3", "@5", "@10")
	for _, row := range slices.Sorted(maps.Keys(t.rows)) {
		n, mean := 0, [4]float64{}
		for _, h := range t.rows[row] {
			n += h.n
			for i, k := range h.at {
				mean[i] += float64(k) / float64(h.n) / float64(len(t.rows[row]))
			}
		}
		fmt.Printf("%-28s %9d %6d %6.3f %6.3f %6.3f %6.3f\n", row, n, len(t.rows[row]), mean[0], mean[1], mean[2],
			mean[3])
	}
	for _, row := range slices.Sorted(maps.Keys(t.promised)) {
		for _, p := range t.promised[row] {
			if p.n > 0 {
				fmt.Printf("%s: promised %.2f, came true %.2f of %d files\n", row, p.sum/float64(p.n),
					float64(p.came)/float64(p.n), p.n)
			}
		}
	}
}
