package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// apiMessages are the types and routes of the API, as their source has them.
type apiMessages struct {
	structs map[string]*ast.TypeSpec // by "Name" of package api and "event.Name"
	docs    map[string]string
	routes  []route
	fset    *token.FileSet
}

type route struct{ method, path, req, res string }

// TestMessagesPage holds docs/messages.md to the messages of package api, and docs/api.md to its routes; make golden rewrites the first.
func TestMessagesPage(t *testing.T) {
	m := &apiMessages{structs: map[string]*ast.TypeSpec{}, docs: map[string]string{}, fset: token.NewFileSet()}
	m.read(t, "../../internal/api", "")
	m.read(t, "../../internal/event", "event.")
	if len(m.routes) < 40 {
		t.Fatalf("%d routes: the source is not understood", len(m.routes))
	}
	page, err := os.ReadFile("../../docs/api.md")
	check(t, err)
	for _, r := range m.routes {
		if !strings.Contains(string(page), "`/v1"+r.path) {
			t.Errorf("docs/api.md does not name /v1%s", r.path)
		}
	}
	const file = "../../docs/messages.md"
	text := m.page()
	if *update {
		check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	check(t, err)
	if d := gocmp.Diff(string(want), text); d != "" {
		t.Errorf("make golden accepts it:\n%s", d)
	}
}

func (m *apiMessages) read(t *testing.T, dir, prefix string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	check(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(m.fset, name, nil, parser.ParseComments)
		check(t, err)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					m.structs[prefix+s.Name.Name] = s
					m.docs[prefix+s.Name.Name] = oneLine(g.Doc.Text())
				case *ast.ValueSpec:
					m.route(s)
				}
			}
		}
	}
}

// route takes a value of type Route or Stream.
func (m *apiMessages) route(s *ast.ValueSpec) {
	for _, v := range s.Values {
		lit, ok := v.(*ast.CompositeLit)
		if !ok {
			continue
		}
		of, ok := lit.Type.(*ast.IndexListExpr)
		if !ok || len(of.Indices) != 2 {
			continue
		}
		r := route{method: "POST", req: m.text(of.Indices[0]), res: m.text(of.Indices[1])}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			switch word := strings.Trim(m.text(e), `"`); {
			case strings.HasPrefix(word, "/"):
				r.path = word
			case word == "GET" || word == "POST":
				r.method = word
			}
		}
		m.routes = append(m.routes, r)
	}
}

func (m *apiMessages) text(n ast.Node) string {
	var b strings.Builder
	_ = printer.Fprint(&b, m.fset, n) // a builder takes everything
	return b.String()
}

func oneLine(comment string) string { return strings.Join(strings.Fields(comment), " ") }

// page is the list of routes, then every message that they name.
func (m *apiMessages) page() string {
	var b strings.Builder
	b.WriteString("# The messages of the API\n\nMade by `make golden` from internal/api. [api.md](api.md) says what the " +
		"routes are for.\n\n| route | request | answer |\n| --- | --- | --- |\n")
	slices.SortFunc(m.routes, func(a, b route) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.method, b.method))
	})
	var order []string
	for _, r := range m.routes {
		fmt.Fprintf(&b, "| %s `/v1%s` | %s | %s |\n", r.method, r.path, m.link(r.req, &order), m.link(r.res, &order))
	}
	for i := 0; i < len(order); i++ { // messages name further ones
		name := order[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", name, m.docs[name])
		if st, ok := m.structs[name].Type.(*ast.StructType); ok {
			b.WriteString("\n| field | type | meaning |\n| --- | --- | --- |\n")
			m.fields(&b, st, &order)
		}
	}
	return b.String()
}

// fields writes the fields of a struct, those of what it embeds included.
func (m *apiMessages) fields(b *strings.Builder, st *ast.StructType, order *[]string) {
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			if inner, ok := m.structs[m.text(f.Type)]; ok {
				m.fields(b, inner.Type.(*ast.StructType), order)
			}
			continue
		}
		name := strings.ToLower(f.Names[0].Name)
		if f.Tag != nil {
			name, _, _ = strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		}
		if name == "-" || !f.Names[0].IsExported() {
			continue
		}
		meaning := strings.ReplaceAll(oneLine(f.Doc.Text()+" "+f.Comment.Text()), "|", `\|`)
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, m.link(m.text(f.Type), order), meaning)
	}
}

// link names a type, and puts the structs in it into the order of the page.
func (m *apiMessages) link(typ string, order *[]string) string {
	if typ == "None" {
		return "–"
	}
	base := typ[strings.LastIndexAny(typ, "]*")+1:]
	if s, ok := m.structs[base]; ok {
		if _, ok := s.Type.(*ast.StructType); ok {
			if !slices.Contains(*order, base) {
				*order = append(*order, base)
			}
			return fmt.Sprintf("%s[%s](#%s)", strings.ReplaceAll(strings.TrimSuffix(typ, base), "[", `\[`), base,
				strings.ToLower(strings.ReplaceAll(base, ".", "")))
		}
	}
	return "`" + typ + "`"
}
