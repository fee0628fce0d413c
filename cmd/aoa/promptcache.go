package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
)

// promptCache prints what prompt caches gave to the sessions of this repository, as Claude Code's transcripts tell.
// Only numbers are read from them.
func (a *app) promptCache(ctx context.Context, limit int) error {
	client, repo, err := a.client(ctx, false)
	if err != nil {
		return err
	}
	r := api.PromptCacheRequest{Limit: limit, Transcripts: transcript.Dirs(a.claudeHome(), append(repo.Worktrees(), repo.Root)...)}
	ans, err := api.Call(ctx, client, api.PromptCache, r)
	if err != nil {
		return err
	}
	return a.answer(ans, func() {
		if len(ans.Sessions) == 0 {
			a.talk("no transcript of this repository tells of a request to a model")
			return
		}
		rows := []string{"last\trequests\tread anew\twritten to cache\tread from cache\tshare\tbreaks\toutput\tmodel\tsession"}
		for _, s := range append(ans.Sessions, ans.Total) {
			name := s.Session
			if name == "" {
				name = "all"
			}
			rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%s\t%s\t%.0f%%\t%d\t%s\t%s\t%s", stamp(s.Last), s.Requests, count(s.Input), count(s.Write),
				count(s.Read), 100*s.Share, s.Breaks, count(s.Output), strings.Join(s.Models, ", "), name))
		}
		a.table(rows...)
	})
}
