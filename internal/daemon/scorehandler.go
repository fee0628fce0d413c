package daemon

import (
	"context"
	"strconv"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
)

// scoreSets maps the name of each set that the hot store holds as it is to its family.
var scoreSets = map[string]*hot.Family{api.ScoresRecency: hot.Recency, api.ScoresFrequency: hot.Frequency,
	api.ScoresTagFreq: hot.TagFreq,
	api.ScoresComod:   hot.Comod, api.ScoresTag: hot.TagFiles, api.ScoresFile: hot.FileTags}

// manyComposite is the number of files in the set composite.
const manyComposite = 100

func (d *Daemon) showScores(ctx context.Context, r api.ScoresRequest) (out api.ScoresAnswer, err error) {
	d.events.SyncBriefly(ctx)
	f, one := scoreSets[r.Set]
	owned := one && !f.Global() || r.Set == api.ScoresSession
	switch {
	case r.Owner != "" && !owned:
		return out, event.BadRequest("leave owner out", "the set %.40q has no owner", r.Set)
	case r.Set == api.ScoresComposite:
		out.Members, err = d.compositeScores(ctx)
	case r.Set == api.ScoresSession:
		return d.sessionScores(r.Owner), nil
	case !one:
		return out, event.BadRequest("docs/api.md lists the sets", "there is no set %.40q", r.Set)
	case owned && r.Owner == "":
		out.Members = d.events.Hot.Sums(f, d.now())
	default:
		out.Members = d.events.Hot.All(f, r.Owner, d.now())
	}
	return out, err
}

// compositeScores returns what aoa suggest answers about recent work.
func (d *Daemon) compositeScores(ctx context.Context) ([]hot.Member, error) {
	ans, err := d.worktrees.Caller(ctx).Prefetch.Answer(ctx, event.Query{Limit: manyComposite, At: d.now()},
		history.Past{})
	return convert(ans.Suggestions, func(s event.Suggestion) hot.Member {
		return hot.Member{Name: string(s.File), Score: s.Score}
	}), err
}

// sessionScores returns the scores of one session, or the list of live sessions.
func (d *Daemon) sessionScores(id string) (out api.ScoresAnswer) {
	out.Members = []hot.Member{}
	if id == "" {
		for _, s := range d.events.Sessions.Running(d.now()) {
			out.Members = append(out.Members, hot.Member{Name: s.ID, Score: hot.Seconds(s.Last.Add(session.OverAfter))})
		}
		return out
	}
	s := d.events.Sessions.Get(id, d.now())
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
		out.Members = append(out.Members, hot.Member{Name: string(file), Score: hot.Seconds(o.At)})
	}
	return out
}
