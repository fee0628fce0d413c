package hooks

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed tables.txt
var tableText string

// table is a section of tables.txt.
type table struct {
	rows   []row             // in the order of the file
	values map[string]string // by word
}

// row is a word and the value that it stands for.
type row struct{ word, value string }

// tables returns the sections of tables.txt by name.
var tables = sync.OnceValue(func() map[string]*table {
	all := map[string]*table{}
	var t *table
	for line := range strings.Lines(tableText) {
		switch words := strings.Fields(line); {
		case len(words) == 0 || words[0] == "#":
		case len(words) == 1:
			t = &table{values: map[string]string{}}
			all[strings.Trim(words[0], "[]")] = t
		default:
			for _, word := range words[1:] {
				t.rows, t.values[word] = append(t.rows, row{word, words[0]}), words[0]
			}
		}
	}
	return all
})
