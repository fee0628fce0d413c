package redisview

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// readOnly reports whether clients may not write to a key. Of aOa's keys they may write only the
// destinations of the specification's ZUNIONSTORE.
func readOnly(key string) bool {
	return strings.HasPrefix(key, "aoa:") && key != "aoa:composite" && !strings.HasPrefix(key, "aoa:temp:")
}

// Types of keys, as the command TYPE prints them.
const (
	sortedSet = "zset"
	plainSet  = "set"
	hash      = "hash"
	list      = "list"
	text      = "string"
)

// family is a kind of keys that all have the same form.
type family struct {
	begin, end string // the owner's name is between them; for a key without owner, begin is the whole key
	kind       string
	set        string // name of the set in api.Scores
	owned      bool
	// turns the set into the value; nil if they are the same
	change func(context.Context, *view, *api.ScoresAnswer) error
}

// families are compared with a key in this order.
var families = []family{
	{begin: "aoa:scores:recency", kind: sortedSet, set: api.ScoresRecency},
	{begin: "aoa:scores:frequency", kind: sortedSet, set: api.ScoresFrequency},
	{begin: "aoa:scores:comod", kind: sortedSet, set: api.ScoresComod},
	{begin: "aoa:scores:comod_normalized", kind: sortedSet, set: api.ScoresComod, change: normalize},
	{begin: "aoa:composite", kind: sortedSet, set: api.ScoresComposite},
	{begin: "aoa:tag_freq", kind: sortedSet, set: api.ScoresTagFreq},
	{begin: "aoa:prefetch_log", kind: list, change: prefetchLog},
	{begin: "aoa:scores:intent:", kind: sortedSet, set: api.ScoresTag, owned: true},
	{begin: "aoa:tag:", kind: plainSet, set: api.ScoresTag, owned: true},
	{begin: "aoa:file:", kind: plainSet, set: api.ScoresFile, owned: true, change: hashtags},
	{begin: "aoa:comod:", kind: sortedSet, set: api.ScoresComod, owned: true},
	{begin: "aoa:session:", end: ":files", kind: sortedSet, set: api.ScoresSession, owned: true},
	{begin: "aoa:session:", kind: hash, set: api.ScoresSession, owned: true},
	{begin: "aoa:threshold:", kind: text, set: api.ScoresSession, owned: true, change: threshold},
}

// parse finds the family of a key, and the owner in the key.
func parse(key string) (f family, owner string, ok bool) {
	for _, f = range families {
		rest, begins := strings.CutPrefix(key, f.begin)
		owner, ends := strings.CutSuffix(rest, f.end)
		if begins && ends && f.owned == (owner != "") {
			return f, owner, true
		}
	}
	return f, "", false
}

// read gets the value of a key from the daemon.
func (v *view) read(ctx context.Context, f family, owner string) (a api.ScoresAnswer, err error) {
	if f.set != "" {
		a, err = api.Call(ctx, v.daemon, api.Scores, api.ScoresRequest{Set: f.set, Owner: owner})
	}
	if err == nil && f.change != nil {
		err = f.change(ctx, v, &a)
	}
	return a, err
}

// normalize applies the specification's rule for co-modification: weights of 10 and more become 1.
func normalize(_ context.Context, _ *view, a *api.ScoresAnswer) error {
	for i := range a.Members {
		a.Members[i].Score = min(1, a.Members[i].Score/10)
	}
	return nil
}

func hashtags(_ context.Context, _ *view, a *api.ScoresAnswer) error {
	for i := range a.Members {
		a.Members[i].Name = "#" + a.Members[i].Name
	}
	return nil
}

// threshold returns the current threshold, which is the same for all sessions.
func threshold(ctx context.Context, v *view, a *api.ScoresAnswer) error {
	a.Members = nil
	if a.Expires.IsZero() { // there is no such session
		return nil
	}
	t, err := api.Call(ctx, v.daemon, api.Threshold, api.None{})
	a.Members = []hot.Member{{Name: strconv.FormatFloat(t.Value, 'g', -1, 64)}}
	return err
}

// prefetchLog returns the outcomes of the newest 1,000 files that hints named, the newest first.
func prefetchLog(ctx context.Context, v *view, a *api.ScoresAnswer) error {
	st, err := api.Call(ctx, v.daemon, api.Stats, api.StatsRequest{Table: "outcomes", Limit: 1000})
	for _, o := range slices.Backward(st.Outcomes) {
		if o.Status != "shown" {
			continue
		}
		entry := map[string]any{"timestamp": float64(o.At.UnixMilli()) / 1000, "session_id": o.Session,
			"predictions": []event.Path{o.File}, "accessed": "", "hit": o.Used}
		if o.Used {
			entry["accessed"] = o.File
		}
		line, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		a.Members = append(a.Members, hot.Member{Name: string(line)})
	}
	return err
}
