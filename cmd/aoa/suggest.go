package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/watcher"
)

func (a *app) suggest() *cobra.Command {
	var q event.Query
	var staged, nul, check bool
	c := &cobra.Command{
		Use:   "suggest [FILE…]",
		Short: "which files next?",
		Long: `Prints the files most likely to be needed next, with the probability and the strongest reason.

With FILEs: what changes together with them. With --prompt: what such words led to. With
--staged: what usually belongs to the commit being made. Without any of them: what usually
belongs to the changes of the working tree, and without changes what recent work points to.

` + checkHelp + `

A setting for CI: aoa suggest --check $(git diff --name-only origin/main...)`,
		Example: `  aoa suggest internal/server.go
  aoa suggest --prompt "fix the login timeout" -n 10
  aoa suggest --staged
  aoa suggest -0 | fzf --read0 --print0 | xargs -0 -o vim
  vim $(aoa suggest --plain -n 3)                        # names without line breaks only`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.suggestFiles(c.Context(), q, args, suggestHow{staged, nul, c.Flags().Changed("plain"), check})
		},
		ValidArgsFunction: a.completeFile,
	}
	f := c.Flags()
	f.StringVarP(&q.Prompt, "prompt", "p", "", "the task in words")
	f.BoolVar(&staged, "staged", false, "take the staged files as FILEs")
	f.BoolVar(&check, "check", false, "print what the change lacks, and exit 5 if there is anything")
	f.IntVarP(&q.Limit, "number", "n", 5, "how many files, 1 to 100")
	f.BoolVar(&q.Explain, "explain", false, "print every reason")
	f.BoolVarP(&nul, "null", "0", false, "print names only, each ended by a NUL, for xargs -0 and fzf --read0")
	f.Bool("plain", false, "print names only, one a line")
	f.StringVar(&q.Session, "session", "", "rank for this agent session")
	f.StringSliceVar(&q.Tags, "tag", nil, "intent tags; at most 3 count")
	return c
}

// suggestHow is what aoa suggest takes and how it prints.
type suggestHow struct{ staged, nul, plain, check bool }

func (a *app) suggestFiles(ctx context.Context, q event.Query, args []string, how suggestHow) error {
	if q.Limit < 1 || q.Limit > 100 {
		return usage("-n %d is out of range, use 1 to 100", q.Limit)
	}
	if how.check && !how.staged && len(args) == 0 {
		return usage("--check needs a change: name FILEs, or use --staged")
	}
	client, repo, err := a.client(ctx, false)
	if err != nil {
		return err
	}
	for _, arg := range args {
		p, err := a.path(repo, arg)
		if err != nil {
			return err
		}
		q.Files = append(q.Files, p)
	}
	if how.staged {
		files, err := repo.Staged(ctx)
		if err != nil {
			return err
		}
		if len(files) == 0 && !how.check {
			return fail(exitFailed, "git add FILE…", "nothing is staged")
		}
		q.Files = append(q.Files, files...)
	}
	if len(q.Files) == 0 && q.Prompt == "" && q.Session == "" && len(q.Tags) == 0 && !how.check {
		q.Files, _ = repo.Changed(ctx) // without git: what recent work points to
	}
	if how.check {
		return a.checkChange(ctx, client, q.Files, q.Limit)
	}
	ans, err := api.Call(ctx, client, api.Rank, q)
	if err != nil {
		return err
	}
	a.early(ans.Reading)
	if how.nul || how.plain {
		end := "\n"
		if how.nul {
			end = "\x00"
		}
		for _, s := range ans.Suggestions {
			name := string(s.File)
			if a.terminal && !how.nul {
				name = s.File.Display() // an escape sequence in a name must not reach a terminal
			}
			fmt.Fprint(a.out, name+end)
		}
		return nil
	}
	return a.answer(ans, func() { a.suggestions(ans, q) })
}

// early says that an answer may be better in a moment.
func (a *app) early(reading bool) {
	if reading {
		a.talk("the daemon has just started: what the files contain is not read yet")
		a.talk("hint: ask again in a few seconds")
	}
}

// suggestions is the table for people: probability, bar, file, the strongest reason in words.
func (a *app) suggestions(ans event.Answer, q event.Query) {
	if len(ans.Suggestions) == 0 {
		a.talk("nothing to suggest: too little is known for this question")
		a.talk("hint: aoa suggest FILE, or aoa status to see what was learned")
		return
	}
	wide := 0
	for _, s := range ans.Suggestions {
		wide = max(wide, len([]rune(s.File.Display())))
	}
	for _, s := range ans.Suggestions {
		name := s.File.Display()
		fmt.Fprintf(a.out, "%3.0f%%  %s  %s%s  %s\n", s.Score*100, bar(s.Score, 8), a.bold(name),
			strings.Repeat(" ", wide-len([]rune(name))), a.dim(s.Words()))
		if q.Explain {
			a.arithmetic(s)
		}
	}
}

// path makes a repository path of what a person typed: relative to the current folder, or to the root.
func (a *app) path(repo *watcher.Repo, arg string) (event.Path, error) {
	abs := arg
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(a.dir, arg)
	}
	// The root has its symlinks resolved; the folder may be spelled through one. The file need not exist.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	if p, ok := repo.Root.Path(abs); ok {
		return p, nil
	}
	return "", fail(exitUsage, "name a file below "+string(repo.Root), "%s is not in this repository", arg)
}
