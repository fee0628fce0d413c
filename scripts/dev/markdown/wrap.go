// Package markdown lays out the pages of docs that programs write.
package markdown

import (
	"strings"
	"unicode/utf8"
)

// widest is the largest number of columns of a line that is no row of a table.
const widest = 100

// Wrap breaks the paragraphs of a text into lines. It breaks no line before a percent sign and
// none at an arrow.
func Wrap(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "|") {
			continue
		}
		var out strings.Builder
		column := 0
		for _, word := range strings.Fields(strings.NewReplacer(" → ", "\u2007→\u2007", " %", "\u2007%").Replace(line)) {
			n := utf8.RuneCountInString(word)
			switch {
			case column == 0:
			case column+1+n > widest:
				out.WriteByte('\n')
				column = 0
			default:
				out.WriteByte(' ')
				column++
			}
			out.WriteString(word)
			column += n
		}
		lines[i] = strings.ReplaceAll(out.String(), "\u2007", " ")
	}
	return strings.Join(lines, "\n")
}
