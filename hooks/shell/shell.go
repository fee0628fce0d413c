package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Limits for one command line. What exceeds them is not read.
const (
	MaxLine   = 64 << 10 // bytes of a command line that are parsed
	maxOps    = 60       // operations that are kept
	maxSteps  = 2000     // simple commands that are walked, with loops unrolled
	maxNest   = 4        // bash -c inside bash -c
	maxParens = 2000     // opening brackets; no person nests commands deeper
	maxLoop   = 30       // rounds of a for loop
	maxNamed  = 5        // files that a pattern may match to count as naming them
)

// lost is the working folder after a cd to an unknown place. No relative name leads into the
// repository from there.
const lost = "?"

// Op is one thing that a command line did.
type Op struct {
	Kind    event.Kind
	Paths   []event.Path // files acted upon
	Named   []event.Path // files only named
	Dirs    []string     // folders that were searched or listed, absolute
	Pattern string       // the text that was searched for
	Words   string       // further text for terms
	Listing bool         // it prints names, or lines that begin with one
	Silent  bool         // it prints nothing of interest
	// The operand that Paths come from. It is zero for a pattern, and if the command's messages do
	// not name operands.
	Operand Operand
	// No file has the name of the operand; Paths is the only file whose path ends in it.
	Guessed bool
}

// Operand is a file name as it was typed.
type Operand struct {
	Name string
	Dir  string // the working folder; it may be unknown
}

// Line is a command line, and where it ran.
type Line struct {
	Text string
	Dir  string // absolute; "" means that of the Locator
	Cut  bool   // its end may be missing
}

// Result is what a command line did, in the order of the line. Op.Kind tells which files were read,
// searched, edited and written; Program.Class tells which programs are checks and commits.
type Result struct {
	Ops      []Op      // at most maxOps
	Programs []Program // at most maxPrograms; programs in substitutions are left out
	Missing  []Operand // operands of commands that read files, if they are not known files
	Dir      string    // the folder where the line began; it may be unknown
	End      string    // the folder where it ended
	Self     bool      // aOa itself was called; its answer must not be learned

	unsure bool // the status of the line may not be that of its last program
}

// Follow walks a command line as a shell would, but runs nothing. It keeps track of the working
// folder and of variables with known values, and records each program and what the program does to
// files.
func Follow(at *index.Locator, line Line) Result {
	sh := &walker{Locator: at, dir: line.Dir, vars: map[string]string{}, result: &Result{},
		steps: new(int), values: new(int)}
	if sh.dir == "" {
		sh.dir = at.Cwd
	}
	if sh.dir == "" {
		sh.dir = lost
	}
	sh.result.Dir, sh.result.unsure = sh.dir, line.Cut
	sh.script(line.Text, place{always: true, done: true, alone: true})
	sh.result.End = sh.dir
	sh.result.judge(*sh.steps > maxSteps)
	return *sh.result
}

// walker is the state of one shell: that of the line, or a subshell.
type walker struct {
	*index.Locator
	dir, prev string
	vars      map[string]string
	// the commands are in a substitution or in a later round of a loop, whose programs do not count
	aside  bool
	mute   bool // the line cannot be parsed, so it is not known what its programs did
	nest   int
	result *Result // shared by all shells of the line
	steps  *int    // shared by all shells of the line
	values *int    // bytes of the variables that the line has used
}

// Join turns ["bash", "-lc", "command"] back into the command. Other lists of arguments are joined
// word by word.
func Join(argv []string) string {
	if len(argv) >= 3 && strings.HasSuffix(argv[0], "sh") && strings.HasPrefix(argv[1], "-") &&
		strings.HasSuffix(argv[1], "c") {
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

// script parses and walks a piece of shell. A script that cannot be parsed counts as run, with the
// files that it names and the programs that can be recognized.
func (sh *walker) script(src string, at place) {
	f := parseShell(src)
	if f != nil {
		sh.stmts(f.Stmts, at)
		return
	}
	sh.note(Op{Kind: event.KindRun, Named: sh.Mentions(src, false)})
	rest := sh.sub()
	rest.mute, rest.result.unsure = true, true
	if f = parseShell(src, syntax.RecoverErrors(maxErrors)); f != nil {
		rest.stmts(f.Stmts, at)
	}
}

func parseShell(src string, how ...syntax.ParserOption) (f *syntax.File) {
	if strings.Count(src, "(")+strings.Count(src, "{")+strings.Count(src, "`") > maxParens {
		return nil
	}
	// The parser is third-party code, and its input may come from anywhere. If it panics, the text
	// does not count as a command.
	defer func() {
		if recover() != nil {
			f = nil
		}
	}()
	f, err := syntax.NewParser(append(how, syntax.Variant(syntax.LangBash))...).Parse(strings.NewReader(src), "")
	if err != nil {
		return nil
	}
	return f
}

// stmts walks statements one after the other. The status of the last one is the status of all.
func (sh *walker) stmts(list []*syntax.Stmt, at place) {
	for i, st := range list {
		at.alone = at.alone && len(list) == 1
		if i < len(list)-1 {
			sh.stmt(st, place{always: at.always})
		} else {
			at.piped = false
			sh.stmt(st, at)
		}
	}
}

// stmt walks one statement.
func (sh *walker) stmt(st *syntax.Stmt, at place) {
	if st == nil || *sh.steps > maxSteps {
		return
	}
	*sh.steps++
	at = at.within(st)
	var in *string
	for _, r := range st.Redirs {
		if sh.redirect(r, &in) {
			at.piped = true
		}
	}
	switch x := st.Cmd.(type) {
	case *syntax.CallExpr:
		sh.call(x, at, in)
	case *syntax.BinaryCmd:
		sh.binary(x, at)
	case *syntax.Subshell:
		sh.sub().stmts(x.Stmts, at)
	case *syntax.TimeClause:
		sh.stmt(x.Stmt, at)
	case *syntax.DeclClause:
		sh.assign(x.Args)
	case *syntax.Block:
		sh.stmts(x.Stmts, at)
	case *syntax.FuncDecl:
		sh.result.unsure = true // any name may now be a function
	default:
		sh.compound(st.Cmd)
	}
	for _, r := range st.Redirs {
		sh.written(r)
	}
}

// binary walks two statements that are joined by an operator.
func (sh *walker) binary(x *syntax.BinaryCmd, at place) {
	left, right := place{piped: at.piped, always: at.always}, place{piped: at.piped}
	switch x.Op {
	case syntax.Pipe, syntax.PipeAll:
		left.done = at.done
		sh.sub().stmt(x.X, left)
		sh.sub().stmt(x.Y, place{piped: true, always: at.always, done: at.done})
		return
	case syntax.AndStmt:
		left.done, right.done = at.done, at.done
	}
	sh.stmt(x.X, left)
	sh.stmt(x.Y, right)
}

// compound walks every branch of a compound command, because no one knows which one was taken.
func (sh *walker) compound(cmd syntax.Command) {
	switch x := cmd.(type) {
	case *syntax.IfClause:
		for ; x != nil; x = x.Else {
			sh.stmts(x.Cond, place{})
			sh.stmts(x.Then, place{})
		}
	case *syntax.WhileClause:
		sh.stmts(x.Cond, place{})
		sh.stmts(x.Do, place{})
	case *syntax.CaseClause:
		for _, item := range x.Items {
			sh.stmts(item.Stmts, place{})
		}
	case *syntax.ForClause:
		sh.loop(x)
	}
}

// loop walks the body once per known item, or once with an unknown one.
func (sh *walker) loop(x *syntax.ForClause) {
	it, ok := x.Loop.(*syntax.WordIter)
	if !ok || it.Name == nil {
		sh.stmts(x.Do, place{})
		return
	}
	rounds, aside := 0, sh.aside
	for _, w := range sh.fields(it.Items) {
		for _, item := range sh.spread(w) {
			if rounds++; rounds <= maxLoop {
				sh.vars[it.Name.Value] = item
				sh.stmts(x.Do, place{})
				sh.aside = true
			}
		}
	}
	sh.aside = aside
	delete(sh.vars, it.Name.Value)
	if rounds == 0 {
		sh.stmts(x.Do, place{})
	}
}

// substituted walks the commands inside of a word.
func (sh *walker) substituted(list []*syntax.Stmt) {
	in := sh.sub()
	in.aside = true
	in.stmts(list, place{})
}

// sub returns a subshell. Its cd and its variables do not affect the outer shell.
func (sh *walker) sub() *walker {
	inner := *sh
	inner.vars = maps.Clone(sh.vars)
	return &inner
}

// redirect records what a statement reads before it starts. It returns true if its input comes from
// a redirection.
func (sh *walker) redirect(r *syntax.Redirect, in **string) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut:
		for _, w := range sh.fields([]*syntax.Word{r.Word}) {
			sh.touched(event.KindRead, w)
		}
		return true
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			*in = new(sh.heredoc(r.Hdoc))
		}
		return true
	case syntax.WordHdoc:
		return true
	}
	return false
}

// written records the file to which a statement's output went.
func (sh *walker) written(r *syntax.Redirect) {
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

// note keeps an Op. Duplicates, as in loops, are dropped.
func (sh *walker) note(a Op) {
	if sh.mute || len(sh.result.Ops) >= maxOps {
		return
	}
	a.Paths = sh.Keep(a.Paths, event.MaxSeen)
	a.Named = sh.Keep(a.Named, event.MaxSeen)
	if len(a.Paths) == 0 && a.Kind.Open() {
		return
	}
	for _, b := range sh.result.Ops {
		if a.Kind == b.Kind && a.Pattern == b.Pattern && a.Kind != event.KindRun &&
			slices.Equal(a.Paths, b.Paths) && slices.Equal(a.Named, b.Named) && len(a.Dirs) == len(b.Dirs) {
			return
		}
	}
	sh.result.Ops = append(sh.result.Ops, a)
}
