package reload

import (
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

const (
	diffContext = 3
	maxDiffed   = 1500 // lines between the first and the last difference that are compared one by one
)

// diff is a unified diff of one file; before is nil for a file that is new.
func diff(path event.Path, before, after []byte) string {
	from := "a/" + path.Display()
	if before == nil {
		from = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ b/%s\n", from, path.Display())
	x, y := lines(string(before)), lines(string(after))
	ops := compare(x, y)
	for start := 0; start < len(ops); {
		for start < len(ops) && ops[start].kind == ' ' {
			start++
		}
		if start == len(ops) {
			break
		}
		end, quiet := start, 0 // the hunk ends where twice the context is equal
		for i := start; i < len(ops) && quiet <= 2*diffContext; i++ {
			if quiet++; ops[i].kind != ' ' {
				end, quiet = i+1, 0
			}
		}
		lo, hi := max(start-diffContext, 0), min(end+diffContext, len(ops))
		hunk(&b, ops, lo, hi)
		start = hi
	}
	return b.String()
}

type op struct {
	kind byte // ' ', '-' or '+'
	text string
}

func hunk(b *strings.Builder, ops []op, lo, hi int) {
	a, c := 1, 1
	for _, o := range ops[:lo] {
		if o.kind != '+' {
			a++
		}
		if o.kind != '-' {
			c++
		}
	}
	old, now := 0, 0
	for _, o := range ops[lo:hi] {
		if o.kind != '+' {
			old++
		}
		if o.kind != '-' {
			now++
		}
	}
	if old == 0 {
		a--
	}
	if now == 0 {
		c--
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", a, old, c, now)
	for _, o := range ops[lo:hi] {
		b.WriteByte(o.kind)
		b.WriteString(clip(strings.TrimSuffix(o.text, "\n"), maxLine))
		b.WriteByte('\n')
	}
}

func lines(s string) (out []string) {
	for l := range strings.Lines(s) {
		out = append(out, l)
	}
	return out
}

// compare finds the longest common lines between what x and y have in common at both ends. Where that would take too
// long, all of x goes and all of y comes.
func compare(x, y []string) []op {
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	foot := 0
	for foot < len(x)-head && foot < len(y)-head && x[len(x)-1-foot] == y[len(y)-1-foot] {
		foot++
	}
	var ops []op
	add := func(kind byte, list []string) {
		for _, l := range list {
			ops = append(ops, op{kind, l})
		}
	}
	add(' ', x[:head])
	a, b := x[head:len(x)-foot], y[head:len(y)-foot]
	if len(a) > maxDiffed || len(b) > maxDiffed {
		add('-', a)
		add('+', b)
	} else {
		ops = append(ops, common(a, b)...)
	}
	add(' ', x[len(x)-foot:])
	return ops
}

// common compares by the table of longest common subsequences.
func common(a, b []string) (ops []op) {
	most := make([][]int32, len(a)+1)
	for i := range most {
		most[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if most[i][j] = max(most[i+1][j], most[i][j+1]); a[i] == b[j] {
				most[i][j] = most[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			ops = append(ops, op{' ', a[i]})
			i, j = i+1, j+1
		case most[i+1][j] >= most[i][j+1]:
			ops = append(ops, op{'-', a[i]})
			i++
		default:
			ops = append(ops, op{'+', b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		ops = append(ops, op{'-', a[i]})
	}
	for ; j < len(b); j++ {
		ops = append(ops, op{'+', b[j]})
	}
	return ops
}
