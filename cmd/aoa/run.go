package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/watcher"
)

// Exit codes. Code 2 is never used, because Claude Code takes it from a hook as "block".
const (
	exitOK       = 0
	exitFailed   = 1  // the command failed, or aoa check has findings; stderr has the reason
	exitNoDaemon = 3  // no daemon is running and none could be started
	exitNoRepo   = 4  // not in a git repository, or aoa init was not run in it
	exitUnjudged = 5  // aoa check --strict: aOa cannot judge the change
	exitSilent   = 6  // a daemon is running but does not answer
	exitUsage    = 64 // the command line is wrong
	exitNoFile   = 66 // there is no file with the name on the command line

	exitInterrupted = 130 // what shells report of a program that ctrl-C ended
)

// app is one invocation with its input, outputs, environment, folder and clock.
type app struct {
	in       io.Reader
	input    *bufio.Reader // see stdin
	out, err io.Writer
	env      []string
	dir      string
	now      func() time.Time
	json     bool
	terminal bool // stdout is a terminal
	color    bool // stdout is a terminal, NO_COLOR is not set, and TERM is not dumb
	colorErr bool // the same for stderr

	width int // columns of a line on stdout, 0 for no limit

	opened     *api.Client // cached by client
	openedRepo *watcher.Repo

	root event.Root // the root of the current folder's repository, once it has been opened
	from string     // the current folder with symbolic links resolved, "" if it is the root
}

// failure is an error with its exit code and the next command to type.
type failure struct {
	code    int
	err     error
	hint    string
	snippet string // text to put into a file, printed below the hint
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(code int, hint, format string, args ...any) error {
	return &failure{code: code, err: fmt.Errorf(format, args...), hint: hint}
}

func usage(format string, args ...any) error { return fail(exitUsage, "", format, args...) }

// run is main without the process, so that tests can call it.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer, env []string) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(errw, "aoa: the current folder is gone: %v\naoa: hint: cd to your repository\n", err)
		return exitFailed
	}
	a := &app{in: in, out: &output{Writer: out}, err: errw, env: env, dir: dir, now: time.Now}
	colors := a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	a.terminal = isTerminal(out)
	a.color, a.colorErr = a.terminal && colors, isTerminal(errw) && colors
	a.width = a.columns(out)
	root := a.commands()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(a.out)
	root.SetErr(errw)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.out.(*output).failed
	}
	return a.exit(cmd, err)
}

// output is standard output. It remembers that a write failed, for example on a full disk, because
// callers that print line by line do not check each write.
type output struct {
	io.Writer
	failed error // the first error
}

func (o *output) Write(raw []byte) (int, error) {
	n, err := o.Writer.Write(raw)
	if o.failed == nil {
		o.failed = err
	}
	return n, err
}

// unwrapped returns the writer behind a.out. A program that we start has to get the terminal
// itself, and the daemon has to close its standard output.
func (a *app) unwrapped() io.Writer {
	if o, ok := a.out.(*output); ok {
		return o.Writer
	}
	return a.out
}

// exit prints the error to stderr and returns its exit code.
func (a *app) exit(cmd *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	code, hint := judge(err)
	if code == exitUsage && hint == "" {
		hint = cmd.CommandPath() + " --help"
	}
	text, rest, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if code == exitInterrupted {
		text, rest = "interrupted", ""
	}
	fmt.Fprintln(a.err, paint(a.colorErr, "31", "aoa: ")+line(text))
	printLines(a.err, rest)
	if hint != "" {
		a.talk("hint: %s", hint)
	}
	if f, ok := errors.AsType[*failure](err); ok {
		printLines(a.err, f.snippet)
	}
	return code
}

// judge returns the exit code of an error, and the next command to type, "" for none.
func judge(err error) (code int, hint string) {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.code, f.hint
	}
	if refused, ok := errors.AsType[*event.Refusal](err); ok {
		return cmp.Or(refusedCodes[refused.Code], exitFailed), refused.Hint
	}
	if place, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok { // a store or a socket that nobody may use
		return exitFailed, place.Hint()
	}
	switch {
	case errors.Is(err, api.ErrNoDaemon):
		return exitNoDaemon, "aoa doctor"
	case errors.Is(err, context.Canceled):
		return exitInterrupted, "what was done until then is kept"
	}
	return exitFailed, ""
}

// refusedCodes has the exit codes of errors of the daemon; all others are exitFailed.
var refusedCodes = map[string]int{event.CodeSilent: exitSilent, event.CodeNoFile: exitNoFile, event.CodeBad: exitUsage}

// commandGroup is a section in the list of commands.
type commandGroup struct {
	title    string // "" for commands that are not listed
	commands []*cobra.Command
}

// groups returns all commands. The first group is what aoa --help lists.
func (a *app) groups() []commandGroup {
	return []commandGroup{
		{"Commands:", []*cobra.Command{a.init(), a.suggest(), a.check(), a.why(), a.status(), a.remove()}},
		{"Look back:", []*cobra.Command{a.report(), a.stats(), a.log(), a.feedback()}},
		{"Set up:", []*cobra.Command{a.config(), a.doctor(), a.pause(), a.forget(), a.hooks(), a.daemon()}},
		{"For agents and systems:", []*cobra.Command{a.context(), a.session(), a.reload(), a.cache(), a.stage(),
			a.pipeline(), a.redis(), a.mcp()}},
		{"", []*cobra.Command{a.hook(), a.statusline()}},
	}
}

// commands returns the root command with all others below it.
func (a *app) commands() *cobra.Command {
	root := &cobra.Command{
		Use:           "aoa",
		Short:         "which files come next, and what a change lacks",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	// cobra's own version flag is not used: its templates call methods by name, so the linker would
	// have to keep every method (see TestNoTemplates).
	showVersion := root.Flags().BoolP("version", "v", false, "print the version")
	root.RunE = func(c *cobra.Command, _ []string) error {
		if *showVersion {
			return a.answer(map[string]string{"version": version(), "go": runtime.Version(), "os": runtime.GOOS,
				"arch": runtime.GOARCH}, func() {
				fmt.Fprintf(a.out, "aoa %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			})
		}
		return c.Help()
	}
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 && args[0] == "version" {
			return fail(exitUsage, "aoa --version", "no command \"version\"")
		}
		return knownCommands(root, args)
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON; docs/json.md lists the fields")
	root.SetFlagErrorFunc(flagError)
	groups := a.groups()
	for _, g := range groups {
		for _, c := range g.commands {
			c.Hidden = g.title == ""
			strict(c)
			root.AddCommand(c)
		}
	}
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			strict(c)
			a.completeBash(root, c)
		}
	}
	page := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c == root {
			a.help(root, groups[:1], "aoa help all lists every command, aoa help COMMAND describes one.")
			return
		}
		describe(c)
		var text strings.Builder
		c.SetOut(&text)
		page(c, args)
		c.SetOut(a.out)
		for line := range strings.Lines(text.String()) {
			fmt.Fprintln(a.out, hang(strings.TrimRight(line, "\n")))
		}
	})
	help := newCommand("help [COMMAND|all]", "describe a command, or list all of them", nil,
		func(_ context.Context, args []string) error {
			c, rest, err := root.Find(args)
			switch {
			case len(args) == 1 && args[0] == "all":
				a.help(root, groups[:len(groups)-1], "aoa completion SHELL prints the completion of bash, zsh, fish or powershell.")
				return nil
			case err != nil || len(rest) > 0:
				return usage("no command is called %q; aoa help all lists them", strings.Join(args, " "))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		})
	root.SetHelpCommand(help)
	return root
}

// flagError returns a usage error that suggests the most similar flag, or says what the value of a
// flag looks like.
func flagError(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && len(unknown.GetSpecifiedName()) > 1 {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := config.Nearest(unknown.GetSpecifiedName(), known); near != "" {
			return usage("%v; did you mean --%s?", err, near)
		}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag, want := bad.GetFlag(), bad.Unwrap().Error()
		if _, unread := errors.AsType[*strconv.NumError](err); unread {
			want = "write a whole number"
			if flag.Value.Type() == "bool" {
				want = "write true or false"
			}
		}
		return usage("--%s %.60q: %s", flag.Name, bad.GetValue(), want)
	}
	return usage("%v", err)
}

// knownCommands returns an error if the first argument is not a subcommand of c. If aoa itself has a
// command of that name, the error suggests it.
func knownCommands(c *cobra.Command, args []string) error {
	var known []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			known = append(known, sub.Name())
		}
	}
	args = args[:min(len(args), 1)]
	if c.HasParent() && len(args) == 1 && !slices.Contains(known, args[0]) {
		if other, _, err := c.Root().Find(args); err == nil && other != c.Root() {
			return fail(exitUsage, other.CommandPath(), "%s has no command %q", c.CommandPath(), args[0])
		}
	}
	return knownWords("command", args, known)
}

// newCommand returns a command. use tells how it is called, short describes it in one line, and
// args checks its arguments.
func newCommand(use, short string, args cobra.PositionalArgs,
	run func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args,
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), args) }}
}

// family returns a command that only has subcommands.
func family(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short}
	c.AddCommand(subcommands...)
	return c
}

// strict turns cobra's errors about arguments into usage errors, also those of subcommands. A
// command that only has subcommands prints its help.
func strict(c *cobra.Command) {
	if c.HasSubCommands() && c.RunE == nil {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		c.Args = knownCommands
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if _, ours := errors.AsType[*failure](err); err == nil || ours {
				return err
			}
			if len(args) == 0 {
				return fail(exitUsage, c.UseLine(), "%s needs an argument", c.CommandPath())
			}
			return fail(exitUsage, c.UseLine(), "%s does not take %s", c.CommandPath(), plural(len(args), "argument"))
		}
	}
	for _, sub := range c.Commands() {
		strict(sub)
	}
}

func (a *app) getenv(name string) string { return config.Getenv(a.env, name) }

// talk prints a line for people to stderr.
func (a *app) talk(format string, args ...any) {
	text := line(fmt.Sprintf(format, args...))
	for begin, color := range map[string]string{"hint: ": "36", "warning: ": "33"} {
		if rest, ok := strings.CutPrefix(text, begin); ok {
			text = paint(a.colorErr, color, begin) + rest
		}
	}
	fmt.Fprintln(a.err, "aoa: "+text)
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
