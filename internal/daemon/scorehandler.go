package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// scoreHandler shows whole sets of scores.
type scoreHandler struct {
	base
	events    *eventLog
	worktrees *worktrees
	hot       *hot.Store
}

// scoreSets are the sets that one family holds.
var scoreSets = map[string]*hot.Family{api.ScoresRecency: hot.Recency, api.ScoresFrequency: hot.Frequency, api.ScoresTagFreq: hot.TagFreq,
	api.ScoresComod: hot.Comod, api.ScoresTag: hot.TagFiles, api.ScoresFile: hot.FileTags}

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
		return h.session(ctx, r.Owner)
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
	ans, err := h.worktrees.caller(ctx).prefetch.Answer(ctx, event.Query{Limit: manyComposite, At: h.now()})
	return convert(ans.Suggestions, func(s event.Suggestion) api.Score { return api.Score{Name: string(s.File), Score: s.Score} }), err
}

// sessionFields are what is shown of a session's state.
var sessionFields = []string{hot.FieldCurrent, hot.FieldIntent, hot.FieldLast}

// session is one session, or all that are live.
func (h *scoreHandler) session(ctx context.Context, id string) (out api.ScoresAnswer, err error) {
	ids := []string{id}
	if id == "" {
		ids = h.hot.SessionIDs(h.now())
	}
	v := h.hot.View(h.now())
	found := convert(ids, v.Session)
	if err = v.Load(ctx); err != nil {
		return out, err
	}
	out.Members = []api.Score{}
	for i, s := range found {
		switch {
		case !s.Exists:
		case id == "":
			out.Members = append(out.Members, api.Score{Name: ids[i], Score: hot.Seconds(s.Deadline)})
		default:
			out.Expires, out.Fields = s.Deadline, map[string]string{}
			for _, f := range sessionFields {
				if v := s.Fields[f]; v != "" {
					out.Fields[f] = v
				}
			}
			for file, at := range s.Opened {
				out.Members = append(out.Members, api.Score{Name: string(file), Score: hot.Seconds(at)})
			}
		}
	}
	return out, nil
}

func wireScores(in []hot.Member) []api.Score {
	return convert(in, func(m hot.Member) api.Score { return api.Score(m) })
}
