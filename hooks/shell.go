package hooks

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// Bounds of one command line. What exceeds them is not looked at.
const (
	maxActs   = 60   // acts that are kept
	maxSteps  = 2000 // simple commands that are walked, loops unrolled
	maxNest   = 4    // bash -c inside bash -c
	maxParens = 2000 // opening brackets: deeper nesting is no command that a person reads
	maxLoop   = 30   // rounds of a for loop
	maxNamed  = 5    // files that a pattern may match to name them
	maxBelow  = 1000 // files of a folder that is moved or removed
)

// lost is the working folder after a cd to somewhere unknown: no relative name leads into the repository.
const lost = "?"

// act is one thing that a command line did.
type act struct {
	kind    event.Kind
	paths   []event.Path // acted upon
	from    []event.Path // renames
	named   []event.Path // only named
	dirs    []string     // folders searched or listed, absolute
	pattern string       // what was searched for
	words   string       // further text for terms
	listing bool         // prints names, or lines that begin with one
	silent  bool         // prints nothing of interest
}

// shell follows a command line as a shell would, without running anything: it keeps the working folder and the
// variables that it can know, and notes what each simple command does to files.
type shell struct {
	*scene
	dir, prev string
	vars      map[string]string
	acts      []act
	missing   []string // operands of readers that no known file answers to
	own       bool     // aOa itself was asked: its answer must not teach it
	steps     *int
	nest      int
}

// shell turns a call of a shell tool into events, in the order of the command line.
func (s *scene) shell(c toolCall) []event.Event {
	command := c.input.text("command", "cmd")
	if list := c.input.texts("command"); command == "" && len(list) > 0 {
		command = joinArgv(list)
	}
	command = redact.Private(clip(command, maxCommand))
	if strings.TrimSpace(command) == "" {
		return nil
	}
	if c.failed && !ran(c) {
		e := s.failed(c)
		e.Text, e.Named = store(command, event.MaxText), s.mentions(command, false)
		return []event.Event{e}
	}
	steps := 0
	dir := s.place.cwd
	if at := c.input.text("workdir"); at != "" {
		dir = s.place.abs(at, "")
	}
	if dir == "" {
		dir = lost
	}
	sh := &shell{scene: s, dir: dir, vars: map[string]string{}, steps: &steps}
	if c.name == "PowerShell" {
		sh.powershell(command)
	} else {
		sh.script(command)
	}
	return s.events(sh, c, command)
}

// ran reports whether a call that failed was begun at all: denied, interrupted and invalid calls were not.
func ran(c toolCall) bool {
	return c.why == "" && (strings.HasPrefix(c.problem, "Exit code") || strings.HasPrefix(c.problem, "Error: Exit code") ||
		strings.Contains(clip(c.problem, 200), "timed out") || strings.HasPrefix(c.problem, "Command failed") ||
		slices.Contains([]string{whyMissing, whyDir}, classify(c.problem))) // only a command that ran finds that out
}

// joinArgv undoes ["bash", "-lc", "command"]; another argv is put together word by word.
func joinArgv(argv []string) string {
	if len(argv) >= 3 && strings.HasSuffix(argv[0], "sh") && strings.HasPrefix(argv[1], "-") && strings.HasSuffix(argv[1], "c") {
		return argv[2]
	}
	quoted := make([]string, len(argv))
	for i, a := range argv {
		q, err := syntax.Quote(a, syntax.LangBash)
		if err != nil {
			q = "''"
		}
		quoted[i] = q
	}
	return strings.Join(quoted, " ")
}

// script parses and walks a piece of shell; what cannot be parsed counts as run, with the files it names.
func (sh *shell) script(src string) {
	f := parseShell(src)
	if f == nil {
		sh.note(act{kind: event.KindRun, named: sh.mentions(src, false)})
		return
	}
	sh.stmts(f.Stmts)
}

func parseShell(src string) (f *syntax.File) {
	if strings.Count(src, "(")+strings.Count(src, "{")+strings.Count(src, "`") > maxParens {
		return nil
	}
	// The parser is third-party code that meets text from anywhere: should it panic, the text was no command.
	defer func() {
		if recover() != nil {
			f = nil
		}
	}()
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	if err != nil {
		return nil
	}
	return f
}

func (sh *shell) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		sh.stmt(st, false)
	}
}

// stmt walks one statement; piped says that it reads another's output.
func (sh *shell) stmt(st *syntax.Stmt, piped bool) {
	if st == nil || *sh.steps > maxSteps {
		return
	}
	*sh.steps++
	var in *redirected
	for _, r := range st.Redirs {
		if sh.redirect(r, &in) {
			piped = true
		}
	}
	switch x := st.Cmd.(type) {
	case *syntax.CallExpr:
		sh.call(x, piped, in)
	case *syntax.BinaryCmd:
		if x.Op == syntax.Pipe || x.Op == syntax.PipeAll {
			sh.sub().stmt(x.X, piped)
			sh.sub().stmt(x.Y, true)
		} else {
			sh.stmt(x.X, piped)
			sh.stmt(x.Y, piped)
		}
	case *syntax.Subshell:
		sh.sub().stmts(x.Stmts)
	case *syntax.TimeClause:
		sh.stmt(x.Stmt, piped)
	case *syntax.DeclClause:
		sh.assign(x.Args)
	default:
		sh.compound(st.Cmd)
	}
	for _, r := range st.Redirs {
		sh.written(r)
	}
}

// compound walks every branch: which one is taken is not known.
func (sh *shell) compound(cmd syntax.Command) {
	switch x := cmd.(type) {
	case *syntax.Block:
		sh.stmts(x.Stmts)
	case *syntax.IfClause:
		for ; x != nil; x = x.Else {
			sh.stmts(x.Cond)
			sh.stmts(x.Then)
		}
	case *syntax.WhileClause:
		sh.stmts(x.Cond)
		sh.stmts(x.Do)
	case *syntax.CaseClause:
		for _, item := range x.Items {
			sh.stmts(item.Stmts)
		}
	case *syntax.ForClause:
		sh.loop(x)
	}
}

// loop walks the body once per known item, or once with an unknown one.
func (sh *shell) loop(x *syntax.ForClause) {
	it, ok := x.Loop.(*syntax.WordIter)
	if !ok || it.Name == nil {
		sh.stmts(x.Do)
		return
	}
	rounds := 0
	for _, w := range sh.fields(it.Items) {
		for _, item := range sh.spread(w) {
			if rounds++; rounds <= maxLoop {
				sh.vars[it.Name.Value] = item
				sh.stmts(x.Do)
			}
		}
	}
	delete(sh.vars, it.Name.Value)
	if rounds == 0 {
		sh.stmts(x.Do)
	}
}

// sub is a subshell: its cd and its variables do not come back, its acts do.
func (sh *shell) sub() *subshell { return &subshell{sh} }

type subshell struct{ of *shell }

func (b *subshell) run(walk func(*shell)) {
	inner := *b.of
	inner.vars = make(map[string]string, len(b.of.vars))
	for k, v := range b.of.vars {
		inner.vars[k] = v
	}
	walk(&inner)
	b.of.acts, b.of.missing, b.of.own = inner.acts, inner.missing, inner.own
}

func (b *subshell) stmt(st *syntax.Stmt, piped bool) {
	b.run(func(sh *shell) { sh.stmt(st, piped) })
}

func (b *subshell) stmts(list []*syntax.Stmt) { b.run(func(sh *shell) { sh.stmts(list) }) }

// redirected is the text that a here-document gives to a command.
type redirected struct{ body string }

// redirect notes what a statement reads before it starts; true if its input comes from a redirection.
func (sh *shell) redirect(r *syntax.Redirect, in **redirected) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut:
		for _, w := range sh.fields([]*syntax.Word{r.Word}) {
			if ps := sh.files(w); len(ps) > 0 {
				sh.note(act{kind: event.KindRead, paths: ps})
			}
		}
		return true
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			*in = &redirected{sh.heredoc(r.Hdoc)}
		}
		return true
	case syntax.WordHdoc:
		return true
	}
	return false
}

// written notes what a statement's output went to.
func (sh *shell) written(r *syntax.Redirect) {
	kind := event.KindWrite
	switch r.Op {
	case syntax.RdrOut, syntax.ClbOut, syntax.RdrAll:
	case syntax.AppOut, syntax.AppAll:
		kind = event.KindEdit
	default:
		return
	}
	if r.N != nil && r.N.Value == "2" {
		return
	}
	for _, w := range sh.fields([]*syntax.Word{r.Word}) {
		sh.write(kind, w)
	}
}

// note keeps an act. Doubles, as in loops, are dropped.
func (sh *shell) note(a act) {
	if len(sh.acts) >= maxActs {
		return
	}
	a.paths, a.named = sh.clean(a), sh.keep(a.named, event.MaxSeen)
	if len(a.paths) == 0 && (a.kind.Open() || a.kind == event.KindRename || a.kind == event.KindDelete) {
		return
	}
	for _, b := range sh.acts {
		if a.kind == b.kind && a.pattern == b.pattern && a.kind != event.KindRun && a.kind != event.KindRename &&
			equal(a.paths, b.paths) && equal(a.named, b.named) && len(a.dirs) == len(b.dirs) {
			return
		}
	}
	sh.acts = append(sh.acts, a)
}

// clean drops ignored files, and keeps the two sides of a rename in step.
func (sh *shell) clean(a act) []event.Path {
	if a.kind == event.KindRename {
		return a.paths
	}
	return sh.keep(a.paths, maxBelow)
}

func equal(a, b []event.Path) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
