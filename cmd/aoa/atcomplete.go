package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/watcher"
)

const (
	atFiles   = 15                     // what the client shows
	tabFiles  = 50                     // what a shell shows without asking
	typeWait  = 100 * time.Millisecond // somebody is typing
	typeInput = 64 << 10               // bytes of JSON that are read
)

func (a *app) atComplete() *cobra.Command {
	return &cobra.Command{
		Use:   "at-complete",
		Short: "files for Claude Code's @, best first",
		Long: `Reads {"query": "…"} from stdin and prints at most 15 files, one a line: better matches first, equal
ones in learned order. A slip of the finger is forgiven. Without a daemon the order is that of the
names. It answers within 100 ms and exits 0.

Settings of Claude Code:  "fileSuggestion": {"type": "command", "command": "aoa at-complete"}`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), typeWait*time.Duration(client.Factor()))
			defer cancel()
			var in struct {
				Query string `json:"query"`
			}
			// What cannot be read is an empty query: the most likely files are a good answer to it.
			_ = json.NewDecoder(io.LimitReader(a.in, typeInput)).Decode(&in)
			repo, err := a.typingIn(ctx)
			if err != nil {
				return nil // nothing to offer, and nobody to tell
			}
			for _, p := range a.completing(ctx, repo, api.CompleteRequest{Query: in.Query, Session: a.getenv("CLAUDE_CODE_SESSION_ID"), Limit: atFiles}) {
				// A name with a line break cannot be told from two names.
				if name := a.nearName(repo, p); !strings.ContainsAny(name, "\r\n") {
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
	return repo, err
}

// completing finds files in learned order; it starts no daemon, and without one matches names alone.
func (a *app) completing(ctx context.Context, repo *watcher.Repo, r api.CompleteRequest) []event.Path {
	if place := api.Locate(repo.CommonDir, a.env); place.Exists() {
		if ans, err := api.Call(ctx, a.ask(place), api.Complete, r); err == nil {
			return ans.Files
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
	return out
}

// nearName is a file's name as seen from the current folder.
func (a *app) nearName(repo *watcher.Repo, p event.Path) string {
	dir, err := filepath.EvalSymlinks(a.dir)
	if err != nil {
		return string(p)
	}
	name, err := filepath.Rel(dir, repo.Root.Abs(p))
	if err != nil {
		return string(p)
	}
	return filepath.ToSlash(name)
}

// completeFile completes file names in the shell, in learned order. Where it knows nothing the shell's own
// completion goes on.
func (a *app) completeFile(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(c.Context(), typeWait*time.Duration(client.Factor()))
	defer cancel()
	repo, err := watcher.OpenRepo(ctx, a.dir, a.env)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	from, ok := a.typedFrom(repo, typed)
	if !ok {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	for _, p := range a.completing(ctx, repo, api.CompleteRequest{Query: from, Prefix: true, Limit: tabFiles}) {
		// A shell takes what does not begin with the typed letters for another word.
		if name := a.nearName(repo, p); strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return out, cobra.ShellCompDirectiveKeepOrder | cobra.ShellCompDirectiveNoFileComp
}

// typedFrom turns what was typed in the current folder into the beginning of a repository path.
func (a *app) typedFrom(repo *watcher.Repo, typed string) (string, bool) {
	dir, err := filepath.EvalSymlinks(a.dir)
	if err != nil || filepath.IsAbs(typed) {
		return "", false
	}
	// A letter more keeps a slash at the end and a name half typed from being cleaned away.
	p, ok := repo.Root.Path(filepath.Join(dir, typed+"x"))
	return strings.TrimSuffix(string(p), "x"), ok
}
