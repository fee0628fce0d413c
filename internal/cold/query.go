package cold

import (
	_ "embed"
	"strings"
)

//go:embed sql/queries.sql
var querySource string

// queries are the statements of sql/queries.sql by name.
var queries = parseQueries(querySource)

// parseQueries splits the file at its "-- name: x" lines. Remarks and the space around a statement are
// dropped: the driver keeps a statement compiled only when nothing follows it.
func parseQueries(src string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(src, "\n-- name: ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		var b strings.Builder
		for line := range strings.Lines(body) {
			if !strings.HasPrefix(line, "--") {
				b.WriteString(line)
			}
		}
		out[strings.TrimSpace(name)] = strings.TrimSpace(b.String())
	}
	return out
}

// query returns a statement by name. A name that does not exist is a slip of the programmer, found by the
// first test that passes there.
func query(name string) string {
	q, ok := queries[name]
	if !ok {
		panic("cold: no statement is called " + name)
	}
	return q
}

// rows returns "(?, ?), (?, ?), …": n rows of width parameters, for statements that insert many rows at once.
func rows(n, width int) string {
	row := "(" + strings.Repeat("?, ", width-1) + "?)"
	return strings.Repeat(row+", ", n-1) + row
}
