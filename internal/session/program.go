package session

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// class is what a command means for the state of the work.
type class uint8

const (
	trivial class = iota // reads, or changes the folder
	other                // does something, but nothing that the next step depends on
	branch               // switches to another branch
	undo                 // reverts changes, or brings others in
	commit               // makes a commit
	check                // tests, builds and linters: their last outcome matters
)

// program is one program of a command line.
type program struct {
	name  string // the program and its task: "go test"
	full  string // with its arguments, cut between two of them
	class class
	blind bool // the outcome of the line is that of another program
}

// Bounds of a command line.
const (
	maxLine     = 4096 // bytes that are parsed
	maxCommands = 8    // programs of a line
	maxErrors   = 8    // quotes and brackets that may be missing: events keep the beginning of a command
	maxFull     = 80   // bytes of program.full
	maxWord     = 60   // bytes of one argument; a longer one is text, and is left out
)

// programs are the programs of a command line. Of a line that cannot be parsed, it is the first program.
func programs(line string) []program {
	line = line[:min(len(line), maxLine)]
	file, err := syntax.NewParser(syntax.RecoverErrors(maxErrors)).Parse(strings.NewReader(line), "")
	if err != nil {
		return firstWords(line)
	}
	var out []program
	hidden := map[syntax.Node]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.BinaryCmd:
			if x.Op == syntax.Pipe || x.Op == syntax.PipeAll || x.Op == syntax.OrStmt {
				hide(x.X, hidden)
			}
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
			return false
		case *syntax.CallExpr:
			if c, ok := describe(words(x.Args)); ok && len(out) < maxCommands {
				c.blind = hidden[x]
				out = append(out, c)
			}
		}
		return true
	})
	return out
}

// firstWords reads the beginning of a line that no shell would take: one that was cut, or is of another shell.
func firstWords(line string) []program {
	first, _, _ := strings.Cut(strings.TrimSpace(line), "\n")
	first, _, _ = strings.Cut(first, "<<")
	c, ok := describe(strings.Fields(first))
	if !ok || strings.ContainsAny(c.name, "'\"`$(){}|;&=") {
		return nil
	}
	return []program{c}
}

// hide marks the programs of a statement whose outcome the line does not have.
func hide(s *syntax.Stmt, hidden map[syntax.Node]bool) {
	syntax.Walk(s, func(n syntax.Node) bool {
		if x, ok := n.(*syntax.CallExpr); ok {
			hidden[x] = true
		}
		return true
	})
}

// words are the arguments as typed; "…" for what only the shell can expand.
func words(args []*syntax.Word) []string {
	var out []string
	for _, w := range args {
		text := ""
		for _, part := range w.Parts {
			text += partText(part)
		}
		out = append(out, text)
	}
	return out
}

func partText(part syntax.WordPart) string {
	switch x := part.(type) {
	case *syntax.Lit:
		return x.Value
	case *syntax.SglQuoted:
		return x.Value
	case *syntax.DblQuoted:
		text := ""
		for _, q := range x.Parts {
			text += partText(q)
		}
		return text
	}
	return "…"
}

// wrappers run the command that follows. The number is how many arguments of their own precede it.
var wrappers = map[string]int{"sudo": 0, "time": 0, "env": 0, "nohup": 0, "exec": 0, "command": 0, "npx": 0, "bunx": 0, "pnpx": 0, "uvx": 0,
	"timeout": 1, "gtimeout": 1, "nice": 0, "xvfb-run": 0, "rtk": 0, "stdbuf": 0, "caffeinate": 0}

// runners do so after one of these arguments.
var runners = map[string]string{"uv": "run", "poetry": "run", "pipenv": "run", "bundle": "exec", "pnpm": "exec dlx",
	"yarn": "exec dlx", "mise": "exec x"}

// unwrap removes wrappers and assignments.
func unwrap(ws []string) []string {
	for len(ws) > 0 {
		skip, wraps := wrappers[ws[0]]
		switch {
		case strings.Contains(ws[0], "=") && !strings.ContainsAny(ws[0], "/ "):
			ws = ws[1:]
		case wraps:
			for ws = ws[1:]; len(ws) > 0 && (strings.HasPrefix(ws[0], "-") || skip > 0); ws = ws[1:] {
				if !strings.HasPrefix(ws[0], "-") {
					skip--
				}
			}
		case len(ws) > 1 && runners[ws[0]] != "" && slices.Contains(strings.Fields(runners[ws[0]]), ws[1]):
			ws = ws[2:]
		default:
			return ws
		}
	}
	return nil
}

// describe names one program.
func describe(ws []string) (program, bool) {
	ws = unwrap(ws)
	if len(ws) == 0 || ws[0] == "" || strings.HasPrefix(ws[0], "#") {
		return program{}, false
	}
	ws = slices.Clone(ws)
	ws[0] = strings.TrimSuffix(path.Base(strings.ReplaceAll(ws[0], `\`, "/")), ".exe")
	ops := operands(ws)
	name := ws[0]
	if (tasked[name] || scripted[name]) && len(ops) > 0 {
		name += " " + ops[0]
		if (ops[0] == "run" || ops[0] == "-m") && len(ops) > 1 {
			name += " " + ops[1]
		}
	}
	c := program{name: name, class: classOf(ws[0], ops)}
	for _, w := range ws {
		if len(w) > maxWord || strings.ContainsAny(w, "\n\r") || strings.Contains(w, "$(") {
			w = "…"
		}
		if len(c.full)+1+len(w) > maxFull {
			c.full += " …"
			break
		}
		c.full += " " + w
	}
	c.full = strings.TrimSpace(c.full)
	return c, true
}

// valued are the options of a program that take the next word.
var valued = map[string][]string{"git": {"-C", "-c"}, "make": {"-C"}, "npm": packageOptions, "pnpm": packageOptions, "yarn": packageOptions}

var packageOptions = []string{"--prefix", "--filter", "-C", "--cwd", "-w"}

// operands are the words behind the program that are no options; of python only, -m counts as one.
func operands(ws []string) []string {
	var out []string
	for i := 1; i < len(ws); i++ {
		switch w := ws[i]; {
		case slices.Contains(valued[ws[0]], w):
			i++
		case w == "-m" && strings.HasPrefix(ws[0], "python"):
			out = append(out, w)
		case strings.HasPrefix(w, "-") || len(w) > maxWord || strings.ContainsAny(w, "\n\r "):
			if strings.HasPrefix(ws[0], "python") || scripted[ws[0]] && w == "-e" {
				return out // a program as text: what follows are its arguments
			}
		default:
			out = append(out, w)
		}
	}
	return out
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

var (
	// tasked programs have their task as the first word.
	tasked = set(`go git npm yarn pnpm bun cargo docker podman kubectl gh glab pip pip3 poetry uv dotnet mvn gradle
		gradlew mise just task make rake mix deno terraform tofu swift nx turbo helm brew apt apt-get aws gcloud az ng
		rails bazel cmake composer flutter dart zig`)
	// scripted programs run the file that they are given.
	scripted = set(`node python python3 bash sh zsh ruby perl tsx ts-node php Rscript lua`)
	// inspecting programs change nothing, and their outcome does not matter.
	inspecting = set(`cd ls cat head tail grep rg egrep ag find fd sed awk wc which type pwd sleep true false sort
		uniq xargs mkdir export echo printf jq yq tree stat file test [ cut tr diff cmp less more ps kill pkill pgrep
		lsof date whoami id env printenv set unset source . touch chmod du df wait curl wget read column tee cp`)
	// checking programs are tests, builds or linters as a whole.
	checking = set(`pytest tox nox jest vitest mocha ava tsc eslint prettier biome playwright cypress golangci-lint
		staticcheck gofmt gofumpt mypy ruff flake8 pyright black rspec rubocop phpunit ctest ninja shellcheck
		pre-commit clippy gotestsum swiftlint ktlint lefthook knip`)
	// checks are words that make a task one.
	checks = []string{"test", "lint", "check", "build", "vet", "tsc", "typecheck", "type-check", "clippy", "verify", "spec",
		"ci", "validate", "format", "fmt", "e2e"}
)

func classOf(prog string, ops []string) class {
	first := ""
	if len(ops) > 0 {
		first = ops[0]
	}
	switch {
	case prog == "git":
		return gitClass(first, ops)
	case inspecting[prog]:
		return trivial
	case checking[prog]:
		return check
	case strings.HasPrefix(prog, "python") && len(ops) > 1 && first == "-m":
		return map[bool]class{true: check, false: other}[checking[ops[1]] || ops[1] == "unittest"]
	case prog == "make" && first == "", prog == "mvn", strings.HasPrefix(prog, "gradle"):
		return check
	case tasked[prog]:
		if first == "run" && len(ops) > 1 {
			first = ops[1]
		}
		for part := range strings.FieldsFuncSeq(first, func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '.' }) {
			if slices.Contains(checks, part) {
				return check
			}
		}
	}
	return other
}

func gitClass(verb string, ops []string) class {
	switch verb {
	case "commit":
		return commit
	case "revert", "reset", "restore", "stash", "clean", "merge", "rebase", "cherry-pick", "pull", "am", "apply":
		if len(ops) > 1 && verb == "stash" && (ops[1] == "list" || ops[1] == "show") {
			return trivial
		}
		return undo
	case "switch":
		return branch
	case "checkout":
		// A name with a dot or a slash at its end is a file; which names are branches only git knows.
		for _, w := range ops[1:] {
			if strings.Contains(path.Base(w), ".") {
				return undo
			}
		}
		return branch
	case "push", "tag", "mv", "rm", "init", "clone", "worktree":
		return other
	}
	return trivial
}
