package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	posix "mvdan.cc/sh/v3/shell"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/watcher"
)

// stageFlags are what the key is made of, as typed.
type stageFlags struct {
	deps, outputs, inputs, env    []string
	tool, model, template         string
	ttl                           time.Duration
	failures, refresh, stdin, mum bool
}

func (f *stageFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringArrayVar(&f.deps, "dep", nil, "files that it depends on: a glob (** for folders), a name, a folder; !glob takes out")
	fl.StringArrayVar(&f.inputs, "input", nil, "k=v that it depends on")
	fl.StringArrayVar(&f.env, "env", nil, "environment variable that it depends on")
	fl.StringVar(&f.tool, "tool", "", "command that prints a version; one word NAME is NAME --version")
	fl.StringVar(&f.model, "model", "", "model that it asks")
	fl.StringVar(&f.template, "template", "", "file with the template that it fills in")
	fl.DurationVar(&f.ttl, "ttl", time.Hour, "run again when the result is older; 0: never for that reason")
	fl.StringArrayVar(&f.outputs, "out", nil, "files that it makes, to be restored: a name, a folder, a glob")
	fl.BoolVar(&f.stdin, "stdin", false, "its standard input is an input: read it whole")
	fl.BoolVar(&f.failures, "cache-failures", false, "keep and play back failures too")
}

func (a *app) stageRun() *cobra.Command {
	var f stageFlags
	c := &cobra.Command{
		Use:   "run NAME [flags] -- COMMAND [ARG…]",
		Short: "run a command, or play back what it did when nothing changed",
		Long: `Runs COMMAND here, with this terminal, standard input and signals, and keeps what it
printed and made. When all its inputs are as they were, what was kept is printed and
restored instead, with the same exit code, and COMMAND does not run.

Only success is kept. A run whose dependencies changed meanwhile is not kept, nor is one
that printed more than aoa config stage.output. Two equal runs at once run once. Globs
name tracked and new files, not ignored ones; a file named exactly may be any.
Without a daemon the command runs as if aoa were not there.`,
		Example: `  aoa stage run lint --dep 'src/**/*.ts' --dep .eslintrc.json --tool eslint -- eslint src
  aoa stage run prd --dep docs/FUNCTIONAL.md --template prd.txt --model opus --tool claude \
      --out docs/PRD.md -- sh -c 'claude -p --model opus <prd.txt >docs/PRD.md'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name, command, err := parted(c, args, true)
			if err != nil {
				return err
			}
			return a.runStage(c.Context(), name, command, &f)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&f.refresh, "refresh", false, "run in any case, and keep the new result")
	c.Flags().BoolVarP(&f.mum, "quiet", "q", false, "say nothing unless something is wrong")
	return c
}

// parted takes NAME and the words behind "--" apart.
func parted(c *cobra.Command, args []string, must bool) (name string, command []string, err error) {
	at := c.ArgsLenAtDash()
	switch {
	case at == 1:
		return args[0], args[1:], nil
	case at < 0 && !must && len(args) == 1:
		return args[0], nil, nil
	case at < 0:
		return "", nil, usage(`put "--" before the command: %s NAME [flags] -- COMMAND`, c.CommandPath())
	}
	return "", nil, usage("%d names before \"--\", one is wanted", at)
}

// stageRequest makes the request of what was typed in this folder.
func (a *app) stageRequest(repo *watcher.Repo, name string, command []string, f *stageFlags) (api.StageRequest, error) {
	r := api.StageRequest{Stage: name, Command: command, Shown: clip(redact.Text(strings.Join(command, " ")), 200), Model: f.model,
		TTL: f.ttl.Milliseconds(), Failures: f.failures, Refresh: f.refresh, Inputs: map[string]string{}, Env: map[string]*string{}}
	if f.ttl < 0 || f.ttl > 0 && r.TTL == 0 {
		return r, usage("--ttl %s: use 0, or 1ms and more", f.ttl)
	}
	here, err := filepath.EvalSymlinks(a.dir)
	if err != nil {
		return r, err
	}
	if p, ok := repo.Root.Path(here); ok {
		r.Dir = string(p)
	}
	for _, d := range f.deps {
		not := strings.HasPrefix(d, "!")
		p := pattern(here, r.Dir, strings.TrimPrefix(d, "!"))
		if not {
			p = "!" + p
		}
		r.Deps = append(r.Deps, p)
	}
	for _, o := range f.outputs {
		r.Outputs = append(r.Outputs, pattern(here, r.Dir, o))
	}
	for _, kv := range f.inputs {
		k, v, ok := strings.Cut(kv, "=")
		if _, twice := r.Inputs[k]; !ok || k == "" || twice {
			return r, usage("--input %s: use k=v, each k once", kv)
		}
		r.Inputs[k] = v
	}
	for _, k := range f.env {
		if k == "" || strings.Contains(k, "=") {
			return r, usage("--env %s: name a variable", k)
		}
		r.Env[k] = a.variable(k)
	}
	if f.template != "" {
		if r.Template = f.template; !filepath.IsAbs(r.Template) {
			r.Template = filepath.Join(here, r.Template)
		}
	}
	r.Tool, err = a.tool(f.tool)
	return r, err
}

// pattern makes what was typed in a folder relative to the root; what lies outside becomes absolute.
func pattern(here, dir, p string) string {
	if filepath.IsAbs(p) || p == "" {
		return p
	}
	q := path.Join(dir, filepath.ToSlash(p))
	if q == ".." || strings.HasPrefix(q, "../") {
		return filepath.Join(here, filepath.FromSlash(p))
	}
	return q
}

// variable is the value of an environment variable, nil if it is not set.
func (a *app) variable(name string) *string {
	if v, ok := config.LookupEnv(a.env, name); ok {
		return &v
	}
	return nil
}

// tool finds the program of a command that prints a version.
func (a *app) tool(command string) (t api.StageTool, err error) {
	if command == "" {
		return t, nil
	}
	words, err := posix.Fields(command, a.getenv)
	if err != nil || len(words) == 0 {
		return t, usage("--tool %s: it is no command: %v", command, err)
	}
	if len(words) == 1 {
		command += " --version"
	}
	where, err := exec.LookPath(words[0])
	if err == nil {
		where, err = filepath.Abs(where)
	}
	if err != nil {
		return t, fail(exitFailed, "install it, or leave --tool out", "tool %s: %v", words[0], err)
	}
	return api.StageTool{Command: command, Path: where}, nil
}

// toolTime bounds how long a tool may take to say its version.
const toolTime = 20 * time.Second

// toolVersion asks a tool.
func (a *app) toolVersion(ctx context.Context, t api.StageTool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	words, err := posix.Fields(t.Command, a.getenv)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, t.Path, words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = a.dir, a.env, time.Second
	out, err := cmd.CombinedOutput() // java says it on stderr
	text := strings.TrimSpace(string(out))
	if err != nil || text == "" {
		return "", fail(exitFailed, "try it: "+t.Command, "tool %s does not say its version: %v", t.Command, err)
	}
	return clip(text, 4096), nil
}

// runStage is aoa stage run.
func (a *app) runStage(ctx context.Context, name string, command []string, f *stageFlags) error {
	client, repo, err := a.client(ctx, false)
	if err != nil {
		return err
	}
	req, err := a.stageRequest(repo, name, command, f)
	if err != nil {
		return err
	}
	s := &step{app: a, client: client, req: req, root: string(repo.Root), dir: a.dir, env: a.env, in: a.in, quiet: f.mum}
	if !a.json {
		s.out, s.err = a.out, a.err
	}
	if f.stdin {
		data, err := io.ReadAll(a.in)
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		sum := sha256.Sum256(data)
		digest := hex.EncodeToString(sum[:])
		s.req.Stdin, s.in = &digest, strings.NewReader(string(data))
	}
	if err := s.run(ctx); err != nil {
		return err
	}
	if a.json {
		if err := a.answer(s.report(), nil); err != nil {
			return err
		}
	}
	if s.code != 0 {
		return passed(s.code)
	}
	return nil
}

// passed is the exit code of a wrapped command: it goes through, and nothing is said about it.
type passed int

func (p passed) Error() string { return fmt.Sprintf("exit code %d", int(p)) }

// idle warns of globs that name nothing: most often they are mistyped.
func (a *app) idle(name string, globs []string) {
	for _, g := range globs {
		a.talk("stage %s: %s names no file that git has or would take", name, g)
	}
}

// isFile returns the regular file behind a reader, nil when it is none.
func isFile(r io.Reader) *os.File {
	f, ok := r.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return f
}

// offset is how far a file was read, by this process or one that shares it.
func offset(f *os.File) int64 {
	if f == nil {
		return 0
	}
	n, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	return n
}

// unusable reports whether the daemon cannot help, as opposed to refusing what can never work.
func unusable(ctx context.Context, err error) bool {
	var refused *api.Error
	if errors.As(err, &refused) {
		return refused.Code != api.CodeBad && refused.Code != api.CodeMissing
	}
	return ctx.Err() == nil
}
