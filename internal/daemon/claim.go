package daemon

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot/redis"
)

// holder says which event of a batch a claim is about, and of a rename which of its pairs.
type holder struct{ event, pair int }

// claimsOf lists what the logs of other clones may contain too: commits and renames from git. A rename is claimed pair by
// pair, under the commit that made it: a clone that reads the whole history reports each pair in an event of its own, one that
// continues reports them by commit.
func claimsOf(batch []event.Event) (things []redis.Claim, holders []holder) {
	add := func(c redis.Claim, h holder) { things, holders = append(things, c), append(holders, h) }
	for i, e := range batch {
		kind, rest, _ := strings.Cut(e.ID, ":")
		sha, _, _ := strings.Cut(rest, ":")
		switch {
		case e.Kind == event.KindCommit, e.Kind == event.KindUncommit:
			add(redis.Claim{ID: "c:" + sha, Off: e.Kind == event.KindUncommit}, holder{event: i})
		case e.Kind == event.KindRename && e.Agent == "git":
			for j := range min(len(e.From), len(e.Paths)) {
				old, off := e.From[j], kind == "unrename"
				if off {
					old = e.Paths[j]
				}
				// A digest: claims stay for good, and what is forgotten is not to be named in them.
				add(redis.Claim{ID: fmt.Sprintf("r:%s:%.12x", sha, sha256.Sum256([]byte(old))), Off: off}, holder{i, j})
			}
		}
	}
	return things, holders
}

// claimed is the batch without what others count.
func claimed(batch []event.Event, holders []holder, won []bool) []event.Event {
	drop := map[int]bool{}
	pairs := map[int][]int{} // event → pairs of a rename that are ours
	for i, h := range holders {
		switch {
		case batch[h.event].Kind != event.KindRename:
			drop[h.event] = !won[i]
		case won[i]:
			pairs[h.event] = append(pairs[h.event], h.pair)
		default:
			pairs[h.event] = slices.Clip(pairs[h.event])
		}
	}
	out := make([]event.Event, 0, len(batch))
	for i, e := range batch {
		if drop[i] {
			continue
		}
		if keep, ok := pairs[i]; ok {
			from, to := e.From, e.Paths
			e.From, e.Paths = nil, nil
			for _, j := range keep {
				e.From, e.Paths = append(e.From, from[j]), append(e.Paths, to[j])
			}
			if len(keep) == 0 {
				continue
			}
		}
		out = append(out, e)
	}
	return out
}
