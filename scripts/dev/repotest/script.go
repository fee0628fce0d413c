package repotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// scripted lets functions that were written for tests end a script.
type scripted struct {
	testing.TB // the test that runs the scripts
	ts         *testscript.TestScript
}

func (s scripted) Helper()                           {}
func (s scripted) Cleanup(do func())                 { s.ts.Defer(do) }
func (s scripted) Log(args ...any)                   { s.ts.Logf("%s", fmt.Sprint(args...)) }
func (s scripted) Error(args ...any)                 { s.ts.Fatalf("%s", fmt.Sprint(args...)) }
func (s scripted) Errorf(format string, args ...any) { s.ts.Fatalf(format, args...) }
func (s scripted) Fatal(args ...any)                 { s.ts.Fatalf("%s", fmt.Sprint(args...)) }
func (s scripted) Fatalf(format string, args ...any) { s.ts.Fatalf(format, args...) }

// Setup gives a script an environment without the settings of a user.
func Setup(e *testscript.Env) error {
	for _, v := range Env(filepath.Join(e.WorkDir, "home")) {
		// The values are those that package testscript sets.
		if name, value, _ := strings.Cut(v, "="); name != "PATH" && name != "TMPDIR" {
			e.Setenv(name, value)
		}
	}
	return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
}

// In returns the repository in the folder of a script, in which errors end the script. tb is the
// test that runs the scripts.
func In(tb testing.TB, ts *testscript.TestScript) *Repo {
	home := filepath.Join(ts.Getenv("WORK"), "home")
	return &Repo{TB: scripted{tb, ts}, Dir: ts.MkAbs("."), Env: Env(home)}
}

// Commands returns what a script may do in the repository of its folder:
//
//	repo NAME [FILE…]        make a repository in the folder NAME, go there, and commit the files
//	git ARG…                 run git; stdout is what it prints
//	write FILE TEXT          write a text to a file; \n in the text ends a line
//	commit SUBJECT [FILE…]   write new contents to the files, and commit all that has changed
//	age                      make all files a week old
func Commands(tb testing.TB) map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"repo": func(ts *testscript.TestScript, _ bool, args []string) {
			r := In(tb, ts)
			r.Git("init", "-q", "-b", "main", filepath.Join(ts.Getenv("WORK"), args[0]))
			ts.Check(ts.Chdir(filepath.Join(ts.Getenv("WORK"), args[0])))
			if files := args[1:]; len(files) > 0 {
				In(tb, ts).Commit("first", files...)
			}
		},
		"git": func(ts *testscript.TestScript, neg bool, args []string) {
			out, err := In(tb, ts).Try(args...)
			fmt.Fprintln(ts.Stdout(), out)
			if (err != nil) != neg {
				ts.Fatalf("git %q: %v\n%s", args, err, out)
			}
		},
		"write": func(ts *testscript.TestScript, _ bool, args []string) {
			In(tb, ts).Write(args[0], strings.ReplaceAll(args[1], `\n`, "\n"))
		},
		"commit": func(ts *testscript.TestScript, _ bool, args []string) { In(tb, ts).Commit(args[0], args[1:]...) },
		"age":    func(ts *testscript.TestScript, _ bool, _ []string) { In(tb, ts).Age() },
	}
}
