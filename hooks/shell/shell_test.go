package shell_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// orchard is a worktree of which only the names matter.
func orchard() *index.Locator {
	return index.NewLocator(
		index.NewTree(eventtest.Paths([]string{"Makefile", "README.md", "go.mod", "pick/picker.go", "pick/picker_test.go",
			"store/basket.go",
			"store/basket_test.go", "web/server.go", "web/server_test.go", "web/app/[id]/page.tsx", "web/index.ts",
			"docs/old.md", "docs/yield.ipynb",
			"docs/a guide.md", "scripts/gen.sh", "data/fruit.json", "db/migrations/001_init.sql", "pkg/a/index.ts",
			"cmd/orchard/main.go"})),
		func(p event.Path) bool { return p.Ext() == ".log" }, "/home/dev/orchard", "/home/dev/orchard", "/home/dev/orchard-pear")
}

// sketch writes operations in one line: "read a.go; search /x/ @named; run". Neighboring runs are
// one.
func sketch(ops []shell.Op) string {
	var out []string
	runs := -1 // the index of the run that goes on
	for _, op := range ops {
		s := string(op.Kind)
		if op.Kind == event.KindSearch && op.Pattern != "" {
			s += " /" + op.Pattern + "/"
		}
		for _, p := range op.Paths {
			s += " " + string(p)
		}
		named := ""
		for _, p := range op.Named {
			named += " @" + string(p)
		}
		if op.Kind == event.KindRun && runs >= 0 {
			out[runs] += named
			continue
		}
		if runs = -1; op.Kind == event.KindRun {
			runs = len(out)
		}
		out = append(out, s+named)
	}
	if len(out) == 0 {
		return "run"
	}
	return strings.Join(out, "; ")
}

// commandLines calls do with every line of testdata/lines.golden, and with the command of those
// that have one.
func commandLines(t testing.TB, do func(line, command string)) {
	t.Helper()
	raw := fault.Must(os.ReadFile("testdata/lines.golden"))
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		command, _, ok := strings.Cut(line, " ¦ ")
		if !ok || strings.HasPrefix(line, "#") {
			command = ""
		} else if text, err := strconv.Unquote(command); err == nil {
			command = text
		}
		do(line, command)
	}
}

// TestFollow compares what command lines do to files with a golden file.
func TestFollow(t *testing.T) {
	var b strings.Builder
	n := 0
	commandLines(t, func(line, command string) {
		if command != "" {
			n++
			written, _, _ := strings.Cut(line, " ¦ ")
			line = written + " ¦ " + sketch(shell.Follow(orchard(), shell.Line{Text: command}).Ops)
		}
		b.WriteString(line + "\n")
	})
	if n < 150 {
		t.Fatalf("only %d command lines", n)
	}
	fault.Golden(t, "testdata/lines.golden", b.String())
}

// TestOperands: what a message of a command can be compared with, and whether the file was guessed.
func TestOperands(t *testing.T) {
	r := shell.Follow(orchard(), shell.Line{Text: "cd web && cat server.go app/page.tsx orchard/main.go; aoa why x"})
	if len(r.Ops) < 2 || r.Ops[0].Operand != (shell.Operand{Name: "server.go", Dir: "/home/dev/orchard/web"}) ||
		r.Ops[0].Guessed {
		t.Errorf("%+v", r.Ops)
	}
	if !r.Ops[1].Guessed || r.Ops[1].Paths[0] != "cmd/orchard/main.go" {
		t.Errorf("not guessed: %+v", r.Ops[1])
	}
	if len(r.Missing) != 1 || r.Missing[0].Name != "app/page.tsx" || !r.Self || r.Dir != "/home/dev/orchard" {
		t.Errorf("%+v", r)
	}
}

func TestJoin(t *testing.T) {
	for want, argv := range map[string][]string{"cat go.mod": {"bash", "-lc", "cat go.mod"}, "cat 'a b'": {"cat", "a b"},
		"": nil} {
		fault.Same(t, want, shell.Join(argv), want)
	}
}

func FuzzFollow(f *testing.F) {
	commandLines(f, func(_, command string) { f.Add(command) })
	at := orchard()
	f.Fuzz(func(t *testing.T, line string) {
		r := shell.Follow(at, shell.Line{Text: line})
		for _, op := range r.Ops {
			for _, p := range append(op.Paths[:len(op.Paths):len(op.Paths)], op.Named...) {
				if q, err := event.NewPath(string(p)); err != nil || q != p {
					t.Errorf("path %q: %v", p, err)
				}
			}
		}
	})
}

// TestHostileExpansion: no line makes much of little.
func TestHostileExpansion(t *testing.T) {
	for name, line := range map[string]string{
		"doubled":  "x=aaaaaaaaaaaaaaaa; " + strings.Repeat("x=$x$x; ", 60) + "cat $x",
		"repeated": "x=" + strings.Repeat("a", 4000) + "; cat " + strings.Repeat("$x", 25_000),
		"many":     "x=" + strings.Repeat("a", 4000) + "; " + strings.Repeat("cat $x$x$x;", 1500),
		"replaced": "x=" + strings.Repeat("a", 4000) + "; cat " + strings.Repeat("${x//a/$x}", 5000),
		"braces":   "cat " + strings.Repeat("{a,b}", 1000) + strings.Repeat(" {1..999999}", 1000),
		"numbers":  "cat $((" + strings.Repeat("9**", 1000) + "9))",
		"itself":   "x=x; cat $((x))",
	} {
		before := allocated()
		shell.Follow(orchard(), shell.Line{Text: line})
		if used := allocated() - before; used > 64<<20 {
			t.Errorf("%s: %d MB", name, used>>20)
		}
	}
}

// allocated is how many bytes this process has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
