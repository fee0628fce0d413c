package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// starters are the functions that start a program, by the package that has them, and the types that do.
var starters = map[string][]string{
	"os/exec":                  {"Command", "CommandContext", "Cmd{}"},
	"os":                       {"StartProcess"},
	"syscall":                  {"StartProcess", "ForkExec", "Exec", "CreateProcess", "CreateProcessAsUser"},
	"golang.org/x/sys/unix":    {"Exec", "ForkExec"},
	"golang.org/x/sys/windows": {"CreateProcess", "ShellExecute"},
}

// mayStart lists the functions of the product, which is everything but scripts, that start a program, and which one.
// Only the first starts git, since it alone knows the settings under which a hostile repository runs nothing.
var mayStart = map[string]string{
	"internal/git/git.go command":            "git",
	"internal/api/spawn.go Spawn":            "aoa itself: the daemon",
	"hooks/client/spawn.go start":            "aoa itself: the daemon",
	"internal/stage/run/tool.go ToolVersion": "the tool that the user names for a stage",
	"internal/stage/run/child.go child":      "the command that the user names for a stage",
	"cmd/aoa/hooks_status.go hookProgram":    "the hook command that is installed",
	"cmd/aoa/statusline.go wrapped":          "the status line that the user had before",
	"cmd/aoa/report.go browse":               "the browser of the user",
}

// TestOneStartsGit: git is started in one place. A new place that starts a program has to be listed above, and is not
// for git.
func TestOneStartsGit(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || path == "../../scripts" ||
			strings.HasPrefix(e.Name(), ".") && e.Name() != ".."):
			return filepath.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		for _, imp := range file.Imports {
			if p, _ := strconv.Unquote(imp.Path.Value); p == "github.com/go-git/go-git/v5" ||
				strings.Contains(p, "go-git/v5/plumbing/transport") {
				t.Errorf("%s imports %s, which can start git", name, p)
			}
		}
		for _, in := range starts(file) {
			found[name+" "+in] = true
		}
		return nil
	})
	check(t, err)
	want := slices.Sorted(maps.Keys(mayStart))
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
		t.Errorf("programs are started by\n%s\nand may be by\n%s\ngit is for package git alone", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// starts lists the functions of a file that start a program, "" for its top level, and "import" for an import
// without a name, behind which nothing is known.
func starts(file *ast.File) (in []string) {
	names := map[string]string{}
	for _, imp := range file.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if imp.Name != nil {
			name = imp.Name.Name
		}
		if starters[path] != nil {
			if names[name] = path; name == "." {
				in = append(in, "import")
			}
		}
	}
	for _, decl := range file.Decls {
		where := ""
		if f, ok := decl.(*ast.FuncDecl); ok {
			where = f.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			suffix := ""
			if lit, ok := n.(*ast.CompositeLit); ok {
				n, suffix = lit.Type, "{}"
			}
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(starters[names[x.Name]], sel.Sel.Name+suffix) {
					in = append(in, where)
				}
			}
			return true
		})
	}
	return in
}

// TestStartsAreFound: the test above must be able to fail.
func TestStartsAreFound(t *testing.T) {
	for source, want := range map[string]string{
		`import "os/exec"; func a() { exec.Command("git") }`:                "a",
		`import x "os/exec"; func a() { f := x.CommandContext; _ = f }`:     "a",
		`import "os/exec"; func a() { _ = &exec.Cmd{Path: "git"} }`:         "a",
		`import . "os/exec"; func a() { Command("git") }`:                   "import",
		`import "os/exec"; var c = exec.Command("git")`:                     "",
		`import "os"; func (b *b) m() { os.StartProcess("git", nil, nil) }`: "m",
		`import "syscall"; func a() { syscall.ForkExec("git", nil, nil) }`:  "a",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x; "+source, parser.SkipObjectResolution)
		check(t, err)
		if got := starts(file); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", source, got)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "x.go",
		`package x; import "os/exec"; func a() { exec.LookPath("git"); var c *exec.Cmd; c.Run() }`, parser.SkipObjectResolution)
	check(t, err)
	if got := starts(file); len(got) > 0 {
		t.Errorf("nothing is started, but found %q", got)
	}
}
