package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Class is what a command means for the state of the work.
type Class uint8

// The classes.
const (
	Trivial Class = iota // reads, or changes the folder
	Other                // does something, but nothing that the next step depends on
	Branch               // switches to another branch
	Undo                 // reverts changes, or brings others in
	Commit               // makes a commit
	Check                // tests, builds and linters: their last outcome matters
)

// Program is one program of a command line. A line that succeeds says only of its last program that it succeeded:
// agents take some commands' own failures for success, and the status of what ran in the background or before a
// semicolon is lost.
type Program struct {
	Name   string // the program and its task: "go test"
	Full   string // with its arguments, cut between two of them
	Class  Class
	Passes bool // it succeeded if the line did
	Fails  bool // it may have failed if the line did
	Shown  bool // the line prints the end of its output
}

// Bounds of the programs of a line.
const (
	maxPrograms = 8  // of one line
	maxErrors   = 8  // quotes and brackets that may be missing: events keep the beginning of a command
	maxFull     = 80 // bytes of Program.Full
	maxWord     = 60 // bytes of one argument; a longer one is text, and is left out
)

// Programs are the programs of a command line as an event keeps it. Of a line that cannot be parsed, it is the first
// program.
func Programs(line string) []Program {
	line = event.Clip(line, event.MaxText)
	whole := len(line) <= event.MaxText-4 // a longer one may have been cut
	file := parseShell(line)
	if file == nil {
		whole = false
		var err error
		if file, err = syntax.NewParser(syntax.RecoverErrors(maxErrors)).Parse(strings.NewReader(line), ""); err != nil {
			return firstWords(line)
		}
	}
	var out []Program
	status := outcome{}
	if n := len(file.Stmts); n > 0 && whole {
		status.mark(file.Stmts[n-1], Program{Passes: true, Fails: true})
	}
	shown := map[*syntax.CallExpr]bool{}
	for _, s := range file.Stmts {
		show(s, shown)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.FuncDecl:
			whole = false // any name may be a function
			return false
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			if p, ok := describe(literals(x.Args)); ok && len(out) < maxPrograms {
				whole = whole && !slices.Contains([]string{"exit", "exec", "return", "trap", "alias"}, literals(x.Args)[0])
				p.Passes, p.Fails, p.Shown = status[x].Passes, status[x].Fails, shown[x]
				out = append(out, p)
			}
		}
		return true
	})
	for i := range out {
		out[i].Passes, out[i].Fails = out[i].Passes && whole && len(out) < maxPrograms, out[i].Fails && whole
		out[i].Shown = out[i].Shown && whole
	}
	return out
}

// outcome has, for the calls of a line, what its status says of them.
type outcome map[*syntax.CallExpr]Program

// mark enters the calls of a statement whose status is the line's.
func (o outcome) mark(s *syntax.Stmt, says Program) {
	if s.Negated || s.Background || s.Coprocess {
		return
	}
	var inner []*syntax.Stmt
	switch x := s.Cmd.(type) {
	case *syntax.CallExpr:
		o[x] = says
	case *syntax.TimeClause:
		inner = []*syntax.Stmt{x.Stmt}
	case *syntax.Block:
		inner = x.Stmts
	case *syntax.Subshell:
		inner = x.Stmts
	case *syntax.BinaryCmd:
		if x.Op == syntax.AndStmt {
			o.mark(x.X, Program{Fails: says.Fails})
		}
		if x.Op != syntax.OrStmt {
			o.mark(x.Y, says)
		}
	}
	if n := len(inner); n > 0 && inner[n-1] != nil {
		o.mark(inner[n-1], says)
	}
}

// show enters the calls of a statement that print to the line's own output, at least with their last lines.
func show(s *syntax.Stmt, shown map[*syntax.CallExpr]bool) {
	if s == nil || s.Background || s.Coprocess || slices.ContainsFunc(s.Redirs, hides) {
		return
	}
	var inner []*syntax.Stmt
	switch x := s.Cmd.(type) {
	case *syntax.CallExpr:
		shown[x] = true
	case *syntax.TimeClause:
		inner = []*syntax.Stmt{x.Stmt}
	case *syntax.Block:
		inner = x.Stmts
	case *syntax.Subshell:
		inner = x.Stmts
	case *syntax.BinaryCmd:
		if x.Op != syntax.Pipe && x.Op != syntax.PipeAll {
			inner = []*syntax.Stmt{x.X, x.Y}
		} else if passesEnd(x.Y) {
			inner = []*syntax.Stmt{x.X}
		}
	}
	for _, s := range inner {
		show(s, shown)
	}
}

// hides reports whether a redirection takes the output away.
func hides(r *syntax.Redirect) bool {
	if r.N != nil && r.N.Value != "1" {
		return false
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.ClbOut, syntax.RdrAll, syntax.AppAll:
		return true
	}
	return false
}

// passesEnd reports whether a part of a pipe prints the last lines that it gets.
func passesEnd(s *syntax.Stmt) bool {
	if slices.ContainsFunc(s.Redirs, hides) {
		return false
	}
	switch x := s.Cmd.(type) {
	case *syntax.CallExpr:
		args := literals(x.Args)
		return len(args) > 0 && slices.Contains([]string{"tail", "tee", "cat"}, base(args[0]))
	case *syntax.BinaryCmd:
		return (x.Op == syntax.Pipe || x.Op == syntax.PipeAll) && passesEnd(x.X) && passesEnd(x.Y)
	}
	return false
}

// firstWords reads the beginning of a line that no shell would take: one that was cut, or is of another shell.
func firstWords(line string) []Program {
	first, _, _ := strings.Cut(strings.TrimSpace(line), "\n")
	first, _, _ = strings.Cut(first, "<<")
	p, ok := describe(strings.Fields(first))
	if !ok || strings.ContainsAny(p.Name, "'\"`$(){}|;&=") {
		return nil
	}
	return []Program{p}
}

// literals are the arguments as typed; "…" for what only the shell can expand.
func literals(args []*syntax.Word) []string {
	var out []string
	for _, w := range args {
		text := ""
		for _, part := range w.Parts {
			text += partText(part)
		}
		out = append(out, text)
	}
	return out
}

func partText(part syntax.WordPart) string {
	switch x := part.(type) {
	case *syntax.Lit:
		return x.Value
	case *syntax.SglQuoted:
		return x.Value
	case *syntax.DblQuoted:
		text := ""
		for _, q := range x.Parts {
			text += partText(q)
		}
		return text
	}
	return "…"
}

// describe names one program.
func describe(ws []string) (Program, bool) {
	for len(ws) > 0 && strings.Contains(ws[0], "=") && !strings.ContainsAny(ws[0], "/ ") {
		ws = ws[1:]
	}
	ws = wrapped(ws)
	if len(ws) == 0 || ws[0] == "" || strings.HasPrefix(ws[0], "#") {
		return Program{}, false
	}
	ws = slices.Clone(ws)
	ws[0] = base(ws[0])
	s, ops := specs()[ws[0]], operands(ws)
	p := Program{Name: ws[0], Class: s.class(ws[0], ops)}
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

// base is the name of a program without its folders.
func base(exe string) string { return strings.TrimSuffix(path.Base(index.Slash(exe)), ".exe") }

// wrapped are the words of the command inside those that only wrap it.
func wrapped(ws []string) []string {
	for range maxWraps {
		if len(ws) == 0 || detached[ws[0]] {
			return ws
		}
		args := make([]word, len(ws)-1)
		for i, w := range ws[1:] {
			args[i] = word{text: w, ok: true}
		}
		rest, ok := unwrap(base(ws[0]), args)
		if !ok {
			return ws
		}
		ws = ws[len(ws)-len(rest):]
	}
	return ws
}

// detached are wrappers whose status is not that of the command, or that may run it never.
var detached = map[string]bool{"setsid": true, "xargs": true, "parallel": true}

// operands are the words behind the program that are no options; of python only, -m counts as one.
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
				return out // a program as text: what follows are its arguments
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

// class is what the program of that name means with these operands.
func (s spec) class(name string, ops []string) Class {
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

func gitClass(verb string, ops []string) Class {
	switch verb {
	case "commit":
		return Commit
	case "revert", "reset", "restore", "stash", "clean", "merge", "rebase", "cherry-pick", "pull", "am", "apply":
		if len(ops) > 1 && verb == "stash" && (ops[1] == "list" || ops[1] == "show") {
			return Trivial
		}
		return Undo
	case "switch":
		return Branch
	case "checkout":
		// A name with a dot or a slash at its end is a file; which names are branches only git knows.
		for _, w := range ops[1:] {
			if strings.Contains(path.Base(w), ".") {
				return Undo
			}
		}
		return Branch
	case "push", "tag", "mv", "rm", "init", "clone", "worktree":
		return Other
	}
	return Trivial
}
