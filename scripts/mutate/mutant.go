package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is one small change of one file.
type mutant struct {
	dir, file  string // of the repository
	line       int
	start, end int // bytes of the file that are replaced
	old, new   string
	operator   string
	order      string // hash that decides which places are drawn first
	killed     string // the test that noticed, "" if none did
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

// changedSince returns the Go files that differ from a revision, and all of a package's files without one.
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

// placesOf returns every mutant of the package in dir, in the order in which the seed draws them.
func placesOf(dir, seed string) ([]mutant, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var found []mutant
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "_windows") || strings.Contains(name, "_darwin") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		w := walker{dir: dir, file: name, text: string(text), set: token.NewFileSet(), seed: seed, times: map[string]int{}}
		f, err := parser.ParseFile(w.set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
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
	return found, nil
}

// walker collects the mutants of a file.
type walker struct {
	dir, file, text, function, seed string
	set                             *token.FileSet
	times                           map[string]int // how often a function had the same change
	found                           []mutant
}

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
			w.add("negation dropped", n, w.source(n.X))
		}
	case *ast.IfStmt:
		if n.Init == nil { // what it declares would be unused
			w.add("condition always true", n.Cond, "true")
			w.add("condition never true", n.Cond, "false")
		}
	case *ast.Ident:
		if n.Name == "true" {
			w.add("true is false", n, "false")
		} else if n.Name == "false" {
			w.add("false is true", n, "true")
		}
	case *ast.ExprStmt:
		w.add("statement dropped", n, "")
	case *ast.IncDecStmt:
		w.add("statement dropped", n, "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			w.add("statement dropped", n, "")
		}
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE && n.Label == nil {
			w.add("continue is break", n, "break")
		}
	}
	return true
}

// constant makes a number ten times larger and halves it. 0 becomes 1 and 1 becomes 2 and 0.
func (w *walker) constant(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseInt(n.Value, 0, 64)
		if err != nil {
			return
		}
		switch v {
		case 0:
			w.add("constant", n, "1")
		case 1:
			w.add("constant", n, "2")
			w.add("constant", n, "0")
		default:
			w.add("constant ten times larger", n, strconv.FormatInt(v*10, 10))
			w.add("constant halved", n, strconv.FormatInt(v/2, 10))
		}
	case token.FLOAT:
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			return
		}
		if v == 0 {
			w.add("constant", n, "1")
			return
		}
		w.add("constant ten times larger", n, strconv.FormatFloat(v*10, 'g', -1, 64))
		w.add("constant halved", n, strconv.FormatFloat(v/2, 'g', -1, 64))
	}
}

var swapped = map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.LSS: "<=",
	token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "=="}

func (w *walker) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND, token.LOR:
		w.add("condition dropped", n, w.source(n.X))
		w.add("condition dropped", n, w.source(n.Y))
	default:
		if op, ok := swapped[n.Op]; ok && !text(n.X) && !text(n.Y) {
			at := w.set.Position(n.OpPos).Offset
			w.replace("operator", at, at+len(n.Op.String()), op)
		}
	}
}

// text reports whether an operand is a string, which can only be added.
func text(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

func (w *walker) source(n ast.Node) string {
	return w.text[w.set.Position(n.Pos()).Offset:w.set.Position(n.End()).Offset]
}

func (w *walker) add(operator string, n ast.Node, replaced string) {
	w.replace(operator, w.set.Position(n.Pos()).Offset, w.set.Position(n.End()).Offset, replaced)
}

func (w *walker) replace(operator string, start, end int, replaced string) {
	m := mutant{dir: w.dir, file: w.file, start: start, end: end, old: w.text[start:end], new: replaced, operator: operator,
		line: 1 + strings.Count(w.text[:start], "\n")}
	key := strings.Join([]string{w.seed, w.file, w.function, operator, m.old, m.new}, "\x00")
	w.times[key]++
	m.order = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, key, w.times[key])))
	w.found = append(w.found, m)
}
