package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

func (a *app) stage() *cobra.Command {
	c := &cobra.Command{
		Use:   "stage",
		Short: "run a command only when its inputs changed",
		Long: `Runs a command, and keeps what it prints and the files that it makes. If nothing that it
depends on has changed, the next run prints and restores these instead.

A command depends on its words, its folder, --input, --env, the content and executable bit
of --dep files, --template, the version that --tool prints, and --model. Times of files do
not count. aoa stage why says what changed.`,
	}
	c.AddCommand(a.stageRun(), a.stageWhy(), a.stageList(), a.stageShow(), a.stageRemove(), a.stageStats())
	return c
}

func (a *app) stageWhy() *cobra.Command {
	var f stageFlags
	c := &cobra.Command{
		Use:   "why NAME [flags of stage run] [-- COMMAND…]",
		Short: "whether a stage would run, and the first input that changed",
		Long: `With the flags and the command of stage run, it says whether that run would be a hit. If not,
it prints the first input that differs from the most similar earlier run of the stage. With the
name alone, it says whether a dependency or the template of the newest run has changed on the disk.`,
		Example: `  aoa stage why lint
  aoa stage why lint --dep 'src/**' -- eslint src`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name, command, err := splitCommand(c, args, false)
			if err != nil {
				return err
			}
			client, repo, err := a.client(c.Context())
			if err != nil {
				return err
			}
			req := stage.Request{Stage: name}
			if len(command) > 0 {
				if req, err = a.stageRequest(repo, name, command, &f); err != nil {
					return err
				}
			}
			ans, err := api.Call(c.Context(), client, api.StageWhy, req)
			if err == nil && ans.AskTool {
				if req.Tool.Version, err = stagerun.ToolVersion(c.Context(), req.Tool, a.dir, a.env); err != nil {
					return err
				}
				ans, err = api.Call(c.Context(), client, api.StageWhy, req)
			}
			if err != nil {
				return err
			}
			return a.answer(ans, func() { a.reason(name, ans) })
		},
	}
	f.add(c)
	return c
}

func (a *app) reason(name string, r stage.Why) {
	for _, g := range r.Idle {
		a.talk("stage %s: %s matches no file that git has or would add", name, g)
	}
	if r.Hit {
		fmt.Fprintf(a.out, "hit %s\n", r.Key)
		return
	}
	fmt.Fprintf(a.out, "miss: %s\n", harmless(r.Miss))
	for _, c := range r.Changes[min(1, len(r.Changes)):] { // the first one is in Miss
		fmt.Fprintf(a.out, "      %s\n", harmless(c.String()))
	}
	if more := r.Total - len(r.Changes); more > 0 {
		fmt.Fprintf(a.out, "      and %d more\n", more)
	}
	if r.Nearest != "" {
		a.talk("compared with %s", r.Nearest)
	}
}

func (a *app) stageList() *cobra.Command {
	var r api.StageListRequest
	c := &cobra.Command{
		Use:   "list [NAME]",
		Short: "the kept results, the newest first",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Stage = strings.Join(args, "")
			ans, err := a.askStages(c.Context(), r)
			if err != nil {
				return err
			}
			defer ans.Close()
			return a.answer(ans.Head, func() {
				if len(ans.Head.Entries) == 0 {
					a.talk("no result is kept; begin with: aoa stage run NAME --dep GLOB -- COMMAND")
					return
				}
				printList(a, "key\tstage\tmade\ttook\thits\tsize\texit\tcommand", ans.Head.Entries, func(e stage.Entry) []any {
					return []any{e.Key, e.Stage, stamp(e.Created), millis(e.Duration), e.Hits, size(e.Bytes), e.Exit,
						clip(e.Command, 60)}
				})
			})
		},
	}
	c.Flags().IntVarP(&r.Limit, "number", "n", 100, "largest number of results")
	return c
}

// askStages asks for kept results. A result that is shown follows behind the answer.
func (a *app) askStages(ctx context.Context, r api.StageListRequest) (*api.Reply[api.StageListAnswer], error) {
	client, _, err := a.client(ctx)
	if err != nil {
		return nil, err
	}
	return api.Ask(ctx, client, api.StageList, r, nil)
}

func (a *app) stageShow() *cobra.Command {
	c := &cobra.Command{
		Use:   "show NAME|KEY",
		Short: "a kept result; --stdout prints its standard output",
		Example: `  aoa stage show lint
  aoa stage show lint --stdout`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ans, err := a.askStages(c.Context(), api.StageListRequest{Show: args[0]})
			if err != nil {
				return err
			}
			defer ans.Close()
			rec, err := stagerun.ReadRecord(ans)
			if err != nil {
				return err
			}
			switch {
			case c.Flags().Changed("stdout"):
				_, err = a.out.Write(rec.Output(stage.Stdout))
				return err
			case c.Flags().Changed("stderr"):
				_, err = a.out.Write(rec.Output(stage.Stderr))
				return err
			}
			e := ans.Head.Entries[0]
			return a.answer(stageResult{e, made(rec)}, func() { a.printResult(e, rec) })
		},
	}
	c.Flags().Bool("stdout", false, "print its standard output only")
	c.Flags().Bool("stderr", false, "print its standard error only")
	return c
}

// stageResult is an entry with the files that it made, for --json.
type stageResult struct {
	stage.Entry
	Made []madeFile `json:"made"`
}

type madeFile struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	Mode  string `json:"mode"`
}

func made(rec *stage.Record) []madeFile {
	out := []madeFile{}
	for _, f := range rec.Files {
		mode := fmt.Sprintf("%04o", f.Mode)
		if f.Link {
			mode = "link"
		}
		out = append(out, madeFile{string(f.Path), len(f.Data), mode})
	}
	return out
}

func (a *app) printResult(e stage.Entry, rec *stage.Record) {
	ttl := "none"
	if e.TTL > 0 {
		ttl = time.Duration(e.TTL * int64(time.Millisecond)).String()
	}
	rows := []string{cells("stage", e.Stage), cells("key", e.Key), cells("command", e.Command),
		cells("made", stamp(e.Created)), cells("took", millis(e.Duration)),
		cells("used", fmt.Sprintf("%d times, last %s", e.Hits, stamp(e.Used))), cells("exit", e.Exit), cells("ttl", ttl),
		cells("stdout", size(e.Stdout)), cells("stderr", size(e.Stderr))}
	if e.Model != "" {
		rows = append(rows, cells("model", e.Model))
	}
	for _, f := range made(rec) {
		rows = append(rows, cells("file", fmt.Sprintf("%s  %s  %s", f.Path, size(int64(f.Bytes)), f.Mode)))
	}
	a.table(rows...)
}

func (a *app) stageRemove() *cobra.Command {
	var r api.StageDropRequest
	c := &cobra.Command{
		Use:   "rm [NAME|KEY]",
		Short: "delete the kept results of a stage, one result, or all",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if r.All == (len(args) > 0) {
				return usage("name a stage or a key, or --all for the results of all stages")
			}
			r.Name = strings.Join(args, "")
			return show(c.Context(), a, api.StageDrop, r, func(ans api.StageDropAnswer) {
				fmt.Fprintf(a.out, "deleted %d\n", ans.Dropped)
			})
		},
	}
	c.Flags().BoolVar(&r.All, "all", false, "the results of all stages")
	return c
}

func (a *app) stageStats() *cobra.Command {
	const short = "how often each stage ran, and the time that it saved"
	part := func(ans api.StatsAnswer) *api.StageStatsAnswer { return ans.Stage }
	return table(a, short, &api.StatsRequest{Table: "stage"}, part, func(ans api.StageStatsAnswer) {
		printList(a, "stage\thits\tsaved\tkept\tsize", ans.Stages, func(s stage.Stat) []any {
			return []any{s.Stage, s.Hits, millis(s.Saved), s.Entries, size(s.Bytes)}
		})
	})
}
