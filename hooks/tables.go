package hooks

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed tables.txt
var tableText string

// sections returns the lines of each section of tables.txt.
var sections = sync.OnceValue(func() map[string][]string {
	all, section := map[string][]string{}, ""
	for line := range strings.Lines(tableText) {
		line = strings.TrimSuffix(line, "\n")
		name, begins := strings.CutPrefix(line, "[")
		name, ends := strings.CutSuffix(name, "]")
		switch {
		case begins && ends:
			section = name
		case line != "" && !strings.HasPrefix(line, "# "):
			all[section] = append(all[section], line)
		}
	}
	return all
})

// table is a section of lines that have a value and the words that stand for it.
type table struct {
	rows   []row             // in the order of the file
	values map[string]string // by word
}

// row is a word and its value.
type row struct{ word, value string }

// tables returns the sections of tables.txt as tables.
var tables = sync.OnceValue(func() map[string]*table {
	all := map[string]*table{}
	for name, lines := range sections() {
		t := &table{values: map[string]string{}}
		all[name] = t
		for _, line := range lines {
			words := strings.Fields(line)
			for _, word := range words[1:] {
				t.rows, t.values[word] = append(t.rows, row{word, words[0]}), words[0]
			}
		}
	}
	return all
})
