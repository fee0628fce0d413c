package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/watcher"
)

const (
	atFiles   = 15                     // the client shows no more
	tabFiles  = 50                     // a shell asks before it shows more
	typeWait  = 100 * time.Millisecond // the user is typing
	typeInput = 64 << 10               // bytes of JSON that are read
)

func (a *app) atComplete() *cobra.Command {
	return &cobra.Command{
		Use:   "at-complete",
		Short: "complete file names after @ in Claude Code",
		Long: `Reads {"query": "…"} from stdin and prints at most 15 files, one per line: better matches first, equal
matches in learned order. A typing error still matches. Without a daemon, equal matches are in the order
of their names. It answers within 100 ms and exits 0.

Settings of Claude Code:  "fileSuggestion": {"type": "command", "command": "aoa at-complete"}`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), typeWait*time.Duration(client.Factor()))
			defer cancel()
			var in struct {
				Query string `json:"query"`
			}
			// Input that cannot be read counts as an empty query, which the most likely files answer.
			_ = json.NewDecoder(io.LimitReader(a.in, typeInput)).Decode(&in)
			repo, err := a.typingIn(ctx)
			if err != nil {
				return nil // the client ignores errors
			}
			for _, p := range a.completing(ctx, repo,
				api.Typing{Query: in.Query, Session: a.getenv("CLAUDE_CODE_SESSION_ID"), Limit: atFiles}) {
				// A name with a line break would read as two names.
				if name := a.near(p); !strings.ContainsAny(name, "\r\n") {
					fmt.Fprintln(a.out, name)
				}
			}
			return nil
		},
	}
}

// typingIn is the repository of the current folder, else of the agent's project.
func (a *app) typingIn(ctx context.Context) (*watcher.Repo, error) {
	repo, err := watcher.OpenRepo(ctx, a.dir, a.env)
	if dir := a.getenv("CLAUDE_PROJECT_DIR"); err != nil && filepath.IsAbs(dir) {
		a.dir = dir
		repo, err = watcher.OpenRepo(ctx, a.dir, a.env)
	}
	if err == nil {
		a.noteFolder(repo)
	}
	return repo, err
}

// completing finds files in learned order. It starts no daemon; without one it matches names only. A terminal gets
// the names as they are, so those with control and invisible characters are left out.
func (a *app) completing(ctx context.Context, repo *watcher.Repo, r api.Typing) []event.Path {
	if place := locate.Find(repo.CommonDir, a.getenv); place.Exists() {
		if ans, err := api.Call(ctx, a.running(place), api.Names, api.NamesRequest{Typing: &r}); err == nil {
			return slices.DeleteFunc(ans.Files, hostile)
		}
	}
	files, err := repo.Files(ctx)
	if err != nil {
		return nil
	}
	find := rank.Like(r.Query)
	if r.Prefix {
		find = rank.Begin(r.Query)
	}
	out := make([]event.Path, 0, r.Limit)
	for _, m := range find(files, nil, r.Limit) {
		out = append(out, m.File)
	}
	return slices.DeleteFunc(out, hostile)
}

// hostile reports whether a terminal would not show a name as it is.
func hostile(p event.Path) bool { return p.Display() != string(p) }

// completeFile completes file names in the shell, in learned order. Without a result the shell completes by itself.
func (a *app) completeFile(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(c.Context(), typeWait*time.Duration(client.Factor()))
	defer cancel()
	repo, err := watcher.OpenRepo(ctx, a.dir, a.env)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	a.noteFolder(repo)
	from, ok := a.typedFrom(repo, typed)
	if !ok {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	for _, p := range a.completing(ctx, repo, api.Typing{Query: from, Prefix: true, Limit: tabFiles}) {
		// A shell ignores names that do not begin with the typed letters.
		if name := a.near(p); strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return out, cobra.ShellCompDirectiveKeepOrder | cobra.ShellCompDirectiveNoFileComp
}

// typedFrom makes the beginning of a repository path from a name that was typed in the current folder.
func (a *app) typedFrom(repo *watcher.Repo, typed string) (string, bool) {
	dir, err := filepath.EvalSymlinks(a.dir)
	if err != nil || filepath.IsAbs(typed) {
		return "", false
	}
	// The extra letter keeps Join from removing a slash at the end.
	p, ok := repo.Root.Path(filepath.Join(dir, typed+"x"))
	return strings.TrimSuffix(string(p), "x"), ok
}

// words completes words with commas between them.
func words(known ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []string
		for _, w := range known {
			if !slices.Contains(strings.Split(before, ","), w) {
				out = append(out, before+w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlag makes a shell complete the values of a flag.
func completeFlag(c *cobra.Command, flag string, fn cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err) // no such flag: every test fails
	}
}

// knownWords refuses words that are not among the known ones, and names the one that may be meant.
func knownWords(what string, typed, known []string) error {
	for _, t := range typed {
		if slices.Contains(known, t) {
			continue
		}
		if near := config.Nearest(t, known); near != "" {
			return usage("no %s %q; did you mean %s?", what, t, near)
		}
		return usage("no %s %q; there are %s", what, t, strings.Join(known, ", "))
	}
	return nil
}
