package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const module = "github.com/aoa-dev/aoa"

// allowed is the import law: what a package of this module may import of it. The packages are in
// the order in which data flows.
var allowed = map[string][]string{
	"internal/event":        {},
	"internal/codec":        {},
	"scripts/dev/eventtest": {"internal/event"},
	"scripts/dev/hooktest":  {"internal/api", "internal/locate"},
	"internal/atomicfile":   {},
	"internal/config":       {"internal/atomicfile", "internal/regularfile"},
	"scripts/dev/clients":   {"hooks/agents", "internal/event", "scripts/dev/fault", "scripts/dev/repotest"},
	"scripts/dev/fault":     {},
	"scripts/dev/repotest":  {"scripts/dev/fault"},
	"internal/peer":         {},
	"internal/locate":       {"internal/atomicfile", "internal/regularfile"},
	"scripts":               {},
	"scripts/dev/gitleaks":  {},
	"scripts/dev/mutate":    {},
	"scripts/dev/markdown":  {},
	"internal/index":        {"internal/event", "internal/regularfile"},
	"internal/redact":       {"internal/event", "internal/index"},
	"hooks/agents":          {},
	"hooks/client":          {"internal/atomicfile", "internal/locate", "internal/peer", "hooks/agents", "internal/regularfile"},
	"watcher": {"internal/event", "internal/index", "internal/config", "internal/locate", "internal/redact",
		"internal/regularfile", "internal/git"},
	"hooks/shell": {"internal/event", "internal/index"},
	"hooks/install": {"hooks/agents", "internal/config", "internal/atomicfile", "scripts", "internal/git",
		"internal/regularfile"},
	"hooks":            {"hooks/agents", "hooks/shell", "internal/event", "internal/index", "internal/redact"},
	"hooks/transcript": {"hooks", "internal/event", "internal/index", "internal/redact", "internal/regularfile"},
	"internal/hot":     {"internal/codec", "internal/event"},
	"internal/history": {"internal/codec", "internal/event", "internal/index"},
	"internal/team":    {"internal/event", "internal/config", "internal/regularfile"},
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
	"internal/reload": {"internal/codec", "internal/event", "internal/index", "internal/cold", "internal/atomicfile",
		"internal/regularfile", "internal/session"},
	"internal/llmcache": {"internal/codec", "internal/event", "internal/index", "internal/cold"},
	"internal/stage": {"internal/codec", "internal/event", "internal/index", "internal/cold", "internal/atomicfile",
		"internal/regularfile"},
	"internal/mcp":       {"internal/event", "internal/api", "internal/blame", "internal/change", "internal/llmcache"},
	"internal/redisview": {"internal/event", "internal/api", "internal/hot", "internal/peer"},
	"internal/checkout": {"hooks", "hooks/transcript", "internal/api", "internal/atomicfile", "internal/change", "internal/cold", "internal/config",
		"internal/event", "internal/history", "internal/hot", "internal/index", "internal/locate", "internal/regularfile", "internal/reload", "internal/schedule", "internal/session",
		"internal/session/contexts",
		"prefetch", "rank", "watcher"},
	"internal/hint": {"hooks", "hooks/agents", "hooks/transcript", "internal/change", "internal/checkout", "internal/cold", "internal/config", "internal/event",
		"internal/index", "internal/reload", "internal/session", "internal/session/contexts", "prefetch"},
	"internal/log": {"internal/codec", "internal/cold", "internal/event", "internal/hot", "internal/reload", "internal/session",
		"learn", "prefetch"},
	"internal/schedule": {},
	"internal/monitor":  {"internal/regularfile", "prefetch"},
	"internal/daemon":   {"*", "-internal/mcp", "-internal/redisview", "-cmd/aoa"},
	"cmd/aoa":           {"*"},
	"cmd/aoa-hook":      {"hooks/client"},

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
