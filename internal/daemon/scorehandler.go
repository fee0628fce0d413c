package daemon

import (
	"context"
	"strconv"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// scoreHandler shows whole sets of scores.
type scoreHandler struct {
	base
	events    *eventlog.Log
	worktrees *checkout.Set
	hot       *hot.Store
	live      *live.Sessions
}

// scoreSets are the sets that one family holds.
var scoreSets = map[string]*hot.Family{api.ScoresRecency: hot.Recency, api.ScoresFrequency: hot.Frequency,
	api.ScoresTagFreq: hot.TagFreq,
	api.ScoresComod:   hot.Comod, api.ScoresTag: hot.TagFiles, api.ScoresFile: hot.FileTags}

// manyComposite is how many files the composite has.
const manyComposite = 100

func (h *scoreHandler) scores(ctx context.Context, r api.ScoresRequest) (out api.ScoresAnswer, err error) {
	h.events.SyncBriefly(ctx)
	f, one := scoreSets[r.Set]
	owned := one && !f.Global() || r.Set == api.ScoresSession
	switch {
	case r.Owner != "" && !owned:
		return out, api.Bad("leave owner out", "the set %.40q has no owner", r.Set)
	case r.Set == api.ScoresComposite:
		out.Members, err = h.composite(ctx)
	case r.Set == api.ScoresSession:
		return h.session(r.Owner), nil
	case !one:
		return out, api.Bad("docs/api.md lists the sets", "there is no set %.40q", r.Set)
	case owned && r.Owner == "":
		out.Members = wireScores(h.hot.Sums(f, h.now()))
	default:
		out.Members = wireScores(h.hot.All(f, r.Owner, h.now()))
	}
	return out, err
}

// composite is what aoa suggest says about recent work.
func (h *scoreHandler) composite(ctx context.Context) ([]api.Score, error) {
	ans, err := h.worktrees.Caller(ctx).Prefetch.Answer(ctx, event.Query{Limit: manyComposite, At: h.now()})
	return convert(ans.Suggestions, func(s event.Suggestion) api.Score {
		return api.Score{Name: string(s.File),
			Score: s.Score}
	}), err
}

// session is one session, or all that are live.
func (h *scoreHandler) session(id string) (out api.ScoresAnswer) {
	out.Members = []api.Score{}
	if id == "" {
		for _, s := range h.live.Running(h.now()) {
			out.Members = append(out.Members, api.Score{Name: s.ID, Score: hot.Seconds(s.Last.Add(live.Life))})
		}
		return out
	}
	s := h.live.Get(id, h.now())
	if !s.Exists() {
		return out
	}
	out.Expires, out.Fields = s.Deadline(), map[string]string{"last_access": strconv.FormatInt(s.Last.Unix(), 10)}
	if s.Current != "" {
		out.Fields["current_file"] = string(s.Current)
	}
	if s.Intent != "" {
		out.Fields["current_intent"] = s.Intent
	}
	for file, o := range s.Opened {
		out.Members = append(out.Members, api.Score{Name: string(file), Score: hot.Seconds(o.At)})
	}
	return out
}

func wireScores(in []hot.Member) []api.Score {
	return convert(in, func(m hot.Member) api.Score { return api.Score(m) })
}
