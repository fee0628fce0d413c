package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// source is a package as it stands in its folder, with types.
type source struct {
	dir      string // folder of the package, relative to the repository
	pkg      string // name of the package
	set      *token.FileSet
	names    []string // names of its files, from the root of the repository
	texts    []string // contents of these files
	files    []*ast.File
	info     types.Info
	importer types.Importer
}

// load reads the files that the go command compiles on this machine.
func load(ctx context.Context, dir string) (*source, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-deps", "-export", "-f",
		`{{.ImportPath}} {{.Export}}{{if not .DepOnly}} {{.Name}}{{range .GoFiles}} {{.}}{{end}}{{end}}`, "./"+dir).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", dir, err)
	}
	s := &source{dir: dir, set: token.NewFileSet(), info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
	exports := map[string]string{} // the file of each imported package
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), " ")
		if len(f) > 1 {
			exports[f[0]] = f[1]
		}
		if len(f) > 2 {
			s.pkg, s.names = f[2], f[3:]
		}
	}
	s.importer = importer.ForCompiler(s.set, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for i, name := range s.names {
		s.names[i] = filepath.Join(dir, name)
		text, err := os.ReadFile(s.names[i])
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(s.set, s.names[i], text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.texts, s.files = append(s.texts, string(text)), append(s.files, f)
	}
	return s, s.check(s.files, &s.info)
}

func (s *source) check(files []*ast.File, info *types.Info) error {
	config := types.Config{Importer: s.importer, FakeImportC: true}
	_, err := config.Check(s.pkg, s.set, files, info)
	return err
}

// compiles reports whether the package still compiles if some of its files have other texts.
func (s *source) compiles(changed map[string]string) bool {
	files := slices.Clone(s.files)
	for name, text := range changed {
		f, err := parser.ParseFile(s.set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return false
		}
		if i := slices.Index(s.names, name); i >= 0 {
			files[i] = f
		} else {
			files = append(files, f)
		}
	}
	return s.check(files, nil) == nil
}

// typeOf returns the type of a constant as the files of the package write it.
func (s *source) typeOf(e ast.Expr) string {
	t := s.info.Types[e].Type
	if t == nil {
		return "int"
	}
	return types.TypeString(types.Default(t), func(p *types.Package) string {
		if p.Path() == s.pkg {
			return ""
		}
		return p.Name()
	})
}
