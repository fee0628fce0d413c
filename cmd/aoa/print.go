package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// answer prints v as JSON when asked for it, else calls prose.
func (a *app) answer(v any, prose func()) error {
	if !a.json {
		prose()
		return nil
	}
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// table prints rows of tab-separated cells in columns.
func (a *app) table(rows ...string) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, harmless(r))
	}
	w.Flush()
}

// harmless escapes what could move a cursor or forge a line: names, ids and errors come from anywhere. Tabs stay, they
// part the cells.
func harmless(s string) string {
	cells := strings.Split(s, "\t")
	for i, c := range cells {
		cells[i] = event.Path(c).Display()
	}
	return strings.Join(cells, "\t")
}

// bar draws a probability in eighths of a cell.
func bar(p float64, cells int) string {
	eighths := int(p*float64(cells)*8 + 0.5)
	full := min(eighths/8, cells)
	s := strings.Repeat("█", full)
	if rest := eighths % 8; rest > 0 && full < cells {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return s + strings.Repeat(" ", cells-len([]rune(s)))
}

// The few colours: dim for what is read second, bold for what is read first.
func (a *app) dim(s string) string  { return a.paint("2", s) }
func (a *app) bold(s string) string { return a.paint("1", s) }

func (a *app) paint(code, s string) string {
	if !a.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// size prints bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// count prints a number with thousands set apart.
func count(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// length prints a duration for people.
func length(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// stamp prints a time for people, in their zone.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
