package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
)

// promptCache prints what prompt caches saved in the sessions of this repository, as Claude Code's transcripts record it. Only numbers
// are read from them.
func (a *app) promptCache(ctx context.Context, limit int) error {
	client, repo, err := a.client(ctx, false)
	if err != nil {
		return err
	}
	r := api.PromptCacheRequest{Limit: limit, Transcripts: transcript.Dirs(a.claudeHome(), append(repo.Worktrees(), repo.Root)...)}
	return showFrom(ctx, a, client, api.PromptCache, r, func(ans api.PromptCacheAnswer) {
		if len(ans.Sessions) == 0 {
			a.talk("no transcript of this repository has a request to a model")
			return
		}
		printList(a, "last\trequests\tnot cached\twritten to cache\tread from cache\tshare\tbreaks\toutput\tmodel\tsession",
			append(ans.Sessions, ans.Total),
			func(s api.PromptCacheRow) []any {
				return []any{stamp(s.Last), s.Requests, count(s.Input), count(s.Write), count(s.Read),
					fmt.Sprintf("%.0f%%", 100*s.Share), s.Breaks,
					count(s.Output), strings.Join(s.Models, ", "), cmp.Or(s.Session, "all")}
			})
	})
}
