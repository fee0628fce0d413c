package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPlatforms: the programs' sources fit together on the other systems, tests left out;
// scripts/dev/cross.sh compiles for all. Checking types takes seconds where compiling all that is
// imported takes minutes.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	noRace(t)
	for _, p := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			system, arch, _ := strings.Cut(p, "/")
			checkTypes(t, system, arch)
		})
	}
}

// checkTypes checks our packages whole, and those that they import by their declarations.
func checkTypes(t *testing.T, system, arch string) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	done := checked{"unsafe": types.Unsafe}
	ours := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; { // what is imported comes first
		var p source
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		own := p.Module.Path == module
		if own {
			ours++
		}
		set := token.NewFileSet()
		conf := types.Config{IgnoreFuncBodies: !own, Importer: imports{done, p.ImportMap},
			Sizes: types.SizesFor("gc", arch), Error: func(err error) {
				if own {
					t.Error(err)
				}
			}}
		done[p.ImportPath], err = conf.Check(p.ImportPath, set, p.parse(t, set), nil)
		if err != nil && !own {
			t.Fatalf("%s: %v", p.ImportPath, err)
		}
	}
	if ours < 10 {
		t.Errorf("%d packages of ours were looked at", ours)
	}
}

// source is a package as go list names it.
type source struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          struct{ Path string }
}

func (p source) parse(t *testing.T, set *token.FileSet) (files []*ast.File) {
	t.Helper()
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		fault.Check(t, err)
		files = append(files, f)
	}
	return files
}

// checked are the packages that were checked, by import path.
type checked map[string]*types.Package

// imports finds what one package imports: the standard library's own imports have other names than
// paths.
type imports struct {
	checked
	renamed map[string]string
}

func (i imports) Import(name string) (*types.Package, error) {
	if as, ok := i.renamed[name]; ok {
		name = as
	}
	if p := i.checked[name]; p != nil {
		return p, nil
	}
	return nil, errors.New("no build for " + name)
}
