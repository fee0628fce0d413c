package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
)

func (a *app) stage() *cobra.Command {
	c := &cobra.Command{
		Use:   "stage",
		Short: "run a step only when its inputs changed",
		Long: `Runs a command and keeps what it prints and makes; when nothing that it depends on
has changed, the next run prints and restores that instead.

What counts as changed: the command's words, its folder, --input, --env, the content and
executable bit of --dep files, --template, the version that --tool prints, --model. Times
of files do not count. aoa stage why says what changed.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, make := range []func() *cobra.Command{a.stageRun, a.stageWhy, a.stageList, a.stageShow, a.stageInvalidate, a.stageClear, a.stageStats} {
		sub := make()
		a.strict(sub)
		c.AddCommand(sub)
	}
	return c
}

func (a *app) stageWhy() *cobra.Command {
	var f stageFlags
	c := &cobra.Command{
		Use:   "why NAME [flags of stage run] [-- COMMAND…]",
		Short: "would it run, and what is the first input that changed?",
		Long: `With the flags and the command of stage run: whether that would be a hit, and if not, the
first input that differs from the nearest earlier run of the stage. With the name alone:
whether a dependency or the template of its newest run has changed on the disk.`,
		Example: `  aoa stage why lint
  aoa stage why lint --dep 'src/**' -- eslint src`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name, command, err := parted(c, args, false)
			if err != nil {
				return err
			}
			client, repo, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			req := api.StageRequest{Stage: name}
			if len(command) > 0 {
				if req, err = a.stageRequest(repo, name, command, &f); err != nil {
					return err
				}
			}
			ans, err := api.Call(c.Context(), client, api.StageWhy, req)
			if err == nil && ans.AskTool {
				if req.Tool.Version, err = a.toolVersion(c.Context(), req.Tool); err != nil {
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

func (a *app) reason(name string, r api.StageReason) {
	a.idle(name, r.Idle)
	if r.Hit {
		fmt.Fprintf(a.out, "hit %s\n", r.Key)
		return
	}
	fmt.Fprintf(a.out, "miss: %s\n", harmless(r.Why))
	for i, c := range r.Changes {
		if i == 0 {
			continue // said
		}
		fmt.Fprintf(a.out, "      %s\n", harmless(strings.TrimSpace(c.Kind+" "+c.Name)+" "+c.What))
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
		Short: "what is kept, the newest first",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				r.Stage = args[0]
			}
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.StageList, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				if len(ans.Entries) == 0 {
					a.talk("nothing is kept; begin with: aoa stage run NAME --dep GLOB -- COMMAND")
					return
				}
				rows := []string{"key\tstage\tmade\ttook\thits\tsize\texit\tcommand"}
				for _, e := range ans.Entries {
					rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t%d\t%s", e.Key, e.Stage, stamp(e.Created), took(e.Duration), e.Hits,
						size(e.Bytes), e.Exit, clip(e.Command, 60)))
				}
				a.table(rows...)
			})
		},
	}
	c.Flags().IntVarP(&r.Limit, "number", "n", 100, "at most so many")
	return c
}

// clip cuts a text for a column.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// took prints milliseconds for people.
func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return length(float64(ms) / 1000)
}

func (a *app) stageShow() *cobra.Command {
	c := &cobra.Command{
		Use:   "show NAME|KEY",
		Short: "one kept result; --stdout prints what it printed",
		Example: `  aoa stage show lint
  aoa stage show 3f9a --stdout`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Ask(c.Context(), client, api.StageShow, api.StageShowRequest{Name: args[0]}, nil)
			if err != nil {
				return err
			}
			defer ans.Close()
			rec, err := readRecord(ans)
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
			return a.answer(shown{ans.Head, made(rec)}, func() { a.shown(ans.Head, rec) })
		},
	}
	c.Flags().Bool("stdout", false, "print what it printed, and nothing else")
	c.Flags().Bool("stderr", false, "print what it said, and nothing else")
	return c
}

// shown is an entry with the files that it made.
type shown struct {
	api.StageEntry
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

func (a *app) shown(e api.StageEntry, rec *stage.Record) {
	ttl := "none"
	if e.TTL > 0 {
		ttl = time.Duration(e.TTL * int64(time.Millisecond)).String()
	}
	rows := []string{"stage\t" + e.Stage, "key\t" + e.Key, "command\t" + e.Command, "made\t" + stamp(e.Created), "took\t" + took(e.Duration),
		fmt.Sprintf("used\t%d times, last %s", e.Hits, stamp(e.Used)), fmt.Sprintf("exit\t%d", e.Exit), "ttl\t" + ttl,
		fmt.Sprintf("stdout\t%s", size(e.Stdout)), fmt.Sprintf("stderr\t%s", size(e.Stderr))}
	if e.Model != "" {
		rows = append(rows, "model\t"+e.Model)
	}
	for _, f := range made(rec) {
		rows = append(rows, fmt.Sprintf("file\t%s  %s  %s", f.Path, size(int64(f.Bytes)), f.Mode))
	}
	a.table(rows...)
}

func (a *app) stageInvalidate() *cobra.Command {
	return &cobra.Command{
		Use:   "invalidate NAME|KEY",
		Short: "drop what is kept of a stage, or one result",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.dropStages(c, api.StageDropRequest{Name: args[0]})
		},
	}
}

func (a *app) stageClear() *cobra.Command {
	return &cobra.Command{
		Use:   "clear",
		Short: "drop everything that is kept of stages",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return a.dropStages(c, api.StageDropRequest{All: true}) },
	}
}

func (a *app) dropStages(c *cobra.Command, r api.StageDropRequest) error {
	client, _, err := a.client(c.Context(), false)
	if err != nil {
		return err
	}
	ans, err := api.Call(c.Context(), client, api.StageDrop, r)
	if err != nil {
		return err
	}
	return a.answer(ans, func() { fmt.Fprintf(a.out, "dropped %d\n", ans.Dropped) })
}

func (a *app) stageStats() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "what each stage saved",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.StageStats, api.None{})
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				rows := []string{"stage\thits\truns\tsaved\tkept\tsize"}
				for _, s := range ans.Stages {
					rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%s\t%d\t%s", s.Stage, s.Hits, s.Misses, took(s.Saved), s.Entries, size(s.Bytes)))
				}
				a.table(rows...)
			})
		},
	}
}

// readRecord reads the record behind an answer's line.
func readRecord(r io.Reader) (*stage.Record, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the kept result: %w", err)
	}
	return stage.DecodeRecord(data)
}
