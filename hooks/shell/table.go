package shell

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// spec tells how to read the arguments of a command.
type spec struct {
	does  string   // what the command does: see programs.txt
	short string   // options of one letter that take a value
	long  []string // options with a name that take a value
	// Options that contain its program; without one, the first operand is the program. nil if it
	// has no program.
	prog  []string
	edit  []string // options that make a reader change the files
	verbs []string // subcommands that do what does says; nil if it has none
	walks bool     // it searches folders without an option
	skip  int      // operands before the wrapped command

	task, file bool     // the first operand is a task, or a file that it runs
	check      bool     // the whole command is a test, a build or a linter
	before     []string // options with a value that may precede the task
	class      Class    // of a git command
}

// table has a line for each group of programs.
//
//go:embed programs.txt
var table string

// specs returns the table by name of the command.
var specs = sync.OnceValue(func() map[string]spec {
	all := map[string]spec{}
	for line := range strings.Lines(strings.ReplaceAll(table, "\\\n", "")) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		s, names := spec{does: words[0]}, []string(nil)
		lists := map[string]*[]string{"prog": &s.prog, "edit": &s.edit, "verbs": &s.verbs, "before": &s.before}
		marks := map[string]*bool{"walks": &s.walks, "task": &s.task, "file": &s.file, "check": &s.check}
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, ":")
			switch {
			case value != "" && lists[key] != nil:
				*lists[key] = strings.Split(value, ",")
			case value != "" && key == "skip":
				s.skip, _ = strconv.Atoi(value)
			case value != "" && key == "class":
				s.class = map[string]Class{"branch": Branch, "undo": Undo, "commit": Commit, "other": Other}[value]
			case marks[w] != nil:
				*marks[w] = true
			case strings.HasPrefix(w, "--"):
				s.long = append(s.long, w[2:])
			case strings.HasPrefix(w, "-"):
				s.short = w[1:]
			default:
				names = append(names, w[:1]+strings.TrimSuffix(w[1:], ":"))
			}
		}
		for _, name := range names {
			all[name] = s
		}
	}
	return all
})
