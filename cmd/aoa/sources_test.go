package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// sourceRule is something that few files of the product may do.
type sourceRule struct {
	what   string
	forbid *regexp.Regexp
	allow  *regexp.Regexp    // what forbid matches and is allowed everywhere; nil: nothing
	except map[string]string // files, or folders with all that is in them, and why
}

var sourceRules = []sourceRule{
	{
		// os.ReadFile waits for a pipe and reads a link to /dev/zero until memory ends.
		what: "reads a file without package regularfile",
		forbid: regexp.MustCompile(`\b\w+\.ReadFile\(|\b(?:os|disk|dir|root)\.Open(?:File)?\(.*|` +
			`\bio\.ReadAll\((?:io\.LimitReader)?`),
		allow: regexp.MustCompile(`OpenFile\(.*O_WRONLY|ReadAll\(io\.LimitReader`),
		except: map[string]string{
			"internal/regularfile":            "the one reader of files",
			"cmd/aoa/cache.go":                "the daemon's answer",
			"internal/stage/run/step.go":      "the daemon's answer",
			"internal/mcp/cache.go":           "the daemon's answer",
			"hooks/client/spawn.go":           "the system's empty file",
			"internal/api/spawn.go":           "the system's empty file",
			"internal/atomicfile/write.go":    "it writes: folders that it syncs, files that it made",
			"internal/api/hook.go":            "a request, whose size the server bounds",
			"internal/daemon/stagehandler.go": "a request, whose size the server bounds",
			"internal/cold/inspect.go":        "it writes: the database before SQLite opens it",
			"internal/cold/sync.go":           "it writes: the database and its folder",
			"internal/peer/folder_unix.go":    "a folder",
		},
	},
	{
		// Only package git starts git, since it alone knows the settings under which a hostile
		// repository runs nothing.
		what: "starts a program",
		forbid: regexp.MustCompile(`\bexec\.Command|\bexec\.Cmd\{|\.(?:StartProcess|ForkExec|CreateProcess\w*|ShellExecute)\(|` +
			`\b(?:syscall|unix)\.Exec\(|^import .* "os/exec"|^\t[\w.]+ "os/exec"`),
		except: map[string]string{
			"internal/git/git.go":         "git",
			"internal/api/spawn.go":       "aoa itself: the daemon",
			"hooks/client/spawn.go":       "aoa itself: the daemon",
			"internal/stage/run/tool.go":  "the tool that the user names for a stage",
			"internal/stage/run/child.go": "the command that the user names for a stage",
			"cmd/aoa/hooks_examine.go":    "the hook command that is installed",
			"cmd/aoa/report.go":           "the browser of the user",
		},
	},
	{
		what:   "imports a part of go-git that can start git",
		forbid: regexp.MustCompile(`"github\.com/go-git/go-git/v5"|go-git/v5/plumbing/transport`),
	},
	{
		// Package text/template calls methods by name, so the linker keeps every exported method of
		// the program: 9 MB. Cobra has templates for texts of one's own.
		what:   "uses a template",
		forbid: regexp.MustCompile(`"(?:text|html)/template"|\.Set(?:Usage|Help|Version)Template\(`),
	},
}

// TestSources: the product, which is everything but scripts, keeps the rules above.
func TestSources(t *testing.T) {
	unused := map[string]bool{}
	for _, r := range sourceRules {
		for name := range r.except {
			unused[r.what+" "+name] = true
		}
	}
	fault.Check(t, filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Clean("../..")+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || name == "scripts" || name == "bin" || name == "dist" ||
			strings.HasPrefix(e.Name(), ".") && e.Name() != ".."):
			return fs.SkipDir
		case e.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, r := range sourceRules {
			found := r.in(string(text))
			excused := false
			for excuse := range r.except {
				if name == excuse || strings.HasPrefix(name, excuse+"/") {
					excused = true
					if found != "" {
						delete(unused, r.what+" "+excuse)
					}
				}
			}
			if found != "" && !excused {
				t.Errorf("%s %s: %s", name, r.what, found)
			}
		}
		return err
	}))
	for excuse := range unused {
		t.Errorf("it is excused and does not happen: %s", excuse)
	}
}

// in is the first line of a text that breaks the rule, "" for none.
func (r sourceRule) in(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		for _, m := range r.forbid.FindAllString(line, -1) {
			if r.allow == nil || !r.allow.MatchString(m) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// TestSourcesRefuses: the rules find what they forbid.
func TestSourcesRefuses(t *testing.T) {
	for line, want := range map[string]int{
		`os.ReadFile(n)`: 0, `os.OpenFile(n, os.O_RDWR, 0)`: 0, `dir.Open(n)`: 0, `io.ReadAll(r)`: 0,
		`exec.CommandContext(ctx, "git")`: 1, `exec.Cmd{Path: "git"}`: 1, `syscall.Exec("git", nil, nil)`: 1, `	x "os/exec"`: 1,
		`	"github.com/go-git/go-git/v5"`: 2,
		`	"text/template"`:               3, `c.SetHelpTemplate("x")`: 3,
		`os.OpenFile(n, os.O_WRONLY|x, 0)`: -1, `io.ReadAll(io.LimitReader(r, 5))`: -1, `regularfile.Open(n, 0)`: -1,
		`exec.LookPath("git")`: -1, `// os.ReadFile waits`: -1,
	} {
		for i, r := range sourceRules {
			fault.Same(t, fmt.Sprintf("rule %d finds %s", i, line), r.in(line) != "", i == want)
		}
	}
}
