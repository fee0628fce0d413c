package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestMain lets the test binary be aoa: scripts run the real commands, each as a process of its
// own, and the daemon that they start is this binary too.
func TestMain(m *testing.M) {
	testscript.Main(clean{m}, map[string]func(){"aoa": main, "redis-client": redisClient,
		"aoa-hook": func() { client.Main(os.Args[1:]) }})
}

// clean fails a run that leaves a process of the program behind.
type clean struct{ *testing.M }

func (c clean) Run() int {
	code := c.M.Run()
	for _, left := range leftovers() {
		fmt.Fprintf(os.Stderr, "a test left a process behind: %s\n", left)
		code = max(code, 1)
	}
	return code
}

// TestScript runs testdata/script: every command, as a person types it, with a real daemon. The
// short form, for the race detector, runs only the scripts of the five systems and that of the
// daemon's life: they pass through all goroutines of the daemon.
func TestScript(t *testing.T) {
	pattern := "../../testdata/script/*.txtar"
	if testing.Short() {
		pattern = "../../testdata/script/seed-*.txtar"
	}
	scripts, err := filepath.Glob(pattern)
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	testscript.Run(t, testscript.Params{
		Files:               scripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			samples, err := filepath.Abs("../../testdata/pipelines")
			if err != nil {
				return err
			}
			e.Setenv("SAMPLES", samples)
			e.Setenv("DOCS", filepath.Join(samples, "../../docs"))
			for k, v := range map[string]string{"NO_COLOR": "1", "TZ": "UTC", "AOA_PATIENCE": "100",
				"AOA_IDLE_TIMEOUT": "5m"} { // a run that is killed leaves no daemon for long
				e.Setenv(k, v)
			}
			e.Defer(func() { // of a script that failed before it came to its own halt
				stop := exec.Command("aoa", "daemon", "stop", "--all", "--force")
				stop.Dir, stop.Env = e.WorkDir, e.Vars
				_ = stop.Run()
			})
			return repotest.Setup(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"history":  func(ts *testscript.TestScript, _ bool, args []string) { commitHistory(t, ts, args) },
			"examples": examples, "until": until, "halt": halt, "expand": expand},
	})
}

// commitHistory N makes a repository here with N commits (see commits).
func commitHistory(t *testing.T, ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: history N")
	}
	var n int
	if _, err := fmt.Sscan(args[0], &n); err != nil {
		ts.Fatalf("history: %v", err)
	}
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main"))
	repotest.In(t, ts).Import(commits(n))
}

// examples runs the examples of every help text, as they are printed, but for those that name what
// only one store has. Commands that erase come last. With names of pages of docs it runs the
// examples of these instead.
func examples(ts *testscript.TestScript, neg bool, args []string) {
	for _, page := range args {
		for _, block := range fenced.FindAllStringSubmatch(ts.ReadFile(filepath.Join(ts.Getenv("DOCS"), page)), -1) {
			example(ts, page, block[1], block[2])
		}
	}
	if len(args) > 0 {
		return
	}
	var lines, last []string
	for _, c := range allCommands((&app{}).commands()) {
		describe(c)
		for line := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", " ")) {
			switch line = strings.TrimSpace(line); {
			case line == "" || strings.HasPrefix(line, "aoa reload run "): // an id of a recorded sequence
			case c.Name() == "forget":
				last = append(last, line)
			default:
				lines = append(lines, line)
			}
		}
	}
	if lines = append(lines, last...); neg || len(lines) < 30 {
		ts.Fatalf("usage: examples; there are %d", len(lines))
	}
	for _, line := range lines {
		if err := ts.Exec("sh", "-c", line); err != nil {
			ts.Fatalf("the example %q: %v", line, err)
		}
	}
}

var (
	fenced   = regexp.MustCompile("(?ms)^```(\\w*)\\n(.*?)^```$")
	command  = regexp.MustCompile(`(?m)^\$ (.*)\n`)
	question = regexp.MustCompile(`^aoa (suggest|check|why) `)
)

// example runs a block of a page. Of a block without a language the lines after "$ " are commands,
// and the lines below each are what it prints; "…" stands for any text. Blocks of sh and bash run
// as a whole; json and yaml have to be readable.
func example(ts *testscript.TestScript, page, language, block string) {
	switch language {
	case "sh", "bash":
		if _, err := exec.LookPath(language); err == nil && ts.Exec(language, "-c", block+"test $? -le 1") != nil { // 1: it found something
			ts.Fatalf("%s: %q fails", page, block)
		}
	case "json", "yaml":
		if err := yaml.Unmarshal([]byte(block), new(any)); err != nil {
			ts.Fatalf("%s: %v in %q", page, err, block)
		}
	case "":
		commands := command.FindAllStringSubmatchIndex(block, -1)
		for i, at := range commands {
			end := len(block)
			if i+1 < len(commands) {
				end = commands[i+1][0]
			}
			shown(ts, page, block[at[2]:at[3]], strings.TrimSpace(block[at[1]:end]))
		}
	}
}

// shown runs a command of a page. A question is asked until its answer is that of the page: files
// and past changes are read in the background.
func shown(ts *testscript.TestScript, page, line, want string) {
	pattern := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + `$`)
	var got string
	if !fault.Within(patient, func() bool {
		_ = ts.Exec("sh", "-c", "{ "+line+"\n} 2>&1")
		got = strings.TrimSpace(ts.ReadFile("stdout"))
		return pattern.MatchString(got) || !question.MatchString(line)
	}) || !pattern.MatchString(got) {
		ts.Fatalf("%s: %q prints\n%s\nand the page says\n%s", page, line, got, want)
	}
}

// expand FILE… puts the script's folder in the place of $WORK: agents send absolute paths.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := strings.ReplaceAll(ts.ReadFile(name), "$WORK", filepath.ToSlash(ts.Getenv("WORK")))
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// until 'PATTERN' COMMAND… repeats a command until its output matches: what a hook left behind is
// learned a moment later.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND [ARG…]")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	if !fault.Within(patient, func() bool {
		_ = ts.Exec(args[1], args[2:]...)
		return want.MatchString(ts.ReadFile("stdout"))
	}) {
		ts.Fatalf("no match for %s within %s in:\n%s", args[0], patient, ts.ReadFile("stdout"))
	}
}

// halt stops every daemon of this script; each script ends with it.
func halt(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("aoa", "daemon", "stop", "--all"))
}

// redisClient is redis-cli for scripts, because not every machine has redis-cli: redis-client
// SOCKET COMMAND ARG… It prints the elements of the reply, one per line, and exits 1 if the server
// refuses the command.
func redisClient() {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: os.Args[1], MaxRetries: -1, Protocol: 2,
		DisableIdentity: true})
	args := make([]any, len(os.Args)-2)
	for i, a := range os.Args[2:] {
		args[i] = a
	}
	reply, err := c.Do(context.Background(), args...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	list, ok := reply.([]any)
	if !ok {
		list = []any{reply}
	}
	for _, element := range list {
		fmt.Println(element)
	}
}
