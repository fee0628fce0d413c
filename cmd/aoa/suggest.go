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
	var staged, nul, plain, check bool
	c := &cobra.Command{
		Use:   "suggest [FILE…]",
		Short: "which files next?",
		Long: `Prints the files most likely to be needed next, with the probability and the strongest reason.

With FILEs, it prints files that change together with them. With --prompt, files that such words
led to. With --staged, files that usually belong to the staged ones. Without any of these, files
that usually belong to the changes of the working tree. If nothing is changed, files that recent
work suggests.

` + checkHelp + `

In CI: aoa suggest --check $(git diff --name-only origin/main...)`,
		Example: `  aoa suggest internal/server.go
  aoa suggest --prompt "fix the login timeout" -n 10
  aoa suggest --staged
  aoa suggest -0 | fzf --read0 --print0 | xargs -0 -o vim
  vim $(aoa suggest --plain -n 3)                        # only for names without line breaks`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.suggestFiles(c.Context(), q, args, suggestHow{staged, nul, plain, check})
		},
		ValidArgsFunction: a.completeFile,
	}
	f := c.Flags()
	f.StringVarP(&q.Prompt, "prompt", "p", "", "the task in words")
	f.BoolVar(&staged, "staged", false, "use the staged files as FILEs")
	f.BoolVar(&check, "check", false, "print files that the change lacks, and exit 5 if there are any")
	f.IntVarP(&q.Limit, "number", "n", 5, "number of files, 1 to 100")
	f.BoolVar(&q.Explain, "explain", false, "print every reason")
	f.BoolVarP(&nul, "null", "0", false, "print only names, each with a NUL at its end, for xargs -0 and fzf --read0")
	f.BoolVar(&plain, "plain", false, "print only names, one per line")
	f.StringVar(&q.Session, "session", "", "rank for this agent session")
	f.StringSliceVar(&q.Tags, "tag", nil, "intent tags; only the first 3 are used")
	return c
}

// suggestHow holds the flags of aoa suggest that are not part of the query.
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
	if q.Files, err = a.paths(repo, args); err != nil {
		return err
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
		q.Files, _ = repo.Changed(ctx) // without git: what recent work suggests
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

// early prints a note if the daemon has not read all files yet.
func (a *app) early(reading bool) {
	if reading {
		a.talk("the daemon has just started and has not read the files yet")
		a.talk("hint: ask again in a few seconds")
	}
}

// suggestions prints the table: probability, bar, file, strongest reason.
func (a *app) suggestions(ans event.Answer, q event.Query) {
	if len(ans.Suggestions) == 0 {
		a.talk("nothing to suggest: too little is known about this question")
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

// path makes a repository path of a file name that a person typed.
func (a *app) path(repo *watcher.Repo, arg string) (event.Path, error) {
	abs := a.abs(arg)
	// The root has its symbolic links resolved; the typed folder may contain one. The file need not exist.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	if p, ok := repo.Root.Path(abs); ok {
		return p, nil
	}
	return "", fail(exitUsage, "name a file below "+string(repo.Root), "%s is not in this repository", arg)
}
