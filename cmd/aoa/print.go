package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"github.com/aoa-dev/aoa/internal/event"
)

// answer prints v as JSON with --json; else it calls text.
func (a *app) answer(v any, text func()) error {
	if !a.json {
		text()
		return nil
	}
	e := encoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// encoder returns a JSON encoder whose output is safe for programs and terminals.
func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(visibleJSON{w})
	e.SetEscapeHTML(false)
	return e
}

// visibleJSON escapes characters in JSON that a terminal would interpret, such as U+009B and
// U+202E. They occur only in strings, so the values remain the same.
type visibleJSON struct{ io.Writer }

func (w visibleJSON) Write(raw []byte) (int, error) {
	hidden := func(r rune) bool { return r >= 0x7f && !event.Visible(r) }
	if !bytes.ContainsFunc(raw, hidden) {
		return w.Writer.Write(raw)
	}
	var b bytes.Buffer
	for _, r := range string(raw) {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	_, err := w.Writer.Write(b.Bytes())
	return len(raw), err
}

// cells joins cells with tabs.
func cells(cells ...any) string {
	return strings.TrimSuffix(fmt.Sprintf(strings.Repeat("%v\t", len(cells)), cells...), "\t")
}

// harmless escapes characters that could move the cursor or forge a line, because names, ids and
// errors may come from anywhere. Tabs stay, because they separate cells.
func harmless(s string) string {
	parts := strings.Split(s, "\t")
	for i, p := range parts {
		parts[i] = event.Path(p).Display()
	}
	return strings.Join(parts, "\t")
}

// longestLine is the largest number of bytes of a message. A message may quote what was typed.
const longestLine = 2000

// line returns a text as one line of a message on stderr.
func line(s string) string { return harmless(event.Clip(s, longestLine)) }

// printLines prints the lines of a text, each harmless.
func printLines(w io.Writer, text string) {
	for l := range strings.Lines(text) {
		fmt.Fprintln(w, harmless(strings.TrimRight(l, "\r\n")))
	}
}

// Styles for stdout: bold for what should be read first, dim for details.
func (a *app) dim(s string) string  { return paint(a.color, "2", s) }
func (a *app) bold(s string) string { return paint(a.color, "1", s) }

// shade colors a text by a probability: green if likely, yellow if possible.
func (a *app) shade(p float64, s string) string {
	switch {
	case p >= event.LikelyFrom:
		return paint(a.color, "32", s)
	case p >= event.PossibleFrom:
		return paint(a.color, "33", s)
	}
	return a.dim(s)
}

// paint puts a text between an escape sequence and its end. An empty or blank text is returned
// unchanged.
func paint(on bool, code, s string) string {
	if !on || strings.TrimSpace(s) == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// size formats a number of bytes.
func size(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

// count formats a number with commas between thousands.
func count[N int | int64](n N) string { return humanize.Comma(int64(n)) }

// plural formats a number of things, as "1 file" and "2 files".
func plural(n int, what string) string { return count(n) + " " + english.PluralWord(n, what, "") }

// length formats a duration: 23ms, 4.2s, 3m20s, 3 days.
func length(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return strings.TrimSpace(humanize.RelTime(time.Time{}, time.Time{}.Add(d), "", ""))
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// seconds and millis format durations of answers.
func seconds(s float64) string { return length(time.Duration(s * float64(time.Second))) }
func millis(ms int64) string   { return length(time.Duration(ms) * time.Millisecond) }

// stamp formats a time in the reader's time zone.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

// clip cuts a text to n columns.
func clip(s string, n int) string {
	if width(s) <= n {
		return s
	}
	return firstColumns(s, n-1) + "…"
}

// brief returns a text as one line. On a terminal it is cut to n columns.
func (a *app) brief(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if a.width == 0 {
		return s
	}
	return clip(s, n)
}

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

// table prints rows of tab-separated cells in columns, below a header unless that is "". On a narrow
// terminal the last column continues on further lines.
func (a *app) table(header string, rows ...string) {
	if header != "" {
		rows = append([]string{header}, rows...)
	}
	list, wide := split(rows)
	labels := header == "" && len(wide) == 2 // each row is a label and its value
	for i, row := range list {
		a.print(a.broken(row, wide), wide, func(column int, cell string) string {
			if header != "" && i == 0 || labels && column == 0 {
				return a.dim(cell)
			}
			return cell
		})
	}
}

// printList prints a table with a row for each item.
func printList[T any](a *app, header string, items []T, of func(T) []any) {
	var rows []string
	for _, it := range items {
		rows = append(rows, cells(of(it)...))
	}
	a.table(header, rows...)
}

// broken breaks the last cell of a row into lines if the terminal is too narrow for it. The other
// cells of a further line are empty.
func (a *app) broken(row []string, wide []int) (lines [][]string) {
	last, left := max(0, len(wide)-1), a.width
	for _, w := range wide[:last] {
		left -= w + gap
	}
	if left < leastCell || len(row) <= last {
		return [][]string{row}
	}
	for i, text := range wrap(row[last], left) {
		line := make([]string, last+1)
		if i == 0 {
			copy(line, row)
		}
		line[last] = text
		lines = append(lines, line)
	}
	return lines
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
func (a *app) print(rows [][]string, wide []int, style func(column int, cell string) string) {
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += style(i, cell)
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

// early prints a note if the daemon has not read everything yet.
func (a *app) early(reading bool) {
	if reading {
		a.talk("the daemon has not yet read all files and the changes of earlier commits")
		a.talk("hint: ask again in a few seconds")
	}
}
