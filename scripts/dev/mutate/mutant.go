package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/token"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// mutant is one small change of one file.
type mutant struct {
	dir, file  string // path from the root of the repository
	line       int
	start, end int // bytes of the file that are replaced
	old, new   string
	operator   string
	order      string // hash that decides which places are drawn first
	killed     string // the test that noticed, "" if none did

	// The same change as a choice at run time: before and after are written around the bytes from
	// to to, and between takes the place of start to end if it is not empty. A # is the number of
	// the mutant. See program.
	from, to               int
	before, between, after string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s → %s", m.file, m.line, m.operator, oneLine(m.old), oneLine(m.new))
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "nothing"
	}
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// changedSince returns the Go files that differ from a revision. If since is "", the map is empty,
// which means all files of the packages.
func changedSince(ctx context.Context, since string) (map[string]bool, error) {
	changed := map[string]bool{}
	if since == "" {
		return changed, nil
	}
	out, err := exec.CommandContext(ctx, "git", "diff", "--name-only", "-z", since, "--", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w", since, err)
	}
	for _, name := range strings.Split(string(out), "\x00") {
		changed[name] = true
	}
	return changed, nil
}

// placesOf returns every mutant of a package, in the order in which the seed draws them.
func placesOf(p *source, seed string) []mutant {
	var found []mutant
	for i, f := range p.files {
		w := walker{source: p, file: p.names[i], text: p.texts[i], seed: seed, times: map[string]int{}}
		for _, d := range f.Decls {
			w.function = "declarations"
			if fn, ok := d.(*ast.FuncDecl); ok {
				w.function = fn.Name.Name
			}
			ast.Inspect(d, w.visit)
		}
		found = append(found, w.found...)
	}
	slices.SortFunc(found, func(a, b mutant) int { return strings.Compare(a.order, b.order) })
	return found
}

// walker collects the mutants of a file.
type walker struct {
	*source
	file, text, function, seed string
	times                      map[string]int // how often the same change was already made in a function
	found                      []mutant
}

// What is written before and after a condition that a mutant makes true, makes false, or turns
// around.
const (
	orMutant, andNot, turned, closed = "(mutantOn(#)||(", "(!mutantOn(#)&&(", "(mutantOn(#)!=(", "))"
)

func (w *walker) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.Field:
		return false
	case *ast.BasicLit:
		w.constant(n)
	case *ast.BinaryExpr:
		w.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			w.add("negation dropped", n, w.textOf(n.X), n, turned, closed)
		}
	case *ast.IfStmt:
		if n.Init == nil { // otherwise a variable that Init declares would be unused
			w.add("condition always true", n.Cond, "true", n.Cond, orMutant, closed)
			w.add("condition never true", n.Cond, "false", n.Cond, andNot, closed)
		}
	case *ast.Ident:
		if n.Name == "true" {
			w.add("true is false", n, "false", n, andNot, closed)
		} else if n.Name == "false" {
			w.add("false is true", n, "true", n, orMutant, closed)
		}
	case *ast.ExprStmt:
		w.add("statement dropped", n, "", n, "if !mutantOn(#) {", "}")
	case *ast.IncDecStmt:
		w.add("statement dropped", n, "", n, "if !mutantOn(#) {", "}")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			w.add("statement dropped", n, "", n, "if !mutantOn(#) {", "}")
		}
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE && n.Label == nil {
			w.add("continue is break", n, "break", n, "if mutantOn(#) {break}; ", "")
		}
	}
	return true
}

// constant makes a number ten times larger and halves it. 0 becomes 1 and 1 becomes 2 and 0.
func (w *walker) constant(n *ast.BasicLit) {
	add := func(operator, value string) {
		w.add(operator, n, value, n, "mutantConstant["+w.typeOf(n)+"](#,", ","+value+")")
	}
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseInt(n.Value, 0, 64)
		if err != nil {
			return
		}
		switch v {
		case 0:
			add("constant", "1")
		case 1:
			add("constant", "2")
			add("constant", "0")
		default:
			add("constant ten times larger", strconv.FormatInt(v*10, 10))
			add("constant halved", strconv.FormatInt(v/2, 10))
		}
	case token.FLOAT:
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			return
		}
		if v == 0 {
			add("constant", "1")
			return
		}
		add("constant ten times larger", strconv.FormatFloat(v*10, 'g', -1, 64))
		add("constant halved", strconv.FormatFloat(v/2, 'g', -1, 64))
	}
}

var swapped = map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.LSS: "<=",
	token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "=="}

func (w *walker) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND:
		w.add("condition dropped", n, w.textOf(n.X), n.Y, orMutant, closed)
		w.add("condition dropped", n, w.textOf(n.Y), n.X, orMutant, closed)
	case token.LOR:
		w.add("condition dropped", n, w.textOf(n.X), n.Y, andNot, closed)
		w.add("condition dropped", n, w.textOf(n.Y), n.X, andNot, closed)
	default:
		op, ok := swapped[n.Op]
		if !ok || text(n.X) || text(n.Y) {
			return
		}
		m := mutant{operator: "operator", start: w.offset(n.OpPos), new: op, from: w.offset(n.Pos()), to: w.offset(n.End()),
			before: turned, after: closed}
		m.end = m.start + len(n.Op.String())
		if n.Op != token.EQL && n.Op != token.NEQ {
			m.before, m.between, m.after = choices[n.Op]+"(#,", ",", ")"
		}
		w.draw(m)
	}
}

// text reports whether an operand is a string, which can only be added.
func text(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

func (w *walker) offset(p token.Pos) int { return w.set.Position(p).Offset }

func (w *walker) textOf(n ast.Node) string { return w.text[w.offset(n.Pos()):w.offset(n.End())] }

// add replaces a node by a text. As a choice at run time, before and after are written around
// another node.
func (w *walker) add(operator string, n ast.Node, replaced string, around ast.Node, before, after string) {
	w.draw(mutant{operator: operator, start: w.offset(n.Pos()), end: w.offset(n.End()), new: replaced,
		from: w.offset(around.Pos()), to: w.offset(around.End()), before: before, after: after})
}

func (w *walker) draw(m mutant) {
	m.dir, m.file, m.old, m.line = w.dir, w.file, w.text[m.start:m.end], 1+strings.Count(w.text[:m.start], "\n")
	key := strings.Join([]string{w.seed, w.file, w.function, m.operator, m.old, m.new}, "\x00")
	w.times[key]++
	m.order = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, key, w.times[key])))
	w.found = append(w.found, m)
}
