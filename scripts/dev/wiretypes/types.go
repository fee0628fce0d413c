// Package wiretypes writes the tables of docs/api.md and docs/json.md: it reads the requests of package
// api, and the types of requests, answers and printed JSON, from the source of the program. Only the
// tests that hold the pages to the source import it.
package wiretypes

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/markdown"
)

// module is the name of the module, which stands in imports.
const module = "github.com/aoa-dev/aoa"

// Types reads types and their comments.
type Types struct {
	top      string // the root of the repository
	packages map[string]*wirePackage
	todo     []string // DIR.Name of the types that were named and are not described yet

	Done      []string // DIR.Name of the types that were described
	Elsewhere []string // DIR.Name of the types that docs/api.md describes
}

// New returns the types of the repository in a folder, of which none is described yet.
func New(top string) *Types { return &Types{top: top, packages: map[string]*wirePackage{}} }

type wirePackage struct {
	types   map[string]*ast.TypeSpec
	docs    map[string]string
	imports map[string]string // name → folder of the tree
	vars    []*ast.ValueSpec
}

// load parses the package in a folder of the tree.
func (s *Types) load(dir string) *wirePackage {
	if p := s.packages[dir]; p != nil {
		return p
	}
	p := &wirePackage{types: map[string]*ast.TypeSpec{}, docs: map[string]string{}, imports: map[string]string{}}
	s.packages[dir] = p
	files, _ := filepath.Glob(filepath.Join(s.top, dir, "*.go"))
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		for _, i := range f.Imports {
			if full, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(full, module+"/") {
				p.imports[path.Base(full)] = strings.TrimPrefix(full, module+"/")
			}
		}
		for _, d := range f.Decls {
			g, is := d.(*ast.GenDecl)
			if !is {
				continue
			}
			for _, spec := range g.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					p.types[spec.Name.Name] = spec
					doc := spec.Doc
					if doc == nil {
						doc = g.Doc
					}
					p.docs[spec.Name.Name] = sentence(doc)
				case *ast.ValueSpec:
					if spec.Doc == nil && len(g.Specs) == 1 {
						spec.Doc = g.Doc
					}
					p.vars = append(p.vars, spec)
				}
			}
		}
	}
	return p
}

// sentence is a comment as one line of a table.
func sentence(c *ast.CommentGroup) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(strings.TrimSpace(c.Text()))
}

// Route is a request: its method, its path below /v1, what it asks, and the types of its body and its
// answer.
type Route struct{ Method, Path, About, Req, Res string }

// Routes lists the requests of package api in the order of their paths.
func (s *Types) Routes(t testing.TB) (all []Route) {
	p := s.load("internal/api")
	for _, v := range p.vars {
		for _, value := range v.Values {
			lit, is := value.(*ast.CompositeLit)
			if !is {
				continue
			}
			generic, is := lit.Type.(*ast.IndexListExpr)
			if !is || len(generic.Indices) != 2 {
				continue
			}
			about := strings.TrimPrefix(sentence(v.Doc), v.Names[0].Name+" ")
			r := Route{Method: "POST", About: strings.ToUpper(about[:min(1, len(about))]) + about[min(1, len(about)):],
				Req: s.name("internal/api", generic.Indices[0]), Res: s.name("internal/api", generic.Indices[1])}
			for _, e := range lit.Elts {
				if pair, is := e.(*ast.KeyValueExpr); is {
					e = pair.Value
				}
				if word, is := e.(*ast.BasicLit); is && word.Kind == token.STRING {
					if text, _ := strconv.Unquote(word.Value); strings.HasPrefix(text, "/") {
						r.Path = text
					} else {
						r.Method = text
					}
				}
			}
			if r.About == "" {
				t.Errorf("%s has no comment that says what it asks", v.Names[0].Name)
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Route) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Link names a type and notes that it is to be described.
func (s *Types) Link(dir, name string) string {
	key, title, page := dir+"."+name, path.Base(dir)+"."+name, ""
	if slices.Contains(s.Elsewhere, key) {
		page = "api.md"
	} else if !slices.Contains(s.todo, key) && !slices.Contains(s.Done, key) {
		s.todo = append(s.todo, key)
	}
	return "[" + title + "](" + page + "#" + strings.ToLower(strings.ReplaceAll(title, ".", "")) + ")"
}

// name is how a page names the JSON of a type that is written in a package.
func (s *Types) name(dir string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return s.name(dir, e.X)
	case *ast.ArrayType:
		if id, is := e.Elt.(*ast.Ident); is && id.Name == "byte" {
			return "text"
		}
		return "list of " + s.name(dir, e.Elt)
	case *ast.MapType:
		return "map of " + s.name(dir, e.Value)
	case *ast.SelectorExpr:
		pkg := e.X.(*ast.Ident).Name
		if from, ours := s.load(dir).imports[pkg]; ours {
			return s.name(from, e.Sel)
		}
		return map[string]string{"time.Time": "time", "time.Duration": "nanoseconds", "json.RawMessage": "any"}[pkg+"."+e.Sel.Name]
	case *ast.Ident:
		switch spec := s.load(dir).types[e.Name]; {
		case e.Name == "None":
			return ""
		case e.Name == "Facts": // its own form
			return "map of number"
		case spec == nil:
			switch {
			case e.Name == "string", e.Name == "bool":
				return map[string]string{"string": "string", "bool": "true or false"}[e.Name]
			case strings.HasPrefix(e.Name, "int"), strings.HasPrefix(e.Name, "uint"), strings.HasPrefix(e.Name, "float"):
				return "number"
			}
			return "any"
		default:
			if _, is := spec.Type.(*ast.StructType); is {
				return s.Link(dir, e.Name)
			}
			return s.name(dir, spec.Type)
		}
	}
	return "any"
}

// Describe describes all types that were named, and those that these name.
func (s *Types) Describe(t testing.TB) string {
	var all []string
	for len(s.todo) > 0 {
		key := s.todo[0]
		s.todo, s.Done = s.todo[1:], append(s.Done, key)
		i := strings.LastIndexByte(key, '.')
		dir, name := key[:i], key[i+1:]
		form := name
		if key == "internal/event.Event" {
			form = "envelope" // the fields of its JSON
		}
		spec := s.load(dir).types[form]
		if spec == nil {
			t.Errorf("there is no type %s", key)
			continue
		}
		text := "### " + path.Base(dir) + "." + name + "\n\n" + markdown.Wrap(s.load(dir).docs[name]) + "\n"
		if rows := s.fields(dir, spec.Type.(*ast.StructType)); rows != "" {
			text += "\n| field | type | meaning |\n| --- | --- | --- |\n" + rows
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// fields are the rows of a struct's fields; those of an embedded struct stand among them.
func (s *Types) fields(dir string, st *ast.StructType) string {
	var b strings.Builder
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			from, name := dir, ""
			switch e := f.Type.(type) {
			case *ast.Ident:
				name = e.Name
			case *ast.SelectorExpr:
				from, name = s.load(dir).imports[e.X.(*ast.Ident).Name], e.Sel.Name
			}
			if spec := s.load(from).types[name]; spec != nil {
				if inner, is := spec.Type.(*ast.StructType); is {
					b.WriteString(s.fields(from, inner))
				}
			}
			continue
		}
		var tag string
		if f.Tag != nil {
			raw, _ := strconv.Unquote(f.Tag.Value)
			tag = reflect.StructTag(raw).Get("json")
		}
		for _, n := range f.Names {
			name, options, _ := strings.Cut(tag, ",")
			if name == "-" || !n.IsExported() {
				continue
			}
			if name == "" {
				name = n.Name
			}
			kind := s.name(dir, f.Type)
			if strings.HasPrefix(options, "omit") {
				kind += "?"
			}
			about := strings.TrimSpace(sentence(f.Doc) + " " + sentence(f.Comment))
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, kind, about)
		}
	}
	return b.String()
}
