package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) pipeline() *cobra.Command {
	c := &cobra.Command{
		Use:   "pipeline",
		Short: "run stages that build on each other, each only when its inputs changed",
		Long: `A pipeline is a YAML file of stages: commands, or headless agents such as claude -p. Each
reads what earlier ones printed, of this pipeline or of another one of the session; those
that do not need each other run at once; those whose inputs did not change do not run.
docs/pipelines.md has the format.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, make := range []func() *cobra.Command{a.pipelineRun, a.pipelineCheck, a.pipelineList, a.pipelineSessions, a.pipelineForget} {
		sub := make()
		a.strict(sub)
		c.AddCommand(sub)
	}
	return c
}

// pipelineFlags are what a run is given.
type pipelineFlags struct {
	session       string
	args, context []string
	width         int
	refresh, mum  bool
}

func (a *app) pipelineRun() *cobra.Command {
	var f pipelineFlags
	c := &cobra.Command{
		Use:   "run FILE|NAME [ARG…]",
		Short: "run a pipeline; what is unchanged is taken from the cache",
		Long: `Runs the stages of a pipeline in the root of the worktree and prints what the last ones
printed. ARGs are $ARG_1, $ARG_2, …; --arg name=value is $ARG_name.

With --session-id, later pipelines of the session read what this one's stages printed
($STAGE_name) and the context ($CONTEXT_name), and a run that was killed or failed goes on
where it was.`,
		Example: `  aoa pipeline run create-prd --session-id billing --arg specs_file=docs/FUNCTIONAL.md
  aoa pipeline run .aoa/pipelines/create-backlog.yaml --session-id billing`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := a.openPipeline(c, args, &f)
			if err != nil {
				return err
			}
			return r.run(c.Context())
		},
	}
	f.add(c)
	fl := c.Flags()
	fl.IntVar(&f.width, "parallel", 4, "stages at once, 1 to 64")
	fl.BoolVar(&f.refresh, "refresh", false, "run every stage, and keep the new results")
	fl.BoolVarP(&f.mum, "quiet", "q", false, "no progress, only what is wrong")
	return c
}

func (f *pipelineFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.session, "session-id", "", "session whose outputs and context it reads and adds to")
	fl.StringArrayVar(&f.args, "arg", nil, "name=value, read as $ARG_name")
	fl.StringArrayVar(&f.context, "context", nil, "name=value to put into the session's context, read as $CONTEXT_name; {…} and […] are JSON")
}

func (a *app) pipelineCheck() *cobra.Command {
	var f pipelineFlags
	c := &cobra.Command{
		Use:   "check FILE|NAME [ARG…]",
		Short: "is a pipeline right, and what would run after what?",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := a.openPipeline(c, args, &f)
			if err != nil {
				return err
			}
			type line struct {
				Stage string   `json:"stage"`
				Needs []string `json:"needs"`
			}
			out := struct {
				Pipeline string `json:"pipeline"`
				Stages   []line `json:"stages"`
			}{Pipeline: r.p.Name, Stages: []line{}}
			for _, i := range r.plan.Order {
				l := line{r.p.Stages[i].Name, []string{}}
				for _, n := range r.plan.Needs[i] {
					l.Needs = append(l.Needs, r.p.Stages[n].Name)
				}
				out.Stages = append(out.Stages, l)
			}
			return a.answer(out, func() {
				for _, l := range out.Stages {
					after := ""
					if len(l.Needs) > 0 {
						after = "  after " + strings.Join(l.Needs, ", ")
					}
					fmt.Fprintln(a.out, l.Stage+after)
				}
			})
		},
	}
	f.add(c)
	return c
}

func (a *app) pipelineList() *cobra.Command {
	var r api.DefinitionsRequest
	c := &cobra.Command{
		Use:   "list",
		Short: "the pipelines, commands and agents that this repository defines",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.Definitions, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				rows := []string{}
				for _, d := range ans.Definitions {
					said := d.Description
					if said == "" {
						said = strings.Join(d.Stages, ", ")
					}
					rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s", d.Kind, d.Name, clip(said, 60), d.File))
				}
				a.table(rows...)
				for _, b := range ans.Broken {
					a.talk("%s", b.Error)
				}
				if len(ans.Definitions)+len(ans.Broken) == 0 {
					a.talk("nothing in .aoa/pipelines, .claude/commands and .claude/agents; docs/pipelines.md has the format")
				}
			})
		},
	}
	c.Flags().StringVar(&r.Session, "session-id", "", "reuse what this session has parsed within 5 minutes")
	return c
}

func (a *app) pipelineSessions() *cobra.Command {
	return &cobra.Command{
		Use:   "sessions",
		Short: "the sessions that pipelines ran in",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.PipelineSessions, api.None{})
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				rows := []string{"session\tlast used\tpipelines\ttokens"}
				for _, s := range ans.Sessions {
					rows = append(rows, fmt.Sprintf("%s\t%s\t%d\t%s", s.ID, stamp(s.Used), s.Pipelines, count(s.Tokens)))
				}
				a.table(rows...)
			})
		},
	}
}

func (a *app) pipelineForget() *cobra.Command {
	return &cobra.Command{
		Use:   "forget SESSION",
		Short: "erase what pipelines left in a session",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			if _, err := api.Call(c.Context(), client, api.PipelineForget, api.PipelineForgetRequest{Session: args[0]}); err != nil {
				return err
			}
			return a.answer(map[string]any{"session_id": args[0]}, func() { fmt.Fprintln(a.out, "erased") })
		},
	}
}

// openPipeline reads a pipeline with all that it names, and checks what can be checked before anything runs.
func (a *app) openPipeline(c *cobra.Command, args []string, f *pipelineFlags) (*pipelineRun, error) {
	if f.width < 0 || f.width > 64 || len(f.session) > 128 {
		return nil, usage("--parallel takes 1 to 64, --session-id at most 128 bytes")
	}
	client, repo, err := a.client(c.Context(), false)
	if err != nil {
		return nil, err
	}
	req := api.PipelineRequest{Session: f.session, Name: args[0]}
	if ext := filepath.Ext(args[0]); ext == ".yaml" || ext == ".yml" {
		if req.Name, req.File = "", args[0]; !filepath.IsAbs(req.File) {
			here, err := filepath.EvalSymlinks(a.dir)
			if err != nil {
				return nil, err
			}
			req.File = filepath.Join(here, req.File)
		}
	}
	ans, err := api.Call(c.Context(), client, api.PipelineOpen, req)
	if err != nil {
		return nil, err
	}
	r := &pipelineRun{app: a, client: client, root: string(repo.Root), flags: f, ans: ans, mode: live}
	if err := json.Unmarshal(ans.Pipeline, &r.p); err != nil {
		return nil, fmt.Errorf("decode pipeline: %w", err)
	}
	if ans.Session != nil && ans.Session.Known {
		r.mode = resumed
	}
	if err := r.prepare(args[1:]); err != nil {
		return nil, fail(exitFailed, "aoa pipeline check "+args[0], "%s: %v", ans.ID, err)
	}
	return r, nil
}

// The two modes, as the progress line begins.
const (
	live    = "● Live"
	resumed = "⟳ Session"
)

// namedValues reads name=value words.
func namedValues(what string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if _, twice := out[k]; !ok || twice || !argName.MatchString(k) {
			return nil, fmt.Errorf("%s %s: use name=value, each name once, of letters, digits and _", what, w)
		}
		out[k] = v
	}
	return out, nil
}

// decoded is a JSON value; a text that is none is a text.
func decoded(raw []byte) any {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return v
}
