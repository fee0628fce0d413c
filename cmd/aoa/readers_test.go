package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the files that read other things than package regularfile does, with the reason. The names are those of
// files, or of folders with all that is in them.
var readers = map[string]string{
	"scripts": "programs of the developers",

	"internal/regularfile": "the one reader of files",

	"cmd/aoa/cache.go":           "the daemon's answer",
	"internal/stage/run/step.go": "the daemon's answer",
	"cmd/aoa/stage_run.go":       "standard input of the step, which runs on it in any case",
	"hooks/client/spawn.go":      "the system's empty file",

	"internal/atomicfile/write.go":    "it writes: folders that it syncs, files that it made",
	"internal/api/hook.go":            "a request, whose size the server bounds",
	"internal/cold/inspect.go":        "it writes: the database before SQLite opens it",
	"internal/cold/sync.go":           "it writes: the database and its folder",
	"internal/api/spawn.go":           "the system's empty file",
	"internal/daemon/stagehandler.go": "a request, whose size the server bounds",
	"internal/mcp/cache.go":           "the daemon's answer",
	"internal/peer/folder_unix.go":    "a folder",
	"watcher/filtered.go":             "what git prints",
}

// TestReaders: every file of a repository or a home is read by package regularfile. os.ReadFile waits for a pipe and
// reads a link to /dev/zero until memory ends.
func TestReaders(t *testing.T) {
	unused := map[string]bool{}
	for name := range readers {
		unused[name] = true
	}
	err := filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		path := filepath.ToSlash(strings.TrimPrefix(name, filepath.Clean("../..")+string(filepath.Separator)))
		if err == nil && e.IsDir() && (e.Name() == "testdata" || path == "bin" || path == "dist" ||
			strings.HasPrefix(e.Name(), ".") && e.Name() != "..") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found := readCalls(t, path, string(text))
		excused := false
		for excuse := range readers {
			if path == excuse || strings.HasPrefix(path, excuse+"/") {
				excused = true
				if len(found) > 0 {
					delete(unused, excuse)
				}
			}
		}
		if !excused && len(found) > 0 {
			t.Errorf("%s: %s: read files by package regularfile, or say in this test why not", path, strings.Join(found, ", "))
		}
		return nil
	})
	check(t, err)
	for name := range unused {
		t.Errorf("%s reads nothing (any more): delete its excuse", name)
	}
}

// TestReadersRefuses: the test must be able to find what it forbids.
func TestReadersRefuses(t *testing.T) {
	for source, want := range map[string]int{
		`os.ReadFile(n)`:                      1,
		`os.Open(n)`:                          1,
		`os.OpenFile(n, os.O_RDONLY, 0)`:      1,
		`os.OpenFile(n, os.O_RDWR, 0)`:        1,
		`os.OpenFile(n, os.O_WRONLY|x, 0)`:    0,
		`fs.ReadFile(d, n)`:                   1,
		`dir.ReadFile(n)`:                     1,
		`io.ReadAll(r)`:                       1,
		`io.ReadAll(io.LimitReader(r, 5))`:    0,
		`os.OpenRoot(n)`:                      0,
		`sql.Open(n)`:                         0,
		`regularfile.Open(n, regularfile.No)`: 0,
		`dir, _ := os.OpenRoot(n); dir.Open(n); dir.OpenFile(n, os.O_RDONLY, 0)`: 2,
		`func(disk *os.Root) { disk.Open(n) }`:                                   1,
	} {
		if got := readCalls(t, "x.go", "package x\nfunc _() { _ = func() { "+source+" } }"); len(got) != want {
			t.Errorf("%s: found %v, want %d", source, got, want)
		}
	}
}

// readCalls finds the calls in a source file that open or read a file without package regularfile.
func readCalls(t *testing.T, name, source string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	check(t, err)
	text := func(n ast.Node) string { return source[n.Pos()-1 : n.End()-1] }
	roots := rootNames(file, text)
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on := text(fun.X)
		opens := on == "os" || slices.Contains(roots, on)
		switch fun.Sel.Name {
		case "ReadFile":
			found = append(found, text(fun))
		case "Open":
			if opens {
				found = append(found, text(fun))
			}
		case "OpenFile":
			if opens && !strings.Contains(text(call.Args[1]), "O_WRONLY") {
				found = append(found, text(fun))
			}
		case "ReadAll":
			if on == "io" && !strings.HasPrefix(text(call.Args[0]), "io.LimitReader(") {
				found = append(found, text(fun))
			}
		}
		return true
	})
	return found
}

// rootNames are the names of variables and parameters that hold an os.Root.
func rootNames(file *ast.File, text func(ast.Node) string) []string {
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 && strings.HasPrefix(text(n.Rhs[0]), "os.OpenRoot(") {
				names = append(names, text(n.Lhs[0]))
			}
		case *ast.Field:
			if text(n.Type) == "*os.Root" {
				for _, name := range n.Names {
					names = append(names, name.Name)
				}
			}
		}
		return true
	})
	return names
}
