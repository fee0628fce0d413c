package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const module = "github.com/aoa-dev/aoa"

// allowed is the import law: what a package of this module may import of it. The packages are in
// the order in which data flows.
var allowed = map[string][]string{
	"internal/event":         {},
	"internal/codec":         {},
	"scripts/dev/eventtest":  {"internal/event"},
	"scripts/dev/hooktest":   {"internal/api", "internal/locate"},
	"scripts/dev/daemontest": {"internal/api", "internal/config", "internal/daemon", "internal/locate", "scripts/dev/fault", "scripts/dev/repotest", "watcher"},
	"internal/atomicfile":    {},
	"internal/config":        {"internal/atomicfile", "internal/regularfile"},
	"scripts/dev/clients":    {"hooks/agents", "internal/event", "scripts/dev/fault", "scripts/dev/repotest"},
	"scripts/dev/fault":      {},
	"scripts/dev/repotest":   {"scripts/dev/fault"},
	"internal/peer":          {},
	"internal/schedule":      {},
	"internal/locate":        {"internal/atomicfile", "internal/regularfile"},
	"scripts":                {},
	"scripts/dev/gitleaks":   {},
	"scripts/dev/mutate":     {},
	"scripts/dev/wiretypes":  {"scripts/dev/markdown"},
	"scripts/dev/markdown":   {},
	"internal/index":         {"internal/event", "internal/regularfile", "internal/schedule"},
	"internal/redact":        {"internal/event", "internal/index"},
	"hooks/agents":           {},
	"hooks/client":           {"internal/atomicfile", "internal/locate", "internal/peer", "hooks/agents", "internal/regularfile"},
	"watcher": {"internal/event", "internal/index", "internal/config", "internal/locate", "internal/redact",
		"internal/regularfile", "internal/git", "internal/schedule"},
	"hooks/shell": {"internal/event", "internal/index"},
	"hooks/install": {"hooks/agents", "internal/config", "internal/atomicfile", "scripts", "internal/git",
		"internal/regularfile"},
	"hooks":            {"hooks/agents", "hooks/shell", "internal/event", "internal/index", "internal/redact"},
	"hooks/transcript": {"hooks", "internal/event", "internal/index", "internal/redact", "internal/regularfile"},
	"internal/hot":     {"internal/codec", "internal/event"},
	"internal/history": {"internal/codec", "internal/event", "internal/index"},
	"internal/team":    {"internal/event", "internal/config", "internal/regularfile", "internal/schedule"},
	"internal/cold":    {"internal/codec", "internal/event", "internal/history", "internal/atomicfile", "internal/regularfile"},
	"internal/blame":   {"internal/cold", "internal/event", "watcher"},
	"internal/api": {"internal/blame", "internal/change", "internal/cold", "internal/event", "internal/history", "internal/hot", "internal/index", "internal/locate",
		"internal/llmcache", "internal/peer", "internal/regularfile", "internal/reload", "internal/schedule", "internal/session", "internal/session/contexts",
		"internal/stage", "internal/stage/pipeline", "internal/team", "prefetch"},
	"learn":                     {"internal/event", "internal/hot", "internal/session"},
	"rank":                      {"internal/event", "internal/index", "internal/hot", "internal/session"},
	"prefetch":                  {"internal/codec", "internal/event", "internal/history", "internal/index", "internal/hot", "internal/session", "rank"},
	"internal/change":           {"internal/event", "internal/history", "internal/index", "internal/regularfile", "prefetch", "watcher"},
	"internal/session":          {"internal/codec", "internal/event"},
	"internal/session/contexts": {"internal/event", "internal/index", "internal/cold", "hooks/shell"},
	"internal/reload": {"hooks/shell", "internal/codec", "internal/event", "internal/index", "internal/cold", "internal/atomicfile",
		"internal/regularfile", "internal/schedule", "internal/session"},
	"internal/llmcache": {"internal/codec", "internal/event", "internal/index", "internal/cold"},
	"internal/stage": {"internal/codec", "internal/event", "internal/index", "internal/cold", "internal/atomicfile",
		"internal/regularfile"},
	"internal/mcp": {"internal/event", "internal/api", "internal/blame", "internal/change", "internal/llmcache", "internal/regularfile",
		"internal/reload", "internal/session/contexts"},
	"internal/redisview": {"internal/event", "internal/api", "internal/hot", "internal/monitor", "internal/peer"},
	"internal/checkout": {"hooks", "hooks/transcript", "internal/api", "internal/atomicfile", "internal/change", "internal/cold", "internal/config",
		"internal/event", "internal/history", "internal/hot", "internal/index", "internal/locate", "internal/regularfile", "internal/reload", "internal/schedule", "internal/session",
		"internal/session/contexts",
		"prefetch", "rank", "watcher"},
	"internal/hint": {"hooks", "hooks/agents", "hooks/transcript", "internal/change", "internal/checkout", "internal/cold", "internal/config", "internal/event",
		"internal/index", "internal/reload", "internal/session", "internal/session/contexts", "prefetch"},
	"internal/log": {"internal/codec", "internal/cold", "internal/event", "internal/hot", "internal/reload", "internal/schedule",
		"internal/session", "learn", "prefetch"},
	"internal/monitor": {"internal/regularfile", "prefetch"},
	"internal/daemon":  {"*", "-internal/mcp", "-internal/redisview", "-cmd/aoa"},
	"cmd/aoa":          {"*"},
	"cmd/aoa-hook":     {"hooks/client"},

	"internal/eval": {"internal/change", "internal/event", "internal/git", "internal/history", "internal/index", "internal/redact",
		"internal/session", "prefetch", "watcher"},
	"internal/report": {"internal/api", "internal/event", "internal/eval", "internal/history", "internal/index", "prefetch"},
	"scripts/dev/recorded": {"internal/change", "internal/config", "internal/eval", "internal/event", "internal/git", "internal/hot",
		"internal/index", "internal/redact", "internal/session", "learn", "prefetch", "rank", "watcher"},
	"scripts/dev/eval": {"internal/event", "internal/index", "internal/session", "prefetch", "rank",
		"scripts/dev/recorded"},
	"scripts/dev/benchmarks": {"internal/eval", "internal/event", "internal/git", "internal/history", "internal/index", "prefetch", "rank",
		"scripts/dev/markdown", "scripts/dev/recorded"},
	"scripts/dev/references": {"internal/event", "internal/git", "internal/index", "watcher"},
	"scripts/dev/replay":     {"*", "-internal/redisview", "-internal/mcp", "-cmd/aoa"},
	"scripts/dev/train": {"internal/eval", "internal/event", "internal/history", "internal/index", "prefetch", "rank",
		"scripts/dev/recorded"},
	"internal/git":         {"internal/config"},
	"internal/regularfile": {},
	"internal/stage/run": {"internal/api", "internal/config", "internal/event", "internal/redact",
		"internal/regularfile", "internal/stage", "internal/stage/pipeline"},
	"internal/stage/pipeline": {"internal/config", "internal/regularfile"},
}

// heavy are packages that aoa-hook may not link: they cost the start of each hook.
var heavy = []string{"net/http", "crypto/tls", "regexp", "text/template", "database/sql", "log/slog"}

// listed is what go list prints about packages of the module, by words.
func listed(t *testing.T, args ...string) (lines [][]string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	out := fault.Must(cmd.Output())
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

func TestImportLaw(t *testing.T) {
	packages := listed(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	if len(packages) < 10 {
		t.Fatalf("found %d packages: the law was not applied to the module", len(packages))
	}
	for _, p := range packages {
		from := strings.TrimPrefix(p[0], module+"/")
		for _, imp := range p[1:] {
			if to, ours := strings.CutPrefix(imp, module+"/"); ours && !may(from, to) {
				t.Errorf("%s may not import %s", from, to)
			}
		}
	}
}

func may(from, to string) bool {
	edges, known := allowed[from]
	if !known || slices.Contains(edges, "-"+to) {
		return false
	}
	return slices.Contains(edges, "*") || slices.Contains(edges, to)
}

// TestLinked: the program that agents start links nothing that is slow to start, and the product no
// program of its developers. Package scripts itself is the hooks' text.
func TestLinked(t *testing.T) {
	for programs, refused := range map[string]func(name string) bool{
		"./cmd/aoa-hook": func(name string) bool { return slices.Contains(heavy, name) },
		"./cmd/...":      func(name string) bool { return strings.HasPrefix(name, module+"/scripts/") },
	} {
		for _, p := range listed(t, "-deps", programs) {
			if refused(p[0]) {
				t.Errorf("%s links %s", programs, p[0])
			}
		}
	}
}

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
			"internal/regularfile":         "the one reader of files",
			"hooks/client/spawn.go":        "the system's empty file",
			"internal/api/spawn.go":        "the system's empty file",
			"internal/atomicfile/write.go": "it writes: folders that it syncs, files that it made",
			"internal/api/hook.go":         "a request, whose size the server bounds",
			"internal/api/route.go":        "a request, whose size the server bounds",
			"internal/cold/inspect.go":     "it writes: the database before SQLite opens it",
			"internal/cold/sync.go":        "it writes: the database and its folder",
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
