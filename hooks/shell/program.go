package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Class tells what a command means for the state of the work.
type Class uint8

// The classes.
const (
	Trivial Class = iota // only reads, or changes the folder
	Other                // does something on which the next step does not depend
	Branch               // switches to another branch
	Undo                 // reverts changes, or brings others in
	Commit               // makes a commit
	Check                // a test, a build or a linter, whose last outcome matters
)

// Program is one program of a command line.
type Program struct {
	Name   string // the program with its task: "go test"
	Full   string // the program with its arguments, cut between two of them
	Class  Class
	Always bool // it runs whenever the line runs
	Done   bool // if the status of the line is 0, it ran
	Alone  bool // the line is only this program, in the foreground, so both have the same status
}

// Checks reports whether the program is a test, a build or a linter.
func (p Program) Checks() bool { return p.Class == Check }

// Looks reports whether it is a git command that looks at a change, stages it or commits it.
func (p Program) Looks() bool {
	return slices.Contains([]string{"git add", "git commit", "git status", "git diff"}, p.Name)
}

// Limits for the programs of a line.
const (
	maxPrograms = 16 // programs of one line
	maxErrors   = 8  // quotes and brackets that may be missing, because events keep only the beginning of a command
	maxFull     = 80 // bytes of Program.Full
	maxWord     = 60 // bytes of one argument; a longer one is a text and is left out
)

// Programs returns the programs of a command line that was kept in an event. A long line may have
// been cut.
func Programs(line string) []Program {
	line = event.Clip(line, event.MaxText)
	return Follow(&index.Locator{}, Line{Text: line, Cut: len(line) > event.MaxText-4}).Programs
}

// OnlyReads reports whether a command line only reads, or changes the folder. It is false for a line that
// cannot be parsed.
func OnlyReads(line string) bool {
	programs := Programs(line)
	return len(programs) > 0 && !slices.ContainsFunc(programs, func(p Program) bool { return p.Class != Trivial })
}

// place tells where in a line a command is.
type place struct {
	piped               bool // it reads another command's output
	always, done, alone bool // see Program
}

// within returns the place of the command in a statement.
func (at place) within(s *syntax.Stmt) place {
	if s.Negated || s.Background || s.Coprocess {
		at.done, at.alone = false, false
	}
	return at
}

// diverting are commands after which no one knows what the rest of the line runs, or which command
// the status belongs to.
var diverting = []string{"exit", "exec", "return", "trap", "alias", "set"}

// program records a program.
func (sh *walker) program(c command) {
	if sh.aside || len(sh.result.Programs) >= maxPrograms {
		return
	}
	ws := []string{base(c.exe.asTyped())}
	for _, a := range c.args {
		ws = append(ws, a.asTyped())
	}
	if p, ok := describe(ws); ok {
		p.Always, p.Done, p.Alone = c.always, c.done, c.alone
		sh.result.Programs = append(sh.result.Programs, p)
	}
}

// judge discards what depends on the order of the programs if the line was not walked completely.
func (r *Result) judge(unfinished bool) {
	unsure := r.unsure || unfinished || len(r.Programs) >= maxPrograms
	for i := range r.Programs {
		p := &r.Programs[i]
		p.Always, p.Done = p.Always && !unsure, p.Done && !unsure
		p.Alone = p.Alone && !unsure && len(r.Programs) == 1
	}
}

// typed returns a word as it was typed, with "…" for parts that only the shell can expand.
func typed(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch x := part.(type) {
		case *syntax.Lit:
			b.WriteString(x.Value)
		case *syntax.SglQuoted:
			b.WriteString(x.Value)
		case *syntax.DblQuoted:
			b.WriteString(typed(x.Parts))
		default:
			b.WriteString("…")
		}
	}
	return b.String()
}

// describe returns the Program for a command. ws are its name without folders, and its arguments.
func describe(ws []string) (Program, bool) {
	if ws[0] == "" || ws[0] == "." || strings.HasPrefix(ws[0], "#") {
		return Program{}, false
	}
	s, ops := specs()[ws[0]], operands(ws)
	p := Program{Name: ws[0], Class: s.classOf(ws[0], ops)}
	if (s.task || s.file) && len(ops) > 0 {
		p.Name += " " + ops[0]
		if (ops[0] == "run" || ops[0] == "-m") && len(ops) > 1 {
			p.Name += " " + ops[1]
		}
	}
	for _, w := range ws {
		if len(w) > maxWord || strings.ContainsAny(w, "\n\r") || strings.Contains(w, "$(") {
			w = "…"
		}
		if len(p.Full)+1+len(w) > maxFull {
			p.Full += " …"
			break
		}
		p.Full += " " + w
	}
	p.Full = strings.TrimSpace(p.Full)
	return p, true
}

// base returns the name of a program without its folders.
func base(exe string) string { return strings.TrimSuffix(path.Base(index.Slash(exe)), ".exe") }

// detached are wrappers whose exit status is not that of the wrapped command, or that may never run
// it.
var detached = map[string]bool{"setsid": true, "xargs": true, "parallel": true}

// operands returns the words after the program that are not options. For python, -m counts as an
// operand.
func operands(ws []string) []string {
	var out []string
	s := specs()[ws[0]]
	for i := 1; i < len(ws); i++ {
		switch w := ws[i]; {
		case slices.Contains(s.before, w):
			i++
		case w == "-m" && strings.HasPrefix(ws[0], "python"):
			out = append(out, w)
		case strings.HasPrefix(w, "-") || len(w) > maxWord || strings.ContainsAny(w, "\n\r "):
			if strings.HasPrefix(ws[0], "python") || s.file && w == "-e" {
				return out // a program given as text: what follows are its arguments
			}
		default:
			out = append(out, w)
		}
	}
	return out
}

// checks are words that make a task a check.
var checks = []string{"test", "lint", "check", "build", "vet", "tsc", "typecheck", "type-check", "clippy", "verify",
	"spec",
	"ci", "validate", "format", "fmt", "e2e"}

// classOf returns the class of a program, given its name and operands.
func (s spec) classOf(name string, ops []string) Class {
	first := ""
	if len(ops) > 0 {
		first = ops[0]
	}
	switch {
	case name == "git":
		return gitClass(first, ops)
	case s.check:
		return Check
	case first == "-m" && len(ops) > 1 && (specs()[ops[1]].check || ops[1] == "unittest"):
		return Check
	case name == "make" && first == "", name == "mvn", strings.HasPrefix(name, "gradle"):
		return Check
	case s.task:
		if first == "run" && len(ops) > 1 {
			first = ops[1]
		}
		for part := range strings.FieldsFuncSeq(first, func(r rune) bool { return strings.ContainsRune(":-_.", r) }) {
			if slices.Contains(checks, part) {
				return Check
			}
		}
	case s.file:
	case slices.Contains([]string{"read", "search", "find", "fd", "list", "cd", "quiet", "write", "idle"}, s.does),
		name == "cp":
		return Trivial
	}
	return Other
}

// gitClass returns the class of a git command. The table has those that do not depend on operands.
func gitClass(verb string, ops []string) Class {
	switch {
	case verb == "stash" && len(ops) > 1 && (ops[1] == "list" || ops[1] == "show"):
		return Trivial
	case verb == "checkout" && slices.ContainsFunc(ops[1:], func(w string) bool { return strings.Contains(path.Base(w), ".") }):
		return Undo // A name with a dot, or with a slash at its end, is a file. Other names may be branches.
	}
	return specs()["git-"+verb].class
}
