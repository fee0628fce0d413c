package cold

import (
	"fmt"
	"io/fs"
	"strings"
)

// learnSchema counts the migrations and reads the statements.
func (f *File) learnSchema() error {
	for {
		if _, err := fs.Stat(f.schema, migration(f.version+1)); err != nil {
			break
		}
		f.version++
	}
	src, err := fs.ReadFile(f.schema, "queries.sql")
	if err != nil || f.version == 0 {
		return fmt.Errorf("the schema needs 0001.sql and queries.sql: %w", err)
	}
	f.queries = parseQueries(string(src))
	return nil
}

// migration is the name of the file that brings the schema to a version.
func migration(version int) string { return fmt.Sprintf("%04d.sql", version) }

// parseQueries splits the file at its "-- name: x" lines. Remarks and the space around a statement are
// dropped: the driver keeps a statement compiled only when nothing follows it.
func parseQueries(src string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split("\n"+src, "\n-- name: ")[1:] {
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
func (f *File) query(name string) string {
	q, ok := f.queries[name]
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
