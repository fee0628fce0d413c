package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

const (
	gap = 2 // columns between two cells
	// If the last cell of a row has fewer columns than this, its text is not broken into lines
	// here.
	leastCell = 20
)

// columns returns the largest width of a line: COLUMNS, else the width of the terminal. 0 means no
// limit.
func (a *app) columns(out any) int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := out.(*os.File); ok && a.terminal {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// table prints rows of tab-separated cells in columns. On a narrow terminal the last column
// continues on further lines.
func (a *app) table(rows ...string) {
	cells, wide := split(rows)
	last := max(0, len(wide)-1)
	left := a.width
	for _, w := range wide[:last] {
		left -= w + gap
	}
	var wrapped [][]string
	for _, row := range cells {
		if left < leastCell || len(row) <= last {
			wrapped = append(wrapped, row)
			continue
		}
		for i, line := range wrap(row[last], left) {
			if i > 0 {
				row = make([]string, last+1)
			}
			row[last] = line
			wrapped = append(wrapped, row)
		}
	}
	a.print(wrapped, wide, func(_, column int, cell string) string {
		if column == 0 && len(wide) == 2 { // a label and its value
			return a.dim(cell)
		}
		return cell
	})
}

// printList prints a table of items below a header. header may be "".
func printList[T any](a *app, header string, items []T, of func(T) []any) {
	var rows []string
	if header != "" {
		rows = append(rows, header)
	}
	for _, it := range items {
		rows = append(rows, cells(of(it)...))
	}
	list, wide := split(rows)
	a.print(list, wide, func(row, _ int, cell string) string {
		if row == 0 && header != "" {
			return a.dim(cell)
		}
		return cell
	})
}

// split splits rows into cells, and measures the columns.
func split(rows []string) (list [][]string, wide []int) {
	for _, r := range rows {
		row := strings.Split(harmless(r), "\t")
		for i, cell := range row {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], width(cell))
		}
		list = append(list, row)
	}
	return list, wide
}

// print prints cells in columns, each in its style.
func (a *app) print(rows [][]string, wide []int, style func(row, column int, cell string) string) {
	for n, row := range rows {
		line := ""
		for i, cell := range row {
			line += style(n, i, cell)
			if i < len(row)-1 {
				line += strings.Repeat(" ", wide[i]-width(cell)+gap)
			}
		}
		fmt.Fprintln(a.out, strings.TrimRight(line, " "))
	}
}

// width returns the number of columns that a text takes on a terminal.
func width(s string) int { return uniseg.StringWidth(s) }

// firstColumns returns the beginning of a text that takes at most n columns. It never cuts a
// character.
func firstColumns(s string, n int) string {
	end, state := 0, -1
	for rest := s; rest != ""; {
		var one string
		var wide int
		if one, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state); wide > n {
			break
		}
		end, n = end+len(one), n-wide
	}
	return s[:end]
}

// wrap breaks a text between words into lines of at most n columns. A longer word gets a line of
// its own.
func wrap(s string, n int) []string {
	if width(s) <= n {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && width(line)+1+width(word) > n {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
